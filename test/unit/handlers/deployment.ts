import { readFile } from 'node:fs/promises';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { vi } from 'vitest';
import { parseDocument } from 'yaml';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { at, isObject, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue, ReceivedMessage } from '#shared/ports/message-queue.ts';
import { createTable, type LocalDynamoDb, startDynalite } from '#test/fakes/dynamodb-table.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';
import { type SqsServer, startSqsServer } from '#test/fakes/sqs-server/server.ts';

/** Queues by their names in `infra/queues.yml`. */
type QueueName =
  | 'EventsQueue'
  | 'EventsDeadLetterQueue'
  | 'DirtyQueue'
  | 'DirtyDeadLetterQueue'
  | 'HintsQueue'
  | 'HintsDeadLetterQueue'
  | 'NotificationsQueue'
  | 'NotificationsDeadLetterQueue';

/** What all entry points that are fed by a queue have in common. */
type Handler<Answer> = (
  event: SQSEvent,
  context: ReturnType<typeof localContext>,
) => Promise<Answer>;

/** The stage of the deployment. */
export const STAGE = 'test';
/** The unique id of the role of sweep-stale. */
export const SWEEPER = 'AROASWEEPER';
/** Who the function under test is, to SQS. */
const FUNCTION = 'AROAFUNCTION:session';
const REGION = 'eu-central-1';
const TABLE = 'starfold-test-table';
/** The ARN of the deployment's table. */
export const TABLE_ARN = `arn:aws:dynamodb:${REGION}:111122223333:table/${TABLE}`;
const NOTIFICATIONS = '/starfold/notifications';
const PARAMETER = '/starfold/wds1/kubeconfig';
/** The event bus of the settings. */
export const EVENT_BUS = `arn:aws:events:${REGION}:111122223333:event-bus/starfold`;
/** What `infra/settings.yml` would say. */
const PLACES = {
  wds1: { kubeconfig: `ssm:${PARAMETER}`, allow: { plainHttp: true, loopback: true } },
};

/** Attributes of a queue that its semantics depend on, as CreateQueue names them too. */
const ATTRIBUTES = [
  'FifoQueue',
  'DeduplicationScope',
  'FifoThroughputLimit',
  'VisibilityTimeout',
] as const;

/** Reads a file of the deployment; what a tag such as `!Ref` stands before is a plain text then. */
async function readYaml(path: string): Promise<JsonValue> {
  const document = parseDocument(await readFile(path, 'utf8'), { logLevel: 'silent' });
  // YAML without tags, keys that are no texts and the like is JSON.
  return document.toJS() as JsonValue;
}

function entriesOf(value: JsonValue | undefined): readonly [string, JsonValue][] {
  return value !== undefined && isObject(value) ? Object.entries(value) : [];
}

/** Creates the queues of `infra/queues.yml` and `infra/notifications.yml`; their URLs by the names of the resources. */
async function createQueues(server: SqsServer): Promise<ReadonlyMap<string, string>> {
  const client = createSqsClient(server.config());
  const urls = new Map<string, string>();
  const resources = [
    ...entriesOf(at(await readYaml('infra/queues.yml'), 'Resources')),
    ...entriesOf(at(await readYaml('infra/notifications.yml'), 'resources', 'Resources')),
  ];
  for (const [name, resource] of resources) {
    if (at(resource, 'Type') !== 'AWS::SQS::Queue') continue;
    const given = ATTRIBUTES.map((key) => [key, at(resource, 'Properties', key)] as const);
    const Attributes = Object.fromEntries(
      given.filter(([, value]) => value !== undefined).map(([key, value]) => [key, String(value)]),
    );
    const QueueName = `${name}${Attributes['FifoQueue'] === 'true' ? '.fifo' : ''}`;
    const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
    urls.set(name, QueueUrl);
  }
  client.destroy();
  return urls;
}

