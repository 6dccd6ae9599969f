import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type fc from 'fast-check';
import { stringifyJson } from '#shared/core/json.ts';
import { departingFields } from './departures.ts';
import { type KindSet, type KindSets, kindSets, sampledSets } from './kind-sets.ts';
import {
  type Judgement,
  judge,
  refusedWrites,
  SITUATIONS,
  untoldWrites,
  writesOf,
} from './kind-verdicts.ts';
import { ALL_KINDS } from './kinds/all.ts';

/**
 * Judges random sets of WECs of each kind by both versions of Argo CD, and writes to a WDS while they join and leave.
 *
 *     node test/property/status/verdicts.ts [sets of each kind] [text in the names of the kinds] [seed]
 *
 * Prints a table, one line for each kind and situation. "better", "worse" and "unavoidable" count verdicts, two for each
 * set: those that differ from the worst WEC's, and those that differ and that no status could make the same, the reasons
 * of which stand below the table. "refused" and "untold" count sets: those with a status that the API server does not
 * take, or that it takes as something else without a word. "literal" and "departs" count sets: those whose aggregate is
 * the letter of the proposal, and those whose is not, the fields of which stand below the table. Exits with 1 where anything is better, worse, refused, untold.
 */

const WIDTHS = [32, 38, 9, 8, 8, 13, 9, 8, 9, 9];

interface Tally {
  sets: number;
  better: number;
  worse: number;
  unavoidable: number;
  refused: number;
  untold: number;
  literal: number;
  departs: number;
  /** How many sets depart in these fields. */
  readonly fields: Map<string, number>;
  readonly reasons: Map<string, number>;
  /** The first set of each kind of trouble, in words. */
  readonly examples: Map<string, string>;
}

function line(...cells: readonly (string | number)[]): string {
  const padded = cells.map((cell, index) => {
    const width = WIDTHS[index] ?? 0;
    return index < 2 ? String(cell).padEnd(width) : String(cell).padStart(width);
  });
  return `${padded.join('').trimEnd()}\n`;
}

function inWords({ workload, wecs }: KindSet): string {
  const statuses = wecs.map(({ object, perWec }) => ({ ...perWec, object: object ?? null }));
  return `${stringifyJson(workload)} ${JSON.stringify(statuses)}`;
}

function example(tally: Tally, trouble: string, set: KindSet): void {
  if (!tally.examples.has(trouble)) tally.examples.set(trouble, inWords(set));
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function countJudgement(tally: Tally, judgement: Judgement, set: KindSet): void {
  const { version, expected, found, comparison, reason } = judgement;
  if (comparison === 'same') return;
  if (reason === undefined) {
    tally[comparison] += 1;
    example(tally, `${comparison} (Argo CD ${version}: ${found}, not ${expected})`, set);
  } else {
    tally.unavoidable += 1;
    const note = `${comparison}: ${reason}`;
    increment(tally.reasons, note);
  }
}

function count(tally: Tally, kind: KindSets, set: KindSet): void {
  tally.sets += 1;
  for (const judgement of judge(kind, set)) countJudgement(tally, judgement, set);
  const writes = writesOf(set);
  const [refusal] = refusedWrites(set, writes);
  if (refusal !== undefined) {
    tally.refused += 1;
    example(tally, `refused (${refusal})`, set);
  }
  if (untoldWrites(set, writes).length > 0) {
    tally.untold += 1;
    example(tally, 'untold', set);
  }
  const fields = departingFields(kind, set);
  if (fields === undefined) return;
  tally[fields.length === 0 ? 'literal' : 'departs'] += 1;
  if (fields.length > 0) increment(tally.fields, fields.toSorted().join(', '));
}

function tallyOf(kind: KindSets, sets: fc.Arbitrary<KindSet>, [total, seed]: [number, number]) {
  const tally: Tally = {
    sets: 0,
    better: 0,
    worse: 0,
    unavoidable: 0,
    refused: 0,
    untold: 0,
    literal: 0,
    departs: 0,
    fields: new Map(),
    reasons: new Map(),
    examples: new Map(),
  };
  for (const chunk of sampledSets(sets, { total, seed }))
    for (const set of chunk) count(tally, kind, set);
  return tally;
}

/** What is printed of a kind, and whether it is as it must be. */
interface Verdict {
  readonly lines: readonly string[];
  readonly notes: readonly string[];
  readonly isFine: boolean;
}

const [total = '1000', chosen = '', seed = '1'] = process.argv.slice(2);

function verdictOf(name: string, kind: KindSets): Verdict {
  const lines: string[] = [];
  const notes: string[] = [];
  let isFine = true;
  for (const [index, [situation, options]] of SITUATIONS.entries()) {
    const share = Math.ceil(Number(total) / SITUATIONS.length);
    const tally = tallyOf(kind, kindSets(kind, options), [share, Number(seed) + index * share]);
    const { sets, better, worse, unavoidable, refused, untold, literal, departs } = tally;
    const wrong = [better, worse, unavoidable, refused, untold];
    lines.push(line(name, situation, sets, ...wrong, literal, departs));
    const where = `${name}, ${situation}`;
    for (const [reason, times] of tally.reasons) notes.push(`${where}: ${times} x ${reason}`);
    for (const [fields, times] of tally.fields)
      notes.push(`${where}: ${times} x departs in ${fields}`);
    for (const [trouble, words] of tally.examples) notes.push(`${where}: ${trouble}: ${words}`);
    isFine &&= better + worse + refused + untold === 0;
  }
  return { lines, notes, isFine };
}

/** Judges kinds until none is left: each core has a thread that does so. */
async function judgeIn(thread: Worker, kinds: Iterator<number>, verdicts: Verdict[]) {
  for (let kind = kinds.next(); !kind.done; kind = kinds.next()) {
    thread.postMessage(kind.value);
    [verdicts[kind.value]] = await once(thread, 'message');
  }
  await thread.terminate();
}

async function main(): Promise<void> {
  const kinds = ALL_KINDS.flatMap(([name], index) =>
    name.includes(chosen) ? [index] : [],
  ).values();
  const verdicts: Verdict[] = [];
  const threads = Array.from(
    { length: availableParallelism() },
    () => new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) }),
  );
  await Promise.all(threads.map((thread) => judgeIn(thread, kinds, verdicts)));
  const told = verdicts.filter((verdict) => verdict !== undefined);
  const header = line(
    'kind',
    'situation',
    'sets',
    'better',
    'worse',
    'unavoidable',
    'refused',
    'untold',
    'literal',
    'departs',
  );
  process.stdout.write(header);
  for (const { lines } of told) process.stdout.write(lines.join(''));
  for (const note of told.flatMap(({ notes }) => notes)) process.stdout.write(`\n${note}`);
  process.stdout.write('\n');
  process.exitCode = told.every(({ isFine }) => isFine) ? 0 : 1;
}

if (isMainThread) await main();
else
  parentPort?.on('message', (index: number) => {
    const [name, kind] = ALL_KINDS[index] ?? [];
    if (name !== undefined && kind !== undefined) parentPort?.postMessage(verdictOf(name, kind));
  });
