import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  RestoreSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { expect, vi } from 'vitest';
import { lookAt } from '#local/cli/deployment/dead-letters.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import { minute, rolledOut } from '#test/e2e/rollout.ts';
import { deployment } from '#test/e2e/workloads.ts';
import { controlRef, namespaceRef } from '#test/lifecycle/action.ts';
import { Cluster } from '#test/lifecycle/clusters.ts';
import { standingDifferences } from '#test/lifecycle/differences.ts';
import { exportAll } from '#test/lifecycle/export.ts';
import { evaluateExport } from '#test/lifecycle/fresh.ts';
import { type Account, createAccount } from './account.ts';
import { type Checkout, createCheckout } from './checkout.ts';
import { apiIdOf, type Emulator, startEmulator } from './emulator.ts';
import { createSubscribedBus, type SubscribedBus } from './event-bus.ts';
import { ALLOWED, type Reachable, startReachable } from './reachable.ts';
import { startUpstream } from './upstream.ts';

const STAGE = 'emulator';
/** The stack that the suite deploys. */
export const STACK = `starfold-${STAGE}`;

/** The one workload of each WDS. */
export const WEB = deployment({ namespace: 'shop', name: 'web' });
/** The resources that the forwarders of WECs follow. */
export const DEPLOYMENTS = [{ group: 'apps', version: 'v1', resource: 'deployments' }];
/** wec1 and wec2 carry out what wds1 wants, wec3 what wds2 wants. */
export const WECS = { wec1: 'wds1', wec2: 'wds1', wec3: 'wds2' } as const;
type Wec = keyof typeof WECS;

const NOTIFICATIONS = '/starfold/notifications';
const NOTIFIED = JSON.stringify({
  webhooks: [],
  rules: [{ name: 'verdicts', events: ['dev.starfold.verdict.changed.v1'], send: ['event-bus'] }],
});

function parameterOf(cluster: string): string {
  return `/starfold/${cluster}/kubeconfig`;
}

/** How long the WDS may take to be right; a test that fails waits for so long. A message may wait a minute for its retry. */
const PATIENCE = { timeout: 90_000, interval: 20 };

/** Waits until a value that is read again and again is this one. */
export async function eventually(get: () => Promise<unknown>, expected: unknown): Promise<void> {
  await vi.waitFor(async () => expect(await get()).toEqual(expected), PATIENCE);
}

/** What the story plays in: an emulator, simulated clusters, and a user's copy of the project. */
export class World implements AsyncDisposable {
  readonly emulator: Emulator;
  readonly account: Account;
  readonly checkout: Checkout;
  readonly wds1: Reachable;
  readonly wds2: Reachable;
  /** A management cluster of Fleet. */
  readonly upstream: Reachable;
  readonly wecs: Readonly<Record<Wec, Cluster>>;
  /** The event bus that gets the verdicts. */
  readonly bus: SubscribedBus;
  readonly #secrets: SecretsManagerClient;
  readonly #secret: string;
  readonly #stack: AsyncDisposableStack;
  #outputs: ReadonlyMap<string, string> = new Map();

  private constructor(parts: {
    readonly emulator: Emulator;
    readonly checkout: Checkout;
    readonly wdses: readonly [Reachable, Reachable];
    readonly upstream: Reachable;
    readonly wecs: Readonly<Record<Wec, Cluster>>;
    readonly secret: string;
    readonly bus: SubscribedBus;
    readonly stack: AsyncDisposableStack;
  }) {
    this.emulator = parts.emulator;
    this.account = createAccount(parts.emulator);
    this.checkout = parts.checkout;
    [this.wds1, this.wds2] = parts.wdses;
    this.upstream = parts.upstream;
    this.wecs = parts.wecs;
    this.#secrets = new SecretsManagerClient(parts.emulator.config());
    this.#secret = parts.secret;
    this.bus = parts.bus;
    this.#stack = parts.stack;
  }