/** What is deployed as a function; serve-api stands apart, with its API. */
async function functionOf(name: string): Promise<JsonValue | undefined> {
  return (
    at(await readYaml('infra/functions.yml'), name) ??
    at(await readYaml('infra/notifications.yml'), 'functions', name) ??
    at(await readYaml('infra/api.yml'), 'functions', name)
  );
}

/** The environment that `serverless.yml` and the file of a function give it, with what it refers to. */
async function environmentOf(
  functionName: string,
  values: ReadonlyMap<string, string>,
): Promise<readonly (readonly [string, string])[]> {
  const common = at(await readYaml('serverless.yml'), 'provider', 'environment');
  const own = at((await functionOf(functionName)) ?? null, 'environment');
  return [...entriesOf(common), ...entriesOf(own)].map(([variable, reference]) => {
    const value = values.get(String(reference));
    if (value === undefined)
      throw new Error(`${variable} is ${reference}, which is not known here`);
    return [variable, value];
  });
}

/** Parameter Store with these parameters. */
async function startParameterStore(values: ReadonlyMap<string, string>): Promise<HttpApiServer> {
  const server = await startHttpApiServer();
  server.answer = ({ body }, response) => {
    const { Name } = JSON.parse(body) as { Name: string };
    const Value = values.get(Name);
    return Value === undefined || body !== JSON.stringify({ Name, WithDecryption: true })
      ? json(response, { __type: 'ParameterNotFound' }, 400)
      : json(response, { Parameter: { Value } });
  };
  return server;
}

/** The servers that stand for AWS. */
interface Servers {
  readonly dynamoDb: LocalDynamoDb;
  readonly sqs: SqsServer;
  readonly parameters: HttpApiServer;
  readonly bus: HttpApiServer;
}

/**
 * A function's surroundings as a deployment makes them, on this machine: table, queues, Parameter Store, and the
 * environment, in which its entry point is to be imported afterwards.
 */
export class Deployment {
  /** The table of the environment. */
  readonly store: ItemStore;
  /** The time of the queues, in milliseconds since the epoch. It stands still unless a test moves it. */
  clock: () => number = () => 0;
  readonly #servers: Servers;
  readonly #urls: ReadonlyMap<string, string>;
  readonly #written: string[] = [];

  private constructor(servers: Servers, urls: ReadonlyMap<string, string>) {
    this.#servers = servers;
    this.#urls = urls;
    this.store = createDynamoDbItemStore({ client: servers.dynamoDb.client, tableName: TABLE });
  }

