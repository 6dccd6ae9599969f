import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { type SqsServer, startSqsServer } from '#test/fakes/sqs-server/server.ts';
import { Loser, type Losses } from './losses.ts';
import { eachQueue, type Queues, type SimulatedQueue, VISIBILITY_SECONDS } from './queues.ts';
import type { Scheduler } from './scheduler.ts';

/** An SQS in this process, for worlds that play one after the other. */
export interface SimulatedSqs {
  /** The adapter on new queues, which have the world's clock. */
  createQueues(world: SqsWorld): Queues;
  readonly loser: Loser;
  close(): Promise<void>;
}

/** What the queues of one world need to know. */
interface SqsWorld {
  readonly scheduler: Scheduler;
  /** Of the names of its queues. */
  readonly prefix: string;
  readonly maxReceives: number;
  readonly losses: Losses;
}

interface MadeQueue extends SimulatedQueue {
  readonly url: Promise<string>;
}

/** As `infra/` deploys FIFO queues. */
const FIFO_ATTRIBUTES = {
  FifoQueue: 'true',
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
};
/** Who makes the queues, and sends where nobody asks who it was. */
const FUNCTIONS = 'functions';

/** The clients of one world. */
interface Clients {
  /** The client of a sender: the access key stands for who it is. */
  clientOf(senderId: string): SQSClient;
  destroy(): void;
}

function createClients(server: SqsServer): Clients {
  const clients = new Map<string, SQSClient>();
  return {
    clientOf: (senderId) => {
      const client = clients.get(senderId) ?? createSqsClient(server.config(senderId));
      clients.set(senderId, client);
      return client;
    },
    destroy: () => {
      for (const client of clients.values()) client.destroy();
    },
  };
}

/** Creates a queue, with a redrive policy if it has a dead-letter queue; its URL. */
async function createQueue(
  client: SQSClient,
  queue: { readonly name: string; readonly fifo: boolean; readonly maxReceives: number },
  deadLetterUrl: string | undefined,
): Promise<string> {
  const attributes: Record<string, string> = {
    VisibilityTimeout: String(VISIBILITY_SECONDS),
    ...(queue.fifo ? FIFO_ATTRIBUTES : {}),
  };
  if (deadLetterUrl !== undefined) {
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
    );
    attributes['RedrivePolicy'] = JSON.stringify({
      deadLetterTargetArn: Attributes['QueueArn'],
      maxReceiveCount: queue.maxReceives,
    });
  }
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({ QueueName: queue.name, Attributes: attributes }),
  );
  return QueueUrl;
}

/** What the queues of a world have in common. */
interface Making extends SqsWorld {
  readonly server: SqsServer;
  readonly clients: Clients;
  readonly loser: Loser;
}

/** The adapter on a queue, for each sender. */
function makeQueue(making: Making, name: string, url: Promise<string>): MadeQueue {
  const { scheduler, losses, server, clients, loser } = making;
  const fifo = name.endsWith('.fifo');
  const sentBy = (senderId: string): MessageQueue => {
    const made = url.then((queueUrl) =>
      createSqsMessageQueue({ client: clients.clientOf(senderId), queueUrl, fifo }),
    );
    const outside = <T>(call: (queue: MessageQueue) => Promise<T>): Promise<T> =>
      scheduler.outside(() => made.then(call));
    return {
      send: (messages) => {
        const isLost = loser.chooses(fifo ? losses.fifo : losses.standard);
        return outside((queue) => {
          if (isLost) loser.loseNext();
          return queue.send(messages);
        });
      },
      receive: (options) => outside((queue) => queue.receive(options)),
      delete: (handles) => outside((queue) => queue.delete(handles)),
      changeVisibility: (handles, seconds) =>
        outside((queue) => queue.changeVisibility(handles, seconds)),
    };
  };
  const counts = (): ReturnType<SqsServer['counts']> =>
    scheduler.outside(() => server.counts(name));
  return { ...sentBy(FUNCTIONS), sentBy, counts, url };
}

function makeQueues(making: Making): Queues {
  const { scheduler, prefix, maxReceives, clients } = making;
  const client = clients.clientOf(FUNCTIONS);
  return eachQueue<MadeQueue>((suffix, fifo, deadLetters) => {
    const name = `${prefix}-${suffix}${fifo ? '.fifo' : ''}`;
    const url = scheduler.outside(async () =>
      createQueue(client, { name, fifo, maxReceives }, await deadLetters?.url),
    );
    return makeQueue(making, name, url);
  });
}

/** Starts the test server. */
export async function startSqs(): Promise<SimulatedSqs> {
  let clock = (): number => 0;
  const server = await startSqsServer({ clock: () => clock() });
  const loser = new Loser();
  server.fault = ({ operation }) =>
    operation === 'SendMessageBatch' && loser.takes() ? { type: 'lost-answer' } : undefined;
  let clients = createClients(server);
  return {
    createQueues: (world) => {
      clock = () => world.scheduler.now;
      loser.restart(world.losses.seed);
      server.calls.length = 0;
      // A client has a quota of retries: each world gets all of it.
      clients.destroy();
      clients = createClients(server);
      return makeQueues({ ...world, server, clients, loser });
    },
    loser,
    close: async () => {
      clients.destroy();
      await server.close();
    },
  };
}
