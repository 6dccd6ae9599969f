import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import * as z from 'zod/mini';
import type { QueueName } from '#test/bench/cost/cloud.ts';
import type { QueueFunction } from '#test/bench/cost/deployment.ts';

/** What is deployed of a queue, and the time limit of the function that it feeds. */
export interface DeployedQueue {
  readonly fifo: boolean;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
}

const queue = z.object({
  Properties: z.object({
    FifoQueue: z._default(z.boolean(), false),
    VisibilityTimeout: z.number(),
    RedrivePolicy: z.object({ maxReceiveCount: z.number() }),
  }),
});
const queuesFile = z.object({
  Resources: z.object({ EventsQueue: queue, DirtyQueue: queue, HintsQueue: queue }),
});
const timed = z.object({ timeout: z.number() });
const functionsFile = z.object({
  'record-events': timed,
  'aggregate-workload': timed,
  'write-results': timed,
});

function read(name: string): unknown {
  const file = new URL(`../../../infra/${name}`, import.meta.url);
  // Tags such as !Ref are CloudFormation's; the values below them are not looked at.
  return parseDocument(readFileSync(file, 'utf8'), { logLevel: 'silent' }).toJS();
}

function toQueue({ Properties: all }: z.infer<typeof queue>): DeployedQueue {
  return {
    fifo: all.FifoQueue,
    visibilityMs: all.VisibilityTimeout * 1_000,
    maxReceiveCount: all.RedrivePolicy.maxReceiveCount,
  };
}

/** The queues of infra/queues.yml. */
export function readQueues(): Readonly<Record<QueueName, DeployedQueue>> {
  const { EventsQueue, DirtyQueue, HintsQueue } = queuesFile.parse(read('queues.yml')).Resources;
  return { events: toQueue(EventsQueue), dirty: toQueue(DirtyQueue), hints: toQueue(HintsQueue) };
}

/** The time limits of infra/functions.yml, in milliseconds. */
export function readTimeouts(): Readonly<Record<QueueFunction, number>> {
  const file = functionsFile.parse(read('functions.yml'));
  return {
    'record-events': file['record-events'].timeout * 1_000,
    'aggregate-workload': file['aggregate-workload'].timeout * 1_000,
    'write-results': file['write-results'].timeout * 1_000,
  };
}