  /**
   * @param kubeconfig what is stored as that of wds1
   * @param notifications what is stored as the document of notifications
   */
  static async start(
    functionName: string,
    kubeconfig = '',
    notifications = '',
  ): Promise<Deployment> {
    const dynamoDb = await startDynalite();
    await createTable(dynamoDb.client, TABLE);
    const sqs = await startSqsServer({ clock: () => deployment.clock() });
    const parameters = await startParameterStore(
      new Map([
        [PARAMETER, kubeconfig],
        [NOTIFICATIONS, notifications],
      ]),
    );
    const bus = await startHttpApiServer();
    const urls = await createQueues(sqs);
    const deployment = new Deployment({ dynamoDb, sqs, parameters, bus }, urls);
    await deployment.#setEnvironment(functionName);
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        deployment.#written.push(String(text));
        return true;
      });
    return deployment;
  }

  async close(): Promise<void> {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    const { dynamoDb, sqs, parameters, bus } = this.#servers;
    await Promise.all([dynamoDb.close(), sqs.close(), parameters.close(), bus.close()]);
  }

  async #setEnvironment(functionName: string): Promise<void> {
    const { dynamoDb, sqs, parameters, bus } = this.#servers;
    const values = new Map([
      ...this.#urls,
      ['Table', TABLE],
      ['Table.Arn', TABLE_ARN],
      ['SweepStaleRole.RoleId', SWEEPER],
      // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the framework's own placeholders.
      ['${sls:stage}', STAGE],
      ['${self:custom.settings.objectsPerWec}', '1000'],
      ['${self:custom.settings.countedWdses}', 'wds1'],
      ['${self:custom.settings.notified.document}', `ssm:${NOTIFICATIONS}`],
      ['${self:custom.settings.notified.bus}', EVENT_BUS],
      ['${self:custom.notifications.queueUrl}', this.#urls.get('NotificationsQueue') ?? ''],
      [
        '${self:custom.notifications.deadLetterQueueUrl}',
        this.#urls.get('NotificationsDeadLetterQueue') ?? '',
      ],
      ['${self:custom.wdses.environment}', JSON.stringify(PLACES)],
      ['${self:custom.wdses.fleetEnvironment}', '{}'],
      ['${self:custom.wdses.fleetMode}', 'compare'],
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the framework's own placeholders.
    ]);
    const lambda = {
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: FUNCTION,
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
      AWS_ENDPOINT_URL_SQS: sqs.url,
      AWS_ENDPOINT_URL_SSM: parameters.url,
      AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
    };
    // A profile of whoever runs the tests would come before these.
    for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN']) vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries(lambda)) vi.stubEnv(name, value);
    for (const [name, value] of await environmentOf(functionName, values)) vi.stubEnv(name, value);
    // A function reads its environment when it is loaded, and the tests of a worker share what was loaded.
    vi.resetModules();
  }

  /** The server that stands for EventBridge. */
  get bus(): HttpApiServer {
    return this.#servers.bus;
  }

  /** A queue as a sender sees it. */
  queue(name: QueueName, senderId = 'AROATEST:session'): MessageQueue {
    const client = createSqsClient(this.#servers.sqs.config(senderId));
    const queueUrl = this.#urls.get(name) ?? '';
    return createSqsMessageQueue({ client, queueUrl, fifo: queueUrl.endsWith('.fifo') });
  }

  /** All messages that are visible in a queue; it has them no more. */
  async take(name: QueueName): Promise<readonly ReceivedMessage[]> {
    const queue = this.queue(name);
    const taken: ReceivedMessage[] = [];
    for (;;) {
      const messages = await queue.receive({ max: 10, waitSeconds: 0 });
      if (messages.length === 0) return taken;
      taken.push(...messages);
      await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
    }
  }

  /** The bodies of {@link Deployment.take}, read. */
  async read<Message>(name: QueueName, parse: (body: string) => Message): Promise<Message[]> {
    return (await this.take(name)).map(({ body }) => parse(body));
  }

  /**
   * Invokes a function with what is in its queue, as Lambda does.
   *
   * @returns the bodies of the messages that it says it could not handle: they stay
   */
  async feed<Answer>(handler: Handler<Answer>, name: QueueName): Promise<readonly string[]> {
    const queue = this.queue(name);
    const messages = await queue.receive({ max: 10, waitSeconds: 0 });
    const answer = await handler(sqsEvent(name, messages), localContext(name, 'request'));
    // A function that a queue feeds gives this answer.
    const { batchItemFailures } = answer as SQSBatchResponse;
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const done = messages.filter(({ messageId }) => !failed.has(messageId));
    await queue.delete(done.map(({ receiptHandle }) => receiptHandle));
    return messages.filter(({ messageId }) => failed.has(messageId)).map(({ body }) => body);
  }

  /** Names of the queues on which the function did something, by what it did, each once. */
  asked(operation: string): readonly string[] {
    const { calls } = this.#servers.sqs;
    const own = calls.filter((call) => call.senderId === FUNCTION && call.operation === operation);
    const names = own.map(({ input }) => String(input['QueueUrl']).replace(/^.*\/|\.fifo$/g, ''));
    return [...new Set(names)].sort();
  }

  /** What the function has written for CloudWatch: log lines and metrics. */
  output(): readonly JsonObject[] {
    const lines = this.#written.join('').split('\n');
    // Powertools writes one JSON object a line.
    return lines
      .filter((line) => line.startsWith('{'))
      .map((line) => parseJson(line) as JsonObject);
  }
}