  /**
   * Starts everything that is there before a user deploys. The kubeconfigs of wds1 and of the management cluster are to be
   * in Parameter Store, and are not yet; that of wds2 in a secret that is marked for deletion.
   */
  static async start(): Promise<World> {
    await using starting = new AsyncDisposableStack();
    const emulator = starting.use(await startEmulator());
    const wds1 = starting.use(await startReachable('wds1', emulator));
    const wds2 = starting.use(await startReachable('wds2', emulator));
    const upstream = starting.use(await startUpstream('rancher1', emulator));
    const cluster = async (name: Wec): Promise<Cluster> =>
      starting.adopt(await Cluster.start(name), (one) => one.close());
    const wecs = {
      wec1: await cluster('wec1'),
      wec2: await cluster('wec2'),
      wec3: await cluster('wec3'),
    };
    const secrets = new SecretsManagerClient(emulator.config());
    const { ARN: secret = '' } = await secrets.send(
      new CreateSecretCommand({ Name: 'starfold/wds2', SecretString: wds2.kubeconfig() }),
    );
    await secrets.send(new DeleteSecretCommand({ SecretId: secret }));
    const { region } = emulator.config();
    const at = (kubeconfig: string) => ({ kubeconfig, allow: ALLOWED });
    const wdses = {
      wds1: at(`ssm:${parameterOf('wds1')}`),
      wds2: at(`secretsmanager:${secret}`),
    };
    const fleet = {
      mode: 'write',
      upstreams: { rancher1: at(`ssm:${parameterOf('rancher1')}`) },
    };
    const bus = await createSubscribedBus(emulator);
    await new SSMClient(emulator.config()).send(
      new PutParameterCommand({ Name: NOTIFICATIONS, Type: 'SecureString', Value: NOTIFIED }),
    );
    const notifications = { document: `ssm:${NOTIFICATIONS}`, eventBus: bus.arn };
    const optional = { api: true, workloadMetrics: true, notifications };
    const settings = { region, wdses, alarmEmail: 'operator@example.com', fleet, ...optional };
    const checkout = starting.use(await createCheckout(emulator, STAGE, settings));
    const clusters = { wdses: [wds1, wds2] as const, upstream, wecs };
    const parts = { emulator, checkout, ...clusters, secret, bus };
    return new World({ ...parts, stack: starting.move() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  /** Deploys, or deploys again; what the user is told. */
  async deploy(): Promise<string> {
    const { output } = await this.checkout.serverless('deploy');
    this.#outputs = (await this.#readOutputs()) ?? new Map();
    return output;
  }

  /** @throws Error with what the user is told when it is refused. */
  async remove(): Promise<void> {
    await this.checkout.serverless('remove');
  }

  async isDeployed(): Promise<boolean> {
    return (await this.#readOutputs()) !== undefined;
  }

  /** An output of the stack. */
  output(key: string): string {
    const value = this.#outputs.get(key);
    if (value === undefined) throw new Error(`the stack has no output ${key}`);
    return value;
  }

  /** Where the HTTP API of the stack serves a path. */
  apiUrl(path: string): URL {
    return new URL(this.emulator.apiUrl(this.output('ApiUrl')) + path);
  }

  /** What IAM calls a request to the HTTP API of the stack. */
  apiArn(request: string): string {
    const { region } = this.emulator.config();
    const [, , , , account = ''] = this.output('ForwarderPolicyArn').split(':');
    const id = apiIdOf(this.output('ApiUrl'));
    return `arn:aws:execute-api:${region}:${account}:${id}/$default${request}`;
  }

  async #readOutputs(): Promise<ReadonlyMap<string, string> | undefined> {
    const client = new CloudFormationClient(this.emulator.config());
    try {
      const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: STACK }));
      const outputs = Stacks?.[0]?.Outputs ?? [];
      return new Map(
        outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
      );
    } catch (error) {
      if (error instanceof Error && error.message.includes('does not exist')) return undefined;
      throw error;
    }
  }

  /** Waits until the log of a function says something. */
  async logged(name: string, text: string): Promise<void> {
    const read = async (): Promise<void> => {
      const { output } = await this.checkout.serverless('logs', '-f', name);
      expect(output).toContain(text);
    };
    await vi.waitFor(read, { ...PATIENCE, interval: 1_000 });
  }

  /** Messages of a queue that wait or are being handled; the queue by its output. */
  length(queue: string): Promise<number> {
    return this.account.queueLength(this.output(queue));
  }

