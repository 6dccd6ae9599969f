import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import * as z from 'zod/mini';

/** A function as it is deployed: its memory, and how Lambda feeds it from its queue. */
export interface DeployedFunction {
  readonly memoryMb: number;
  /** Messages in an invocation. */
  readonly batchSize: number;
  /** How long messages gather for one; 0 for a FIFO queue, which has no window. */
  readonly windowMs: number;
  /** Invocations at a time. */
  readonly concurrency: number;
}

/** Names of the functions that a queue feeds. */
export type QueueFunction = 'record-events' | 'aggregate-workload' | 'write-results';

const FILE = new URL('../../../infra/functions.yml', import.meta.url);

const queueEvent = z.object({
  sqs: z.object({
    batchSize: z.number(),
    maximumBatchingWindow: z._default(z.number(), 0),
    maximumConcurrency: z.number(),
  }),
});
const fed = z.object({ memorySize: z.number(), events: z.tuple([queueEvent]) });
const deployed = z.object({
  'record-events': fed,
  'aggregate-workload': fed,
  'write-results': fed,
  'sweep-stale': z.object({ memorySize: z.number() }),
});

function toFunction({ memorySize, events: [{ sqs }] }: z.infer<typeof fed>): DeployedFunction {
  return {
    memoryMb: memorySize,
    batchSize: sqs.batchSize,
    windowMs: sqs.maximumBatchingWindow * 1000,
    concurrency: sqs.maximumConcurrency,
  };
}

/** All functions as they are deployed. */
export interface Deployment {
  readonly functions: Readonly<Record<QueueFunction, DeployedFunction>>;
  readonly sweepMemoryMb: number;
}

/** What deviates from what is deployed. */
export type Variant = Partial<Record<QueueFunction, Partial<DeployedFunction>>>;

/**
 * What a text as in infra/functions.yml says of the functions.
 *
 * @throws when a function, its memory, or the size and concurrency of its batches are missing
 */
export function parseDeployment(text: string): Deployment {
  // Tags such as !Ref are CloudFormation's; the values below them are not looked at.
  const document = parseDocument(text, { logLevel: 'silent' });
  const file = deployed.parse(document.toJS());
  return {
    functions: {
      'record-events': toFunction(file['record-events']),
      'aggregate-workload': toFunction(file['aggregate-workload']),
      'write-results': toFunction(file['write-results']),
    },
    sweepMemoryMb: file['sweep-stale'].memorySize,
  };
}

/** What infra/functions.yml says, so that the model follows what is deployed. */
export function readDeployment(): Deployment {
  return parseDeployment(readFileSync(FILE, 'utf8'));
}

/** A deployment with what a variant says instead. */
export function varied(deployment: Deployment, variant: Variant): Deployment {
  const of = (name: QueueFunction): DeployedFunction => ({
    ...deployment.functions[name],
    ...variant[name],
  });
  return {
    ...deployment,
    functions: {
      'record-events': of('record-events'),
      'aggregate-workload': of('aggregate-workload'),
      'write-results': of('write-results'),
    },
  };
}

/** What nothing deployed says: how long calls take, and how Lambda polls. */
export const MODEL = {
  /** Of each invocation, before and after the handler's own calls. */
  overheadMs: 5,
  dynamoCallMs: 5,
  /** Conditional puts and deletes of one port call that are under way at a time. */
  parallelWrites: 25,
  queueCallMs: 10,
  wdsCallMs: 30,
  /**
   * Milliseconds of a whole vCPU for each KiB that passes between handler, store and queues, an estimate: the goal of the
   * fold (docs/architecture.md, section 10), 10 ms, for the some 200 KiB that an event reads of a workload on 10,000
   * WECs. A function has its memory's share of a vCPU.
   */
  cpuMsPerKib: 0.05,
  vcpuMemoryMb: 1769,
  /** Lambda begins with so many pollers for a queue, and keeps them where a maximum concurrency is set. */
  pollers: 5,
  longPollMs: 20_000,
  /** START, END and REPORT lines, which Lambda writes for each invocation. */
  platformLogBytes: 500,
  /** What CloudWatch Logs adds to each line (CloudWatch pricing: 26 bytes). */
  logLineBytes: 26,
} as const;
