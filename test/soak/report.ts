import { borderedTable } from '#local/tables/text-table.ts';
import { rounded } from '#test/bench/figure.ts';
import { growthOf, hasGrown, quartersOf } from './memory.ts';
import type { ProcessResult, SoakResult } from './soak.ts';

const MEBIBYTE = 1024 * 1024;
/** In a shorter run the heaps of V8 still find their sizes. */
const JUDGED_MS = 10 * 60_000;
const SHOWN_DIFFERENCES = 10;
const SHOWN_CHARACTERS = 1_000;

function megabytes(bytes: number): string {
  return (bytes / MEBIBYTE).toFixed(0);
}

function row(result: ProcessResult, lengthMs: number): string[] {
  const { name, restarted, samples, liveHeap, cpuSeconds, events } = result;
  const cells = (value: 'rss' | 'heapUsed'): string =>
    quartersOf(samples, lengthMs, (sample) => sample[value])
      .map(megabytes)
      .join(' ');
  return [
    restarted ? `${name} (restarted)` : name,
    cells('rss'),
    cells('heapUsed'),
    liveHeap.map(megabytes).join(' '),
    cpuSeconds.toFixed(1),
    events === undefined ? '' : rounded(events),
  ];
}

/** The result as text for a terminal. */
export function resultText(result: SoakResult, lengthMs: number): string {
  const { processes, changes, disturbances, latency, comparison, deadLetters, seconds } = result;
  const table = borderedTable([
    ['process', 'RSS, MiB', 'heap used, MiB', 'after GC, MiB', 'CPU, s', 'events sent'],
    ...processes.map((process) => row(process, lengthMs)),
  ]);
  const { statuses, copies, specs, workloads } = changes;
  const files = (file: 'state' | 'log'): string =>
    result.onDisk.map((sizes) => megabytes(sizes[file])).join(' ');
  const ms = (share: number): string => rounded(latency.quantile(share));
  return `${[
    table.trimEnd(),
    'RSS and heap: median of each quarter of the load; after GC: before the load and after it',
    `changes: ${statuses} statuses, ${copies} objects deleted or created in a WEC, ${specs} specs, ${workloads} deleted or created everywhere; ${disturbances} disturbances`,
    `status change to WDS: p50 ${ms(0.5)} ms, p90 ${ms(0.9)} ms, p99 ${ms(0.99)} ms, disturbances included`,
    `everything up after ${seconds.start.toFixed(1)} s, everything there ${seconds.end.toFixed(1)} s after the load`,
    `the stack's files before and after, MiB: state ${files('state')}, log ${files('log')}`,
    `compared: ${comparison.objects} objects, ${comparison.combinedStatuses} CombinedStatuses: ${comparison.differences.length} differences; ${deadLetters} dead letters`,
  ].join('\n')}\n`;
}

function growthFaults(process: ProcessResult, lengthMs: number): readonly string[] {
  const { name, restarted, samples, liveHeap } = process;
  if (restarted || lengthMs < JUDGED_MS) return [];
  const rss = growthOf(quartersOf(samples, lengthMs, (sample) => sample.rss));
  const pairs = { RSS: rss, 'heap after GC': liveHeap } as const;
  return Object.entries(pairs).flatMap(([what, [before, after]]) =>
    hasGrown(before, after)
      ? [`${name}: ${what} grew from ${megabytes(before)} to ${megabytes(after)} MiB`]
      : [],
  );
}

/** What is wrong with a result; empty where nothing is. */
export function faultsOf(result: SoakResult, lengthMs: number): readonly string[] {
  const { processes, comparison, deadLetters } = result;
  const { differences } = comparison;
  return [
    ...differences.slice(0, SHOWN_DIFFERENCES).map((text) => text.slice(0, SHOWN_CHARACTERS)),
    ...(differences.length > SHOWN_DIFFERENCES
      ? [`and ${differences.length - SHOWN_DIFFERENCES} more differences`]
      : []),
    ...(deadLetters > 0 ? [`${deadLetters} messages could not be handled`] : []),
    ...processes.flatMap((process) => growthFaults(process, lengthMs)),
  ];
}