  /** After how many failures messages of a queue go to its dead-letter queue. */
  async setMaxReceiveCount(
    queue: 'Events' | 'Dirty' | 'Hints',
    maxReceiveCount: number,
  ): Promise<void> {
    const url = this.output(`${queue}DeadLetterQueueUrl`);
    const policy = { deadLetterTargetArn: await this.account.queueArn(url), maxReceiveCount };
    const RedrivePolicy = JSON.stringify(policy);
    await this.account.setQueue(this.output(`${queue}QueueUrl`), { RedrivePolicy });
  }

  /** Puts the present kubeconfig of wds1, or of the management cluster, where the functions look for it. */
  async putParameter(cluster: Reachable): Promise<void> {
    await new SSMClient(this.emulator.config()).send(
      new PutParameterCommand({
        Name: parameterOf(cluster.name),
        Type: 'SecureString',
        Value: cluster.kubeconfig(),
        Overwrite: true,
      }),
    );
  }

  async restoreSecret(): Promise<void> {
    await this.#secrets.send(new RestoreSecretCommand({ SecretId: this.#secret }));
  }

  /** The Deployment in a WEC has so many replicas, all of them available. */
  report(wec: Wec, replicas: number): void {
    const { object } = WEB;
    this.wecs[wec].simulated.apply({
      ...object,
      metadata: { ...Object(object['metadata']), uid: `${wec}-web`, generation: 1 },
      status: rolledOut(1, replicas, minute(replicas)),
    });
  }

  /** A user describes the Deployment, the collector and the Binding in a WDS. */
  async describe({ cluster, name }: Reachable, modulation: JsonObject): Promise<void> {
    const apiVersion = 'control.kubestellar.io/v1alpha1';
    const { ref, object } = WEB;
    const { namespace, ...rest } = ref;
    const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await cluster.set(namespaceRef(namespace), () => shop);
    await cluster.set(ref, () => object);
    await cluster.set(controlRef('statuscollectors', 'totals'), () => ({
      apiVersion,
      kind: 'StatusCollector',
      metadata: { name: 'totals' },
      spec: {
        combinedFields: [
          { name: 'wecs', type: 'COUNT' },
          { name: 'ready', type: 'SUM', subject: 'returned.status.readyReplicas' },
        ],
      },
    }));
    const destinations = Object.entries(WECS).filter(([, wds]) => wds === name);
    const bound = { ...rest, namespace, resourceVersion: '1', ...modulation };
    await cluster.set(controlRef('bindings', 'web'), () => ({
      apiVersion,
      kind: 'Binding',
      metadata: { name: 'web' },
      spec: {
        destinations: destinations.map(([clusterId]) => ({ clusterId })),
        workload: { clusterScope: [], namespaceScope: [bound] },
      },
    }));
  }

  /** `status.readyReplicas` of the Deployment in a WDS. */
  async readyIn({ cluster }: Reachable): Promise<JsonValue | undefined> {
    return at(await cluster.api.get(WEB.ref), 'status', 'readyReplicas');
  }

  /** What the collector gives in a WDS: the columns of its one row. */
  async totalsIn({ cluster }: Reachable): Promise<JsonValue | undefined> {
    const { items } = await cluster.api.list(controlRef('combinedstatuses', ''), {});
    const results = items.length === 1 ? at(items[0] ?? {}, 'results') : undefined;
    const rows = isArray(results) ? at(results[0] ?? null, 'rows') : undefined;
    return isArray(rows) ? at(rows[0] ?? null, 'columns') : undefined;
  }

  /** What lies in the dead-letter queue of the events; it stays there. */
  async deadLetters(): Promise<readonly ReceivedMessage[]> {
    const client = createSqsClient(this.emulator.config());
    const queueUrl = this.output('EventsDeadLetterQueueUrl');
    return lookAt(createSqsMessageQueue({ client, queueUrl, fifo: false }), 10);
  }

  /** What in wds1 is not what `starfold eval` makes of the clusters as they stand. */
  async differences(): Promise<readonly string[]> {
    const { cluster: wds } = this.wds1;
    const wecs = [this.wecs.wec1, this.wecs.wec2];
    const exported = await exportAll({ wds, wecs, inventory: wds });
    const fresh = await evaluateExport(exported, Date.now());
    return standingDifferences(exported, fresh, new Map());
  }
}
