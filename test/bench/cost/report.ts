import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { rounded } from '#test/bench/figure.ts';
import { type DeployedFunction, MODEL, readDeployment } from './deployment.ts';
import { ALL_USAGES, type Bill, USAGES } from './meter.ts';
import { MONTH_HOURS, PRICES } from './prices.ts';
import type { Outcome, ReadsPerEvent } from './scenarios.ts';

const MILLION = 1_000_000;
const GIB = 1024 ** 3;
const TOP_LINES = 12;
/** Dead-letter queues that the hourly sweep looks into, and its invocations. */
const DEAD_LETTER_QUEUES = 3;

/** A text as columns: the first flush left, the others flush right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return rows.map((row) => `  ${line(row).trimEnd()}\n`).join('');
}

function usd(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 1 ? 2 : 4);
}

/** USD for a million changes. */
export function perMillion({ bill, changes }: Outcome): number {
  return (bill.usd() / changes) * MILLION;
}

/** What a scenario used and what it cost, by service; then what it was used for. */
export function outcomeText(title: string, outcome: Outcome): string {
  const { bill, changes } = outcome;
  const million = (amount: number): string =>
    changes === 0 ? '' : usd((amount / changes) * MILLION);
  const rows = USAGES.map((usage) => [
    usage,
    rounded(bill.amount(usage)),
    changes === 0 ? '' : rounded(bill.amount(usage) / changes),
    usd(bill.usd(usage)),
    million(bill.usd(usage)),
  ]);
  const head =
    changes === 0
      ? ['', 'in a month', '', 'USD', '']
      : ['', 'counted', 'a change', 'USD', 'USD per million'];
  const total = ['total', '', '', usd(bill.usd()), million(bill.usd())];
  const rest = changes === 0 ? '' : `  at rest after ${rounded(outcome.seconds)} s\n`;
  return `\n${title}\n${table([head, ...rows, total])}${rest}${topText(bill, changes)}`;
}

/** What one answer of the API costs. */
export function readText(title: string, { bill }: Outcome): string {
  const rows = ALL_USAGES.filter((usage) => bill.amount(usage) > 0).map((usage) => [
    usage,
    rounded(bill.amount(usage)),
    usd(bill.usd(usage) * MILLION),
  ]);
  const total = ['total', '', usd(bill.usd() * MILLION)];
  return `\n${title}\n${table([['', 'an answer', 'USD per million'], ...rows, total])}`;
}

function topText(bill: Bill, changes: number): string {
  const lines = bill.lines.toSorted((a, b) => b.usd - a.usd).slice(0, TOP_LINES);
  const share = (value: number): string => `${((100 * value) / bill.usd()).toFixed(1)} %`;
  const rows = lines.map((line) => [
    `${line.usage}: ${line.detail}`,
    changes === 0 ? rounded(line.amount) : `${rounded(line.amount / changes)} a change`,
    changes === 0
      ? `${usd(line.usd)} USD`
      : `${usd((line.usd / changes) * MILLION)} USD per million`,
    share(line.usd),
  ]);
  return `  what costs most\n${table(rows)}`;
}

/** How reads grow with the number of WECs. */
export function readsText(
  reads: readonly ReadsPerEvent[],
  exponents: { readonly items: number; readonly units: number },
): string {
  const head = ['WECs', 'rows and parts read', 'sqrt(N)', 'read units', 'USD per million events'];
  const rows = reads.map(({ wecs, items, units, usdPerMillion }) => [
    rounded(wecs),
    rounded(items),
    rounded(Math.sqrt(wecs)),
    rounded(units),
    usd(usdPerMillion),
  ]);
  const grows = `of those that are not read whole, rows and parts grow as N^${exponents.items.toFixed(2)}, read units as N^${exponents.units.toFixed(2)}`;
  return `\nReads of one event that comes alone, for growing workloads (3 collectors, multi-WEC status; no polling)\n${table([head, ...rows])}  ${grows}\n`;
}

function alarms(): number {
  const text = readFileSync(new URL('../../../infra/alarms.yml', import.meta.url), 'utf8');
  return text.split('AWS::CloudWatch::Alarm').length - 1;
}

/** What a month costs that does not follow from any call of the functions. */
function standing(outcome: Outcome): readonly (readonly [what: string, usd: number])[] {
  const gb = outcome.storedBytes / GIB;
  const deadLetters = (MONTH_HOURS * DEAD_LETTER_QUEUES * PRICES.sqsFifoPerMillion) / MILLION;
  return [
    [`${alarms()} alarms (infra/alarms.yml)`, alarms() * PRICES.alarmMonth],
    [`custom metrics in this scenario: ${outcome.metrics}`, outcome.metrics * PRICES.metricMonth],
    ['1 dashboard', PRICES.dashboardMonth],
    ['1 key, for the topic of alarms', PRICES.keyMonth],
    ['1 secret (a kubeconfig in Secrets Manager; none in SSM)', PRICES.secretMonth],
    [
      `table of ${rounded(outcome.storedBytes / 1024)} KiB, with recovery`,
      gb * (PRICES.tableGbMonth + PRICES.recoveryGbMonth),
    ],
    ['hourly look into the dead-letter queues', deadLetters],
  ];
}

