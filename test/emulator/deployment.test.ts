import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { STAYS } from '#local/cli/redrive/messages.ts';
import { at } from '#shared/core/json.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { parseDeadLetter } from '#shared/messages/dead-letter.ts';
import { httpEvent } from '#test/unit/serve-api/request.ts';
import { Forwarders } from './forwarders.ts';
import {
  type Archives,
  checkOut,
  lastPackaged,
  NEWER_HEADS,
  NEWER_MESSAGES,
  OTHER,
  OTHER_RELEASE,
  packaged,
} from './other-release.ts';
import { signedGet } from './signed-request.ts';
import { Times } from './times.ts';
import { displaysIn, tell } from './upstream.ts';
import { eventually, STACK, WEB, World } from './world.ts';

/** Makes a function say which Node runs it; without quotation marks, which Node would take for its own. */
const NODE_OPTIONS =
  '--import=data:text/javascript,console.error(process.release.name,process.version)';
const UNCHECKED = 'the emulator lets everybody do everything';

const DEPLOYMENTS_OF_SHOP = '/v1/fleet/rancher1/bundles/fleet-default/shop/deployments';
/** What WECs report about the workload object, and the same in another namespace. */
const statusesIn = (namespace: string): string =>
  `/wds/wds1/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/wecstatuses`;
/** What is listed of the Bundle shop. */
const SHOP = {
  deployments: [{ cluster: 'fleet-default/c1', state: 'Ready', gitRepo: 'fleet-default/shop' }],
};

const times = new Times();
let world: World;
let forwarders: Forwarders;
/** The functions of the deployed release, and of one whose messages are newer. */
let deployed: Archives;
let newer: Archives;

beforeAll(async () => {
  world = await World.start();
  times.add('start of the emulator', world.emulator.startMs);
  return async () => {
    await forwarders?.stop();
    await world[Symbol.asyncDispose]();
    times.print(world.emulator.image);
  };
});

const ready = (): Promise<unknown> => world.readyIn(world.wds1);
const number = (float: number) => ({ type: 'Number', float: String(float) });

/** An emulator may end what runs while a function is updated, which AWS does not: what it had comes again soon. */
async function retrySoon(): Promise<void> {
  for (const queue of ['EventsQueueUrl', 'DirtyQueueUrl', 'HintsQueueUrl'])
    await world.account.setQueue(world.output(queue), { VisibilityTimeout: '5' });
}

/** Waits until there is something in a dead-letter queue. */
async function deadLettersIn(queue: string): Promise<void> {
  await eventually(async () => (await world.length(queue)) > 0, true);
}

/** Replaces the code of functions, one after the other. */
async function replace(release: Archives, ...names: readonly string[]): Promise<void> {
  for (const name of names) await world.account.replaceCode(`${STACK}-${name}`, release(name));
}

/** Does something while wec2 reports ten changes a second. The aggregate is what wec1 reports, which has fewer replicas. */
async function underLoad(work: () => Promise<void>): Promise<void> {
  let changes = 0;
  const load = setInterval(() => {
    changes += 1;
    world.report('wec2', 100 + (changes % 50));
  }, 100);
  try {
    await work();
  } finally {
    clearInterval(load);
  }
  expect(changes).toBeGreaterThan(10);
}

/** Waits until the WDS has everything and no queue has a message. There is no dead letter. */
async function isWhole(): Promise<void> {
  await eventually(() => world.differences(), []);
  for (const queue of ['Events', 'Dirty', 'Hints']) {
    await eventually(() => world.length(`${queue}QueueUrl`), 0);
    expect(await world.length(`${queue}DeadLetterQueueUrl`)).toBe(0);
  }
}

