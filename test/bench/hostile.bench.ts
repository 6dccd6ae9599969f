import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Figure, quantile, rounded } from './figure.ts';
import { type HostileCase, hostileCases, type MeasuredProcess } from './hostile-cases.ts';

const MOST_TIMES = 5;
const MOST_MIB = 300;
/** The median of so many runs where one is above half of a limit: the start of a process is noisy. */
const RUNS = 3;
const WORST = 10;
const USAGE = join(import.meta.dirname, 'hostile-usage.ts');

interface Usage {
  /** Processor time of all threads. */
  readonly ms: number;
  /** Most memory that was resident. */
  readonly mib: number;
}

async function run(name: string, args: readonly string[]): Promise<Usage> {
  const child = spawn(process.execPath, ['--import', USAGE, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  // It has four pipes: `stdio` says so.
  const [errors, usage] = [child.stdio[2], child.stdio[3]] as [Readable, Readable];
  const [[code], said, told] = await Promise.all([once(child, 'close'), text(errors), text(usage)]);
  // Refused with a message of its own is as good.
  const hasEnded = code === 0 || (code === 1 && said.startsWith('starfold: '));
  if (!hasEnded || told === '') throw new Error(`${name} ended with ${code}: ${said}`);
  // The module that was loaded into it writes such a text.
  return JSON.parse(told) as Usage;
}

async function median({ name, args }: MeasuredProcess, first?: Usage): Promise<Usage> {
  const given = args();
  const runs = first === undefined ? [] : [first];
  while (runs.length < RUNS) runs.push(await run(name, given));
  const middle = (values: readonly number[]): number => quantile(values, 0.5);
  return { ms: middle(runs.map(({ ms }) => ms)), mib: middle(runs.map(({ mib }) => mib)) };
}

interface Measured {
  readonly name: string;
  readonly usage: Usage;
  /** Processor time as a multiple of the benign process's. */
  readonly times: number;
  /** Memory beyond the benign process's. */
  readonly more: number;
}

function compared(name: string, usage: Usage, benign: Usage): Measured {
  return { name, usage, times: usage.ms / benign.ms, more: usage.mib - benign.mib };
}

async function measure(one: HostileCase, benign: Usage): Promise<Measured> {
  const first = await run(one.name, one.args());
  const measured = compared(one.name, first, benign);
  if (measured.times <= MOST_TIMES / 2 && measured.more <= MOST_MIB / 2) return measured;
  return compared(one.name, await median(one, first), benign);
}

/** Each hostile input of `test/hostile` in a process of its own, beside a benign one of the same kind. */
export async function benchHostile(cases = hostileCases()): Promise<readonly Figure[]> {
  const section = `Hostile: ${cases.length} inputs, each in a process of its own, beside a benign one`;
  const benign = new Map<string, Usage>();
  const measured: Measured[] = [];
  for (const one of cases) {
    const { name } = one.benign;
    const usage = benign.get(name) ?? (await median(one.benign));
    benign.set(name, usage);
    measured.push(await measure(one, usage));
  }
  const slowest = measured.toSorted((a, b) => b.times - a.times);
  const largest = measured.toSorted((a, b) => b.more - a.more);
  const text = ({ usage, more }: Measured): string =>
    `${rounded(usage.ms)} ms, ${rounded(more)} MiB more`;
  return [
    ...[...benign].map(([name, { ms, mib }]): Omit<Figure, 'section'> => {
      return { what: `benign: ${name}`, value: ms, unit: 'ms', beside: `${rounded(mib)} MiB` };
    }),
    ...slowest.slice(0, WORST).map((one): Omit<Figure, 'section'> => {
      const goal = { type: 'at most', value: MOST_TIMES } as const;
      return { what: one.name, value: one.times, unit: 'times', goal, beside: text(one) };
    }),
    ...largest.slice(0, WORST).map((one): Omit<Figure, 'section'> => {
      const goal = { type: 'at most', value: MOST_MIB } as const;
      const beside = `${rounded(one.times)} times`;
      return { what: one.name, value: one.more, unit: 'MiB more', goal, beside };
    }),
  ].map((figure) => ({ section, ...figure }));
}