/** What a month of polling three queues costs in which nothing ever comes. */
function emptyPolling(): number {
  const polls = (MONTH_HOURS * 3600 * 1000 * MODEL.pollers) / MODEL.longPollMs;
  return (polls * (PRICES.sqsStandardPerMillion + 2 * PRICES.sqsFifoPerMillion)) / MILLION;
}

/** What an idle month costs: what is used, and what stands there. */
export function idleText(title: string, outcome: Outcome): string {
  const fixed = standing(outcome);
  const sum = fixed.reduce((total, [, price]) => total + price, 0);
  const rows = [
    ...fixed.map(([what, price]) => [what, `${usd(price)} USD`]),
    ['(counted above: polling three queues that stay empty)', `${usd(emptyPolling())} USD`],
  ];
  const all = outcome.bill.usd() + sum;
  return `${outcomeText(title, outcome)}  what stands there: ${usd(sum)} USD\n${table(rows)}  a month: ${usd(all)} USD\n`;
}

/** What a month of counting costs: what is used, and the series that are published. */
export function countText(title: string, outcome: Outcome, series: number): string {
  const metrics = series * PRICES.metricMonth;
  const all = outcome.bill.usd() + metrics;
  return `${outcomeText(title, outcome)}  ${series} series: ${usd(metrics)} USD\n  a month: ${usd(all)} USD\n`;
}

/** One line for each interval of heartbeats. */
export function heartbeatText(
  outcomes: readonly { readonly title: string; readonly outcome: Outcome }[],
): string {
  const rows = outcomes.map(({ title, outcome: { bill } }) => [
    title,
    usd(bill.usd('SQS standard requests') + bill.usd('SQS FIFO requests')),
    usd(bill.usd('DynamoDB write units')),
    usd(bill.usd('DynamoDB read units')),
    usd(bill.usd('Lambda invocations') + bill.usd('Lambda GB-s')),
    usd(bill.usd('CloudWatch log GB')),
    usd(bill.usd()),
  ]);
  const head = ['', 'SQS', 'writes', 'reads', 'Lambda', 'logs', 'total'];
  return `\nAn idle month by the interval of heartbeats, USD (without what stands there)\n${table([head, ...rows])}`;
}

/**
 * What a rollout costs with other numbers for record-events: one line for each variant.
 *
 * @param played how much of the rollout each was played for
 */
export function variantsText(
  variants: readonly { readonly deployed: DeployedFunction; readonly outcome: Outcome }[],
  delivered: DeployedFunction,
  played: string,
): string {
  const head = [
    'batchSize',
    'maximumBatchingWindow',
    'maximumConcurrency',
    'USD per million',
    'at rest after',
    '',
  ];
  const rows = variants.map(({ deployed, outcome }) => [
    rounded(deployed.batchSize),
    `${deployed.windowMs / 1000} s`,
    String(deployed.concurrency),
    usd(perMillion(outcome)),
    `${rounded(outcome.seconds)} s`,
    isDeepStrictEqual(deployed, delivered) ? 'as delivered' : '',
  ]);
  return `\nThe rollout with other numbers for record-events, ${played}\n${table([head, ...rows])}`;
}

/** What the figures rest on. */
export function assumptionsText(): string {
  const { functions, sweepMemoryMb } = readDeployment();
  const lines = [
    `List prices of ${PRICES.region}, ${PRICES.date}, without free tier (test/bench/cost/prices.ts says which were confirmed where).`,
    'The real functions, outboxes and batchers run under virtual time; every call of store and queue is counted as AWS bills it.',
    ...Object.entries(functions).map(
      ([name, { memoryMb, batchSize, windowMs, concurrency }]) =>
        `${name}: ${memoryMb} MB, ${batchSize} messages or ${windowMs / 1000} s, at most ${concurrency} at a time (infra/functions.yml).`,
    ),
    `sweep-stale: ${sweepMemoryMb} MB, each minute.`,
    `Lambda polls each queue with ${MODEL.pollers} pollers, each long-polling ${MODEL.longPollMs / 1000} s and gathering a batch by itself; more while full batches leave messages behind. How they gather is not documented; here the last receive of a window comes back empty and is billed.`,
    `Duration of an invocation: ${MODEL.overheadMs} ms, and its calls one after the other as the code awaits them: DynamoDB ${MODEL.dynamoCallMs} ms (${MODEL.parallelWrites} conditional writes of one call at a time), SQS ${MODEL.queueCallMs} ms, WDS ${MODEL.wdsCallMs} ms.`,
    `Computing: ${MODEL.cpuMsPerKib} ms of a whole vCPU (${MODEL.vcpuMemoryMb} MB) for each KiB read or written, billed on top of the waiting. No cold starts.`,
    `Logs: what the functions write at level INFO and ${MODEL.platformLogBytes} bytes of the platform for each invocation.`,
    'Forwarders send after 200 ms or 64 KiB. Each change is another status of a Deployment as recorded from a real API server.',
    'One Binding, three collectors (histogram, list of the WECs that lag, total) and multi-WEC status for each workload.',
    `Not counted: data transfer from a WDS or to it outside of the region, KMS requests, reads of the secret (${PRICES.secretCallsPer10Thousand} USD for 10,000), schedules (free on the default bus), support, the clusters themselves.`,
  ];
  return `\nAssumptions\n${lines.map((line) => `  - ${line}\n`).join('')}`;
}
