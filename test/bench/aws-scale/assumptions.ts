import { MODEL } from '#test/bench/cost/deployment.ts';
import { PRICES } from '#test/bench/cost/prices.ts';

/** Median and 99th percentile of a call, milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** What AWS publishes, and what is assumed where it publishes nothing. {@link ASSUMPTIONS} names the sources. */
export const AWS = {
  partitionReadUnits: 3_000,
  partitionWriteUnits: 1_000,
  tableUnits: 40_000,
  newTable: { reads: 12_000, writes: 4_000 },
  splitAfterMs: 10 * 60_000,
  inFlight: { standard: 120_000, fifo: 120_000 },
  fifoWindow: 120_000,
  deduplicationMs: 5 * 60_000,
  pollers: 5,
  pollersPerMinute: 300,
  coldStartMs: 600,
  wholeCpuMb: 1_769,
  dynamoDb: { p50: 4, p99: 20 },
  sqs: { p50: 12, p99: 60 },
  wds: { p50: 30, p99: 120 },
} as const;

/** What is simulated, and where each rule or number comes from. */
export const ASSUMPTIONS: readonly (readonly [rule: string, source: string])[] = [
  [
    'batch sizes, windows, maximum concurrency, memory and time limit of the functions; visibility timeout',
    'infra/functions.yml, infra/queues.yml',
  ],
  [
    `a partition serves ${AWS.partitionReadUnits} read units and ${AWS.partitionWriteUnits} write units a second; what exceeds them is throttled. It may not save up more than one second`,
    'DynamoDB Developer Guide, "Best practices for designing and using partition keys effectively"; one second: assumed',
  ],
  [
    `a new table has a warm throughput of ${AWS.newTable.reads} read and ${AWS.newTable.writes} write units a second, unless --warm-reads and --warm-writes name more; items are on as many partitions as that needs, by a hash of the partition key`,
    'DynamoDB Developer Guide, "Understanding DynamoDB warm throughput", on-demand table; its partitions by division',
  ],
  [
    `a table serves at most ${AWS.tableUnits} read and ${AWS.tableUnits} write units a second, however many partitions it has`,
    'DynamoDB Developer Guide, "Quotas in Amazon DynamoDB", throughput default quotas: a table with on-demand capacity; an account can ask for more',
  ],
  [
    `a partition that was throttled for ${AWS.splitAfterMs / 60_000} minutes is split, also within one partition key`,
    'AWS Database Blog, "Scaling DynamoDB: How partitions, hot keys, and split for heat impact performance"; the time is not published: assumed',
  ],
  [
    'a throttled request is repeated up to 4 times, after up to 0.5, 1, 2, 4 s, while the client has retry tokens (500; a retry takes 5)',
    'AWS SDKs and Tools Reference Guide, "Retry behavior", standard mode; constants of @smithy/core',
  ],
  [
    'a read of several keys repeats those that were throttled, up to 8 times; 16 requests of a call are under way at a time',
    'shared/adapters/dynamodb (batch.ts, item-store.ts)',
  ],
  [
    `120,000 messages in flight in a queue; a full queue delivers nothing`,
    'SQS Developer Guide, "Amazon SQS message quotas" and "Amazon SQS FIFO queue quotas" (20,000 until 2024)',
  ],
  [
    'FIFO: a group with messages in flight is locked; groups are looked for in the first 120,000 messages; a receive takes as many of one group as it can',
    'SQS Developer Guide, "Avoid large message backlogs with the same message group ID", "FIFO queue delivery logic"',
  ],
  [
    'not simulated: fair queues (standard queues deliver in the order of sending), throughput quotas of SQS, duplicates, lost answers',
    'simplification',
  ],
  [
    `Lambda begins with ${AWS.pollers} batches at a time and adds ${AWS.pollersPerMinute} a minute while messages wait, up to the maximum concurrency; a poller receives 10 messages at a time`,
    'Lambda Developer Guide, "Configuring scaling behavior for SQS event source mappings"; how a poller gathers is not published: assumed',
  ],
  [
    `a cold start takes ${AWS.coldStartMs} ms; an environment is never removed during a run`,
    'assumed: no source',
  ],
  [
    `processor time: ${MODEL.cpuMsPerKib} ms of a whole vCPU for each KiB that passes between handler, store and queues; a function has memory / ${AWS.wholeCpuMb} MB of one`,
    'test/bench/cost/deployment.ts (estimate); Lambda Developer Guide, "Configure Lambda function memory"',
  ],
  [
    `a call of DynamoDB takes ${AWS.dynamoDb.p50} ms, of SQS ${AWS.sqs.p50} ms, of a WDS ${AWS.wds.p50} ms (p99: ${AWS.dynamoDb.p99}, ${AWS.sqs.p99}, ${AWS.wds.p99} ms), log-normal`,
    'DynamoDB Developer Guide, "What is Amazon DynamoDB?" (single-digit milliseconds); Amazon SQS FAQs (tens or low hundreds of milliseconds); numbers: assumed',
  ],
  [
    'a WDS takes any number of calls, unless the section says how many writes a second; then calls wait for their turn',
    'assumed: no source',
  ],
  [
    'forwarders: the real send buffer and batcher, 200 ms of gathering, a heartbeat every 120 s; without their watches',
    'functions/event-forwarder',
  ],
  ['sweep-stale, notifications and the API do not run', 'simplification'],
  [
    `prices of ${PRICES.date}, ${PRICES.region}, no free tier; without storage, metrics and alarms`,
    'test/bench/cost/prices.ts',
  ],
];

/** The assumptions as a text: a line for each, with its source. */
export function assumptionsText(): string {
  const lines = ASSUMPTIONS.map(([rule, source]) => `  - ${rule}\n      ${source}\n`);
  return `\nSimulated: nothing here was measured on AWS. Assumptions, each with its source:\n${lines.join('')}`;
}