describe('a deployment on the emulator', () => {
  it('is made by serverless deploy', async () => {
    const told = await times.measure('serverless deploy', () => world.deploy());
    expect(await world.isDeployed()).toBe(true);
    for (const output of ['ForwarderPolicyArn', 'EventsQueueUrl', 'TableName', 'ApiUrl'])
      expect(told).toContain(world.output(output));
    expect(told).toContain('npx starfold register wec/CLUSTER --role ARN-OF-THAT-ROLE');
  });

  it('says in starfold doctor which kubeconfigs are missing', async () => {
    const { code, output } = await world.checkout.starfold('doctor');
    for (const name of ['wds1', 'rancher1'])
      expect(output).toMatch(
        new RegExp(`${name} cannot be asked: .*there is no such parameter in this region`),
      );
    expect(output).toContain('the secret is marked for deletion: restore it');
    expect(code).toBe(1);
  });

  it('takes forwarders that are registered', async () => {
    forwarders = await Forwarders.create(world);
    await forwarders.register();
    const { code, output } = await world.checkout.starfold('register', '--list');
    for (const source of forwarders.sources) expect(output).toContain(source);
    expect(code).toBe(0);
  });

  it('lets a forwarder send events and nothing else', async ({ skip }) => {
    skip(!forwarders.senders.areChecked, UNCHECKED);
    const letters = forwarders.queueOf('wec/wec1', 'EventsDeadLetterQueueUrl');
    await expect(letters.send([{ body: '[]' }])).rejects.toThrow('AccessDenied');
    await expect(
      forwarders.queueOf('wec/wec1').receive({ max: 1, waitSeconds: 0 }),
    ).rejects.toThrow('AccessDenied');
  });

  it('tells a forwarder which table it has', async () => {
    expect(await forwarders.namedTable('wec/wec1')).toBe(world.output('TableName'));
  });

  it('brings status and CombinedStatus to the WDS', async () => {
    await world.putParameter(world.wds1);
    await world.putParameter(world.upstream);
    await world.restoreSecret();
    await world.describe(world.wds1, {
      wantMultiWECReportedState: true,
      statusCollectors: ['totals'],
    });
    await world.describe(world.wds2, { wantSingletonReportedState: true });
    world.report('wec1', 3);
    world.report('wec2', 9);
    world.report('wec3', 7);
    await times.measure('first status (functions start)', async () => {
      forwarders.start();
      await eventually(ready, 3);
    });
    await eventually(() => world.totalsIn(world.wds1), [number(2), number(12)]);
  });

  it('writes to a WDS whose kubeconfig is in Secrets Manager', async () => {
    await eventually(() => world.readyIn(world.wds2), 7);
  });

  it.each([1, 2, 4, 5, 6])('brings a change to the WDS: %d replicas', async (replicas) => {
    await times.measure(`from a change to the WDS (${replicas} replicas)`, async () => {
      world.report('wec1', replicas);
      await eventually(ready, replicas);
    });
    await eventually(() => world.totalsIn(world.wds1), [number(2), number(9 + replicas)]);
  });

  it('puts the verdict on a workload object on the event bus of the settings', async () => {
    const seen: unknown[] = [];
    const statuses = async (): Promise<readonly unknown[]> => {
      for (const { source, subject, data } of await world.bus.take())
        if (source === '/wds/wds1' && subject === 'apps/deployments/shop/web')
          seen.push(at(data ?? null, 'status'));
      return seen;
    };
    await eventually(async () => (await statuses()).at(-1), 'Healthy');
  });

  it('counts workload objects by verdict on a schedule', async () => {
    await world.account.invoke(`${STACK}-sweep-stale`, { task: 'count' });
    await world.logged('sweep-stale', '"verdict":"Healthy"');
  });

  it('brings what an agent of Fleet tells to Bundle, GitRepo and Cluster', async () => {
    const displays = (): Promise<unknown> => displaysIn(world.upstream);
    tell(world.upstream, 'NotReady');
    await eventually(displays, [
      { readyClusters: '0/1', state: 'NotReady' },
      { readyBundleDeployments: '0/1', state: 'NotReady' },
      { readyBundles: '0/1', state: 'NotReady' },
    ]);
    await times.measure('from an agent of Fleet to all statuses', async () => {
      tell(world.upstream, 'Ready');
      await eventually(displays, [
        { readyClusters: '1/1' },
        { readyBundleDeployments: '1/1' },
        { readyBundles: '1/1' },
      ]);
    });
  });

  it('lists the deployments of a Bundle by serve-api', async () => {
    const event = httpEvent(`${DEPLOYMENTS_OF_SHOP}?state=Ready`);
    const ask = (): Promise<unknown> => world.account.invoke(`${STACK}-serve-api`, event);
    // Until the forwarder's heartbeat is recorded, nothing is known of the management cluster.
    const problem = async (): Promise<unknown> => {
      const { statusCode, body } = Object(await ask());
      if (statusCode === 200) return undefined;
      const { forwarder, warnings } = forwarders.running('fleet/rancher1');
      return { body, warnings, ...forwarder.state() };
    };
    await eventually(problem, undefined);
    const answer = await ask();
    expect(JSON.parse(Object(answer).body)).toMatchObject(SHOP);
  });

  it('lists them by HTTP for those who may ask, and for nobody else', async ({ skip }) => {
    skip(!world.emulator.hasHttpApis, 'the emulator has no HTTP APIs');
    skip(!forwarders.senders.areChecked, UNCHECKED);
    const url = world.apiUrl(`${DEPLOYMENTS_OF_SHOP}?state=Ready`);
    const reader = await world.account.createUser('reader');
    const ask = (): Promise<Response> => signedGet(url, world.emulator.config(reader.credentials));
    expect((await fetch(url)).status).toBe(403);
    expect((await ask()).status).toBe(403);
    await world.account.allow(reader, 'execute-api:Invoke', world.apiArn('/GET/v1/fleet/*'));
    expect(await (await ask()).json()).toMatchObject(SHOP);
  });

  it('tells what each WEC reports to those who may read the namespace, and to nobody else', async ({
    skip,
  }) => {
    skip(!world.emulator.hasHttpApis, 'the emulator has no HTTP APIs');
    skip(!forwarders.senders.areChecked, UNCHECKED);
    const { namespace } = WEB.ref;
    const reader = await world.account.createUser('namespace-reader');
    const ask = (path: string): Promise<Response> =>
      signedGet(world.apiUrl(path), world.emulator.config(reader.credentials));
    const path = statusesIn(namespace);
    expect((await fetch(world.apiUrl(path))).status).toBe(403);
    expect((await ask(path)).status).toBe(403);
    const arn = world.apiArn(`/GET${statusesIn(namespace).replace(/wecstatuses$/, '*')}`);
    await world.account.allow(reader, 'execute-api:Invoke', arn);
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    const { items } = Object(await answer.json());
    expect(items.map(({ wec }: { wec: string }) => wec)).toEqual(['wec1', 'wec2']);
    expect(items[1]).toMatchObject({ state: 'Reported', status: { readyReplicas: 9 } });
    expect((await ask(statusesIn('bank'))).status).toBe(403);
  });

  it('is well in the eyes of starfold doctor', async () => {
    const { code, output } = await world.checkout.starfold('doctor');
    expect(code, output).toBe(0);
  });

  it('does not record what a stranger says, and keeps it as a dead letter', async () => {
    // Where all senders have one name, everybody is registered for what anybody is registered for.
    const name = forwarders.senders.areTold ? 'wec1' : 'nobodys';
    const event = encodeEvent({
      source: { type: 'wec', name },
      version: { epoch: Date.now(), sequence: 1 },
      time: new Date().toISOString(),
      content: { type: 'wec-object', wds: 'wds1', subject: WEB.ref, first: true },
    });
    await forwarders.queueOf('stranger').send([{ body: encodeBatch([event]) }]);
    await eventually(() => world.length('EventsDeadLetterQueueUrl'), 1);
    const [letter] = await world.deadLetters();
    expect(parseDeadLetter(letter?.body ?? '')).toMatchObject({ code: 'forged-sender' });
    expect(await ready()).toBe(6);
  });

  it('keeps a poison message as a dead letter', async () => {
    await forwarders.queueOf('wec/wec1').send([{ body: 'poison' }]);
    await eventually(() => world.length('EventsDeadLetterQueueUrl'), 2);
    const codes = (await world.deadLetters()).map(({ body }) => parseDeadLetter(body)?.code);
    expect(codes.sort()).toEqual(['forged-sender', 'unreadable']);
  });

  it('explains dead letters in starfold doctor, and deletes them on demand', async () => {
    const { code, output } = await world.checkout.starfold('doctor');
    // Where all senders have one name, everybody could have written the letter.
    expect(output).toContain(`events: ${forwarders.senders.areTold ? 'forged-sender' : 'foreign'}`);
    expect(code).toBe(1);
    const named = (await world.deadLetters()).flatMap(({ messageId }) => ['--message', messageId]);
    const discarded = await world.checkout.starfold('redrive', '--discard', '--yes', ...named);
    expect(discarded.output).toContain('2 messages deleted');
    expect(await world.length('EventsDeadLetterQueueUrl')).toBe(0);
  });

  it('loses nothing while a permission is missing', async ({ skip }) => {
    skip(!forwarders.senders.areChecked, UNCHECKED);
    const restore = await world.account.revoke(STACK, 'RecordEventsRole', 'dynamodb:PutItem');
    world.report('wec1', 1);
    await world.logged('record-events', 'AccessDenied');
    expect(await ready()).toBe(6);
    expect(await world.length('EventsQueueUrl')).toBeGreaterThan(0);
    await restore();
    await eventually(ready, 1);
  });

  // The operator comes first: where all senders have one name, he lets the sweep redrive as well.
  it.for([
    ['starfold redrive', 2, () => world.checkout.starfold('redrive', '--queue', 'events', '--yes')],
    ['its sweep', 3, () => world.account.invoke(`${STACK}-sweep-stale`, { task: 'redrive' })],
  ] as const)(
    'redrives events that failed too often: %s',
    async ([, replicas, redrive], { skip }) => {
      skip(!forwarders.senders.areChecked, UNCHECKED);
      await world.setMaxReceiveCount('Events', 1);
      const restore = await world.account.revoke(STACK, 'RecordEventsRole', 'dynamodb:PutItem');
      world.report('wec1', replicas);
      await deadLettersIn('EventsDeadLetterQueueUrl');
      await restore();
      await world.setMaxReceiveCount('Events', 20);
      await redrive();
      await eventually(ready, replicas);
      expect(await world.length('EventsDeadLetterQueueUrl')).toBe(0);
    },
  );

  it('brings what happened while the WDS was down once it is up', async () => {
    await world.wds1.down();
    world.report('wec1', 4);
    await world.logged('write-results', 'ECONNREFUSED');
    expect(await world.length('HintsQueueUrl')).toBeGreaterThan(0);
    await world.wds1.up();
    await eventually(ready, 4);
  });

  it('redrives by its sweep what failed while the WDS was down for too long', async () => {
    await world.setMaxReceiveCount('Hints', 1);
    await world.wds1.down();
    world.report('wec1', 5);
    await deadLettersIn('HintsDeadLetterQueueUrl');
    await world.setMaxReceiveCount('Hints', 100);
    await world.wds1.up();
    await world.account.invoke(`${STACK}-sweep-stale`, { task: 'redrive' });
    await eventually(ready, 5);
    expect(await world.length('HintsDeadLetterQueueUrl')).toBe(0);
  });

  it('takes a new token for the WDS when the old one has expired', async () => {
    world.wds1.rotateToken();
    world.report('wec1', 6);
    await world.logged('write-results', 'Unauthorized');
    await world.putParameter(world.wds1);
    await eventually(ready, 6);
  });

  it('loses nothing while a forwarder has no valid access key', async ({ skip }) => {
    skip(!forwarders.senders.areChecked, UNCHECKED);
    const { forwarder, warnings } = forwarders.running('wec/wec1');
    await world.account.setKeyActive(forwarders.user('wec/wec1'), false);
    world.report('wec1', 7);
    await vi.waitFor(() => expect(forwarder.state().queueError).toBeDefined(), 30_000);
    expect(warnings.at(-1)).toContain('InvalidClientTokenId');
    await world.account.setKeyActive(forwarders.user('wec/wec1'), true);
    await eventually(ready, 7);
    expect(forwarder.state().queueError).toBeUndefined();
  });

  it('loses nothing while it is updated, and runs on Node 24', async () => {
    await world.checkout.edit('infra/functions.yml', (text) =>
      text.replaceAll(
        'TABLE_NAME: !Ref Table',
        `TABLE_NAME: !Ref Table\n    LOG_LEVEL: DEBUG\n    NODE_OPTIONS: '${NODE_OPTIONS}'`,
      ),
    );
    await retrySoon();
    let isDone = false;
    const update = times
      .measure('serverless deploy (update)', () => world.deploy())
      .finally(() => {
        isDone = true;
      });
    let changes = 0;
    while (!isDone) {
      changes += 1;
      world.report(changes % 2 === 0 ? 'wec1' : 'wec2', 1 + (changes % 50));
      await delay(100);
    }
    await update;
    expect(changes).toBeGreaterThan(10);
    world.report('wec1', 51);
    world.report('wec2', 52);
    await eventually(ready, 51);
    await eventually(() => world.differences(), []);
    await world.logged('record-events', 'node v24.');
  });

  it('loses nothing while the code of its functions is replaced, in any order, and put back', async () => {
    await retrySoon();
    deployed = await lastPackaged(world.checkout);
    const other = await packaged(world.checkout, OTHER_RELEASE);
    await underLoad(async () => {
      let replicas = 60;
      const replaceOne = async (name: string, release: Archives): Promise<void> => {
        await replace(release, name);
        replicas += 1;
        world.report('wec1', replicas);
        await eventually(ready, replicas);
      };
      // Old and new side by side in each way: who reads has the newer code, then the older code.
      for (const name of ['write-results', 'sweep-stale', 'aggregate-workload', 'record-events'])
        await replaceOne(name, other);
      await world.logged('record-events', OTHER);
      await world.logged('aggregate-workload', OTHER);
      for (const name of ['aggregate-workload', 'write-results', 'record-events', 'sweep-stale'])
        await replaceOne(name, deployed);
    });
    await isWhole();
  });

  it('leaves messages of a newer release to it, also as dead letters', async () => {
    newer = await packaged(world.checkout, NEWER_MESSAGES);
    await world.setMaxReceiveCount('Dirty', 1);
    await replace(newer, 'record-events');
    world.report('wec1', 80);
    await deadLettersIn('DirtyDeadLetterQueueUrl');
    await world.logged('aggregate-workload', '"newer-message"');
    await world.setMaxReceiveCount('Dirty', 100);
    const discarded = await world.checkout.starfold('redrive', '--discard', '--yes');
    expect(discarded.output).toContain(STAYS.newer);

    await replace(newer, 'sweep-stale', 'aggregate-workload', 'write-results');
    expect(await world.length('DirtyQueueUrl')).toBe(0);
    expect(await ready()).toBe(68);
    const restore = await checkOut(world.checkout, NEWER_MESSAGES);
    const { output } = await world.checkout.starfold('redrive', '--yes');
    await restore();
    expect(output).toContain('sent back');
    await eventually(ready, 80);
    await isWhole();
  });

  it('goes back to the older release: restarted forwarders report what its messages cannot say', async () => {
    await replace(deployed, 'sweep-stale', 'aggregate-workload', 'write-results');
    world.report('wec1', 81);
    await eventually(() => world.length('DirtyQueueUrl').then((length) => length > 0), true);
    await replace(deployed, 'record-events');
    expect(await ready()).toBe(80);
    await forwarders.stop();
    forwarders.start();
    await eventually(ready, 81);
  });

  it('waits for the newer release if that has stored what the older one cannot read', async () => {
    const newest = await packaged(world.checkout, NEWER_HEADS);
    const names = ['record-events', 'sweep-stale', 'aggregate-workload', 'write-results'];
    await underLoad(async () => {
      await replace(newest, ...names);
      world.report('wec1', 82);
      await eventually(ready, 82);
      await replace(deployed, ...names);
      world.report('wec1', 83);
      await world.logged('aggregate-workload', '"newer-body"');
      expect(await ready()).toBe(82);
      await replace(newest, ...names);
      await eventually(ready, 83);
    });
    await isWhole();
  });

  it('is not removed while a forwarder has its policy: the user is told how to take it away', async () => {
    await forwarders.stop();
    const policy = world.output('ForwarderPolicyArn');
    await world.account.createRole('forwarder-its1', policy);
    const refused = await world.remove().catch((error: unknown) => String(error));
    const detach = /aws iam detach-(role|user)-policy --\1-name (\S+) --policy-arn (\S+)/g;
    const commands = [...String(refused).matchAll(detach)];
    const named = commands.map(([, , name = '']) => name);
    expect(named.sort()).toEqual([...forwarders.userNames, 'forwarder-its1'].sort());
    expect(await world.isDeployed()).toBe(true);
    expect(await world.length('EventsQueueUrl')).toBe(0);
    for (const [, kind, name = '', arn = ''] of commands)
      await world.account.detachPolicy(kind === 'role' ? 'role' : 'user', name, arn);
  });

  it('is not removed while it is protected: the user is told how to end that', async () => {
    const command = `update-termination-protection --no-enable-termination-protection --stack-name ${STACK}`;
    await expect(world.remove()).rejects.toThrow(command);
    expect(await world.isDeployed()).toBe(true);
    await world.account.unprotectStack(STACK);
  });

  it('goes with serverless remove, but for the table', async () => {
    await times.measure('serverless remove', () => world.remove());
    expect(await world.isDeployed()).toBe(false);
    await expect(world.length('EventsQueueUrl')).rejects.toThrow('does not exist');
    const { code, output } = await world.checkout.starfold('doctor');
    expect(output).toContain(`there is no stack ${STACK}`);
    expect(code).toBe(1);
    expect(await world.account.hasTable(world.output('TableName'))).toBe(true);
  });

  it('is deployed again although the table stayed, and removed again, and at last the table is deleted', async () => {
    const before = world.output('TableName');
    await world.deploy();
    expect(await world.account.hasTable(before)).toBe(true);
    await world.account.unprotectStack(STACK);
    await world.remove();
    // AWS gives each table a name of its own, an emulator perhaps the same one again.
    for (const table of new Set([before, world.output('TableName')])) {
      await expect(world.account.deleteTable(table)).rejects.toThrow('protect');
      await world.account.unprotectTable(table);
      await world.account.deleteTable(table);
      await eventually(() => world.account.hasTable(table), false);
    }
  });
});
