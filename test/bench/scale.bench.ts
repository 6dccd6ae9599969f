import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, rounded } from './figure.ts';
import type { RateMeasured } from './scale-rate.ts';
import { measureLargeWorkload, measureRows, type RowsMeasured } from './scale-rows.ts';

const WECS = 1_000;
const LARGE_WECS = 100_000;
/** What a change costs may grow so much with the WECs of its workload, and not with the number of workloads. */
const WEC_EXPONENT = 0.5;
const WORKLOAD_EXPONENT = 0.1;

/** The power of N with which a cost grows from one size to another. */
function exponent(
  small: number,
  large: number,
  cost: readonly [small: number, large: number],
): number {
  return Math.log(cost[1] / cost[0]) / Math.log(large / small);
}

function rowFigures({ workloads, wecs, ...costs }: RowsMeasured): readonly Figure[] {
  const section = `${rounded(workloads * wecs)} rows (${rounded(workloads)} workloads on ${rounded(wecs)} WECs, 3 collectors and multi-WEC status), real handlers, SQLite file, one thread`;
  return [
    {
      section,
      what: 'one change to the messages for the writer, p50',
      value: costs.p50,
      unit: 'ms',
      beside: `p99 ${rounded(costs.p99)} ms; CPU ${rounded(costs.cpu)} ms; the aggregation reads at most ${costs.read} rows and parts`,
    },
    {
      section,
      what: 'load, aggregated once',
      value: costs.loadSeconds,
      unit: 's',
      beside: `${rounded(1_000 * costs.loadMs)} µs of CPU for a row`,
    },
    {
      section,
      what: 'size of the file',
      value: costs.fileBytes / 1_000_000,
      unit: 'MB',
      beside: `${rounded(costs.fileBytes / (workloads * wecs))} bytes a row; memory of the process, which has played the tables above, ${rounded(costs.memoryBytes / 1_000_000)} MB`,
    },
  ];
}

function rateFigures(rows: number, measured: RateMeasured | undefined): readonly Figure[] {
  if (measured === undefined) return [];
  const { rate, p50, p99, handled, cpu } = measured;
  return [
    {
      section: `${rounded(rate)} changes/s for ${measured.seconds} s at ${rounded(rows)} rows, real handlers, aggregation in threads of its own`,
      what: 'p99 from the intended time to the messages for the writer',
      value: p99,
      unit: 'ms',
      goal: { type: 'at most', value: 1_000 },
      beside: `p50 ${rounded(p50)} ms; ${rounded(handled)} changes/s were aggregated, with ${rounded(cpu)} ms of CPU each`,
    },
  ];
}

/** @param rows of the middle size: a quarter and four times as many are measured as well */
async function benchRows(rows: number, folder: string): Promise<readonly Figure[]> {
  const file = (name: string): string => join(folder, `${name}.db`);
  const measured = async (name: string, workloads: number, wecs: number) => {
    const result = await measureRows(file(name), { workloads, wecs }, wecs === WECS);
    await rm(file(name));
    return result;
  };
  const workloads = rows / WECS;
  const { rows: quarter, rate: quarterRate } = await measured('quarter', workloads / 4, WECS);
  const { rows: middle, rate: middleRate } = await measured('middle', workloads, WECS);
  const { rows: wider } = await measured('wider', workloads / 4, 4 * WECS);
  const { rows: fourTimes, rate: fourTimesRate } = await measured('four', 4 * workloads, WECS);
  const growth = 'Growth of one change, as a power of N';
  return [
    ...[quarter, middle, wider, fourTimes].flatMap(rowFigures),
    ...(['p50', 'cpu'] as const).flatMap((cost): readonly Figure[] => {
      const name = { p50: 'time (p50)', cpu: 'CPU time' }[cost];
      return [
        {
          section: growth,
          what: `${name}, in the WECs of its workload`,
          value: exponent(WECS, 4 * WECS, [quarter[cost], wider[cost]]),
          unit: '',
          goal: { type: 'at most', value: WEC_EXPONENT },
          beside: `${rounded(quarter[cost])} and ${rounded(wider[cost])} ms`,
        },
        {
          section: growth,
          what: `${name}, in the number of workloads`,
          value: exponent(workloads / 4, 4 * workloads, [quarter[cost], fourTimes[cost]]),
          unit: '',
          goal: { type: 'at most', value: WORKLOAD_EXPONENT },
          beside: `${rounded(quarter[cost])}, ${rounded(middle[cost])} and ${rounded(fourTimes[cost])} ms`,
        },
      ];
    }),
    ...rateFigures(rows / 4, quarterRate),
    ...rateFigures(rows, middleRate),
    ...rateFigures(4 * rows, fourTimesRate),
  ];
}

async function benchLargeWorkload(folder: string): Promise<readonly Figure[]> {
  const { eventMs, collectorMs, steps, longest } = await measureLargeWorkload(
    join(folder, 'large.db'),
    LARGE_WECS,
  );
  const section = `One workload on ${rounded(LARGE_WECS)} WECs, 3 collectors and multi-WEC status, real handlers, SQLite file`;
  return [
    {
      section,
      what: 'CPU of one event',
      value: eventMs,
      unit: 'ms',
      goal: { type: 'at most', value: 50 },
    },
    {
      section,
      what: 'CPU of a changed collector',
      value: collectorMs / 1_000,
      unit: 's',
      goal: { type: 'at most', value: 10 },
      beside: `${steps} messages, the longest ${rounded(longest / 1_000)} s`,
    },
  ];
}

/**
 * How costs grow: a table of many rows, and a workload on many WECs.
 *
 * @param rows of the middle size of the table, a multiple of 4,000
 */
export async function benchScale(rows: number): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-scale-'));
  try {
    return [...(await benchLargeWorkload(folder)), ...(await benchRows(rows, folder))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
