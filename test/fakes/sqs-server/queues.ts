import { randomUUID } from 'node:crypto';
import type { MessageCounts } from '#shared/adapters/sqlite/message-table.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';
import { invalid, SqsRefusal } from './protocol.ts';

type Attributes = Readonly<Record<string, string>>;

/** A queue and what SQS knows of it. */
export interface ServedQueue {
  readonly name: string;
  readonly fifo: boolean;
  /** As the API has them; a change counts at once. */
  attributes: Attributes;
  tags: Attributes;
  readonly messages: MemoryMessageQueue;
}

/** All queues of the server. */
export interface Queues {
  /** As CreateQueue: a queue that is there already must have the attributes given. */
  create(name: string, attributes: Attributes): ServedQueue;
  /** @throws SqsRefusal where there is none. */
  byName(name: string): ServedQueue;
  byUrl(url: string | undefined): ServedQueue;
  /** As SetQueueAttributes. */
  change(queue: ServedQueue, attributes: Attributes): void;
  /** As GetQueueAttributes with `All`. */
  describe(queue: ServedQueue): Promise<Attributes>;
  names(): readonly string[];
  delete(queue: ServedQueue): void;
}

const ARN_PREFIX = 'arn:aws:sqs:us-east-1:000000000000:';
const STANDARD: Attributes = {
  VisibilityTimeout: '30',
  DelaySeconds: '0',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
};
const FIFO: Attributes = {
  ...STANDARD,
  FifoQueue: 'true',
  ContentBasedDeduplication: 'false',
  DeduplicationScope: 'queue',
  FifoThroughputLimit: 'perQueue',
};
const OPTIONAL = ['RedrivePolicy', 'RedriveAllowPolicy', 'KmsMasterKeyId', 'SqsManagedSseEnabled'];

interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number | string;
}

function redrivePolicy({ RedrivePolicy }: Attributes): RedrivePolicy | undefined {
  if (RedrivePolicy === undefined || RedrivePolicy === '') return undefined;
  return JSON.parse(RedrivePolicy) as RedrivePolicy; // Checked by `check` before it is kept.
}

function counted({ visible, inFlight, delayed }: MessageCounts): Attributes {
  return {
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
}

/** Queues in memory, under the clock given (milliseconds since the epoch). */
export function createQueues(clock: () => number): Queues {
  const queues = new Map<string, ServedQueue>();

  const byName = (name: string): ServedQueue => {
    const queue = queues.get(name);
    if (queue === undefined)
      throw new SqsRefusal('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  };

  const targetOf = ({ deadLetterTargetArn }: RedrivePolicy): ServedQueue | undefined =>
    queues.get(deadLetterTargetArn.slice(ARN_PREFIX.length));

  const checkPolicy = (fifo: boolean, policy: RedrivePolicy): void => {
    const target = targetOf(policy);
    if (target === undefined) throw invalid('Dead letter target does not exist.');
    if (target.fifo !== fifo) throw invalid('Dead-letter queue must be same type as the source.');
    if (!(Number(policy.maxReceiveCount) >= 1))
      throw invalid('maxReceiveCount must be at least 1.');
  };

  const check = (fifo: boolean, attributes: Attributes): void => {
    const known = [...Object.keys(fifo ? FIFO : STANDARD), ...OPTIONAL];
    const unknown = Object.keys(attributes).find((attribute) => !known.includes(attribute));
    if (unknown !== undefined)
      throw new SqsRefusal('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
    const policy = redrivePolicy(attributes);
    if (policy !== undefined) checkPolicy(fifo, policy);
  };

  const makeQueue = (name: string, fifo: boolean, initial: Attributes): ServedQueue => {
    const messages = createMemoryMessageQueue({
      fifo,
      clock,
      createMessageId: randomUUID,
      get visibilityTimeoutSeconds() {
        return Number(queue.attributes['VisibilityTimeout']);
      },
      get maxReceiveCount() {
        return Number(redrivePolicy(queue.attributes)?.maxReceiveCount);
      },
      get deadLetterQueue() {
        const policy = redrivePolicy(queue.attributes);
        return policy && targetOf(policy)?.messages;
      },
      get deduplicationScope() {
        return queue.attributes['DeduplicationScope'] === 'messageGroup' ? 'messageGroup' : 'queue';
      },
    });
    const queue: ServedQueue = { name, fifo, attributes: initial, tags: {}, messages };
    return queue;
  };

  return {
    create: (name, attributes) => {
      const fifo = attributes['FifoQueue'] === 'true';
      if (!/^[\w-]{1,75}(\.fifo)?$/.test(name) || name.endsWith('.fifo') !== fifo)
        throw invalid('A FIFO queue has a name that ends in .fifo, and no other queue.');
      const existing = queues.get(name);
      const isSame = ([key, value]: readonly [string, string]) =>
        existing?.attributes[key] === value;
      if (existing !== undefined && Object.entries(attributes).every(isSame)) return existing;
      if (existing !== undefined)
        throw new SqsRefusal('QueueNameExists', 'A queue exists with other attributes.');
      check(fifo, attributes);
      const queue = makeQueue(name, fifo, { ...(fifo ? FIFO : STANDARD), ...attributes });
      queues.set(name, queue);
      return queue;
    },
    byName,
    // As in SQS the path counts.
    byUrl: (url = '') => byName(url.split('/').at(-1) ?? ''),
    change: (queue, attributes) => {
      check(queue.fifo, attributes);
      queue.attributes = { ...queue.attributes, ...attributes };
    },
    describe: async ({ name, attributes, messages }) => ({
      ...attributes,
      QueueArn: `${ARN_PREFIX}${name}`,
      ...counted(await messages.counts()),
    }),
    names: () => [...queues.keys()],
    delete: (queue) => {
      queues.delete(queue.name);
    },
  };
}
