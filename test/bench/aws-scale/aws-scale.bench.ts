import { QUEUES, type QueueName } from '#test/bench/cost/cloud.ts';
import { FEEDS } from '#test/bench/cost/functions.ts';
import { type Figure, figuresText, quantile, rounded } from '#test/bench/figure.ts';
import { AWS, assumptionsText } from './assumptions.ts';
import { SCENARIOS, type Scenario, type ScenarioId, scenariosOf } from './scenarios.ts';
import type { WarmThroughput } from './throughput.ts';
import { withVirtualTimers } from './virtual-timers.ts';
import { type Played, type ScaleOptions, type ScaleSize, ScaleWorld } from './world.ts';

const FULL: ScaleSize = { workloads: 100, wecs: 10_000 };
const PART: ScaleSize = { workloads: 100, wecs: 1_000 };
const MILLION = 1_000_000;

function throttledText({ throttled, splits, failedCalls }: Played): string {
  const kinds = [...throttled].map(([kind, count]) => `${kind}# ${rounded(count)}`);
  const text = kinds.length === 0 ? 'none' : kinds.join(', ');
  return `${text}; ${failedCalls} calls failed after their retries, ${splits} splits`;
}

function queueText({ queues, functions }: Played, name: QueueName): string {
  const { inFlight, blocked, dead } = queues[name];
  const { invocations, coldStarts, failedMessages, late, most } = functions[name];
  return [
    `at most ${rounded(inFlight)} in flight`,
    `${rounded(invocations)} invocations of ${FEEDS[name]}, at most ${most} at a time, ${coldStarts} cold`,
    `${failedMessages} messages failed, ${late} invocations too long, ${dead} dead letters`,
    `receives that a limit left empty: ${blocked.inFlight + blocked.window}`,
  ].join('; ');
}

function tableText({ reads, writes }: WarmThroughput): string {
  if (reads === AWS.newTable.reads && writes === AWS.newTable.writes) return '';
  return `; table warmed for ${rounded(reads)} reads and ${rounded(writes)} writes a second`;
}

function figuresOf(
  { name, load }: Scenario,
  played: Played,
  { wecs, workloads, warmThroughput }: ScaleOptions,
): readonly Figure[] {
  const table = tableText(warmThroughput);
  const section = `AWS, simulated: ${name} (${rounded(wecs)} WECs, ${rounded(workloads * wecs)} rows, 3 collectors and multi-WEC status; ${load}${table})`;
  const { latencies, changes, seconds, bill, wdsWrites, open, isAtRest } = played;
  const throttled = [...played.throttled.values()].reduce((sum, count) => sum + count, 0);
  const figure = (what: string, value: number, unit: string) => ({ section, what, value, unit });
  const perMillion = (bill.usd() / changes) * MILLION;
  return [
    figure('p50 from a change to the WDS', quantile(latencies, 0.5) / 1_000, 's'),
    figure('p99 from a change to the WDS', quantile(latencies, 0.99) / 1_000, 's'),
    {
      ...figure('changes that the WDS does not show at the end', open, ''),
      goal: { type: 'at most', value: 0 },
      beside: `of ${rounded(changes)}`,
    },
    {
      ...figure('until nothing is left to do', seconds, 's'),
      beside: `${isAtRest ? 'at rest' : 'NOT at rest'}; ${rounded(wdsWrites)} writes to the WDS`,
    },
    ...QUEUES.map((queue) => ({
      ...figure(`highest backlog of ${queue}`, played.queues[queue].backlog, 'messages'),
      beside: queueText(played, queue),
    })),
    {
      ...figure('throttled requests of the table', throttled, ''),
      beside: throttledText(played),
    },
    {
      ...figure('cost', bill.usd(), 'USD'),
      beside: `${rounded(perMillion)} USD for a million changes`,
    },
  ];
}

function isScenario(id: string): id is ScenarioId {
  return SCENARIOS.some((one) => one === id);
}

/** What to simulate. */
export interface AwsScaleOptions {
  /** 10,000 WECs. */
  readonly full: boolean;
  /** How many WECs. Default: 1,000. */
  readonly wecs?: string | undefined;
  /** The scenarios to play. Default: all. */
  readonly scenario?: readonly string[] | undefined;
  /** The warm throughput of the table, units a second. Default: of a new table. */
  readonly 'warm-reads'?: string | undefined;
  readonly 'warm-writes'?: string | undefined;
}

/** The number that an option gives. @throws RangeError if it is not a whole number of this range */
function numberOf(
  options: AwsScaleOptions,
  option: 'wecs' | 'warm-reads' | 'warm-writes',
  range: { readonly least: number; readonly most: number; readonly otherwise: number },
): number {
  const { least, most, otherwise } = range;
  const given = options[option];
  const number = Number(given ?? otherwise);
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  throw new RangeError(`--${option} ${given}: write a whole number from ${least} to ${most}`);
}

function warmThroughputOf(options: AwsScaleOptions): WarmThroughput {
  const { reads, writes } = AWS.newTable;
  const range = (least: number) => ({ least, most: AWS.tableUnits, otherwise: least });
  return {
    reads: numberOf(options, 'warm-reads', range(reads)),
    writes: numberOf(options, 'warm-writes', range(writes)),
  };
}

function sizeOf(options: AwsScaleOptions): ScaleSize {
  if (options.full && options.wecs !== undefined)
    throw new RangeError('--full and --wecs: leave out one of them, --full is 10,000 WECs');
  // With fewer, no WEC is in the region of a storm.
  const range = { least: 5, most: 100_000, otherwise: PART.wecs };
  return options.full ? FULL : { ...PART, wecs: numberOf(options, 'wecs', range) };
}

/**
 * The functions on simulated AWS, in virtual time: latency, backlog, throttling and cost of four loads. The figures depend on the
 * code and the assumptions that are printed, and not on the machine.
 *
 * @throws RangeError if there is no such scenario, or if a number is out of range
 */
export async function benchAwsScale(options: AwsScaleOptions): Promise<readonly Figure[]> {
  const { full, scenario: ids = SCENARIOS } = options;
  const unknown = ids.find((id) => !isScenario(id));
  if (unknown !== undefined)
    throw new RangeError(`no scenario ${unknown}: there are ${SCENARIOS.join(', ')}`);
  const own = sizeOf(options);
  const warmThroughput = warmThroughputOf(options);
  process.stdout.write(assumptionsText());
  const part = full ? 'the full size' : 'NOT the full size';
  process.stdout.write(
    `\nSimulated with ${rounded(own.wecs)} WECs x ${rounded(own.workloads)} workload objects, ${part} (${rounded(FULL.wecs)} x ${rounded(FULL.workloads)}, --full). The table is warmed for ${rounded(warmThroughput.reads)} reads and ${rounded(warmThroughput.writes)} writes a second. Nothing is extrapolated.\n`,
  );
  const simulated = { ...own, warmThroughput };
  const world = new ScaleWorld(simulated);
  try {
    return await withVirtualTimers(world.clock, async () => {
      process.stderr.write('filling the table\n');
      await world.fill();
      const figures: Figure[] = [];
      for (const scenario of scenariosOf(own).filter(({ id }) => ids.includes(id))) {
        process.stderr.write(`playing ${scenario.name}\n`);
        const played = figuresOf(scenario, await scenario.play(world), simulated);
        process.stderr.write(figuresText(played));
        figures.push(...played);
      }
      return figures;
    });
  } finally {
    world.close();
  }
}
