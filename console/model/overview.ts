import {
  countVerdicts,
  isAmiss,
  rankOf,
  VERDICTS,
  type Verdict,
  verdictOfWorkload,
} from '#shared/core/explanation/shown-verdict.ts';
import type { Placed } from '#shared/core/explanation/spectrum.ts';
import { equalJson, type JsonValue } from '#shared/core/json.ts';
import type { ExplanationObject, WecObject } from './api-objects.ts';
import { placeKey, placeOf, type WorkloadPlace } from './routes.ts';
import type { WecOrder } from './spectrum.ts';
import { verdictShares } from './verdict-shares.ts';
import { byName, type Fraction, type WecRow } from './wec-row.ts';

/** A workload object on the overview. */
export interface WorkloadRow {
  readonly key: string;
  readonly place: WorkloadPlace;
  readonly kind: string;
  readonly verdict: Verdict;
  readonly reported: Fraction;
  /** Absent if the kind does not count what is ready. */
  readonly ready?: Fraction;
  /** The first WEC that decides the verdict. Absent if all is as asked. */
  readonly decidedBy?: string;
  /** How many more do. */
  readonly more: number;
  readonly message: string;
  /** Since when the WDS has this result. */
  readonly since?: string;
  readonly refused: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

const READY = [
  ['readyReplicas', 'replicas'],
  ['numberReady', 'desiredNumberScheduled'],
] as const;

function fieldValue({ fields }: ExplanationObject, path: string): JsonValue | undefined {
  return fields.find((field) => field.path === path)?.value;
}

function readyOf(explanation: ExplanationObject): Pick<WorkloadRow, 'ready'> {
  for (const [have, want] of READY) {
    const wanted = fieldValue(explanation, want);
    if (typeof wanted !== 'number') continue;
    const ready = fieldValue(explanation, have);
    return { ready: [typeof ready === 'number' ? ready : 0, wanted] };
  }
  return {};
}

/** Who decides a verdict, and what is said about it. */
function culprit(
  explanation: ExplanationObject,
  verdict: Verdict,
): Pick<WorkloadRow, 'decidedBy' | 'more' | 'message'> {
  const { wecs, decision, refused = [] } = explanation;
  const named = (names: readonly string[], message: string) => {
    const [decidedBy, ...others] = names;
    return { ...(decidedBy === undefined ? {} : { decidedBy }), more: others.length, message };
  };
  switch (verdict) {
    case 'TooLarge':
      return named(wecs.tooLarge, 'its status is too large to keep; it counts as not returned');
    case 'Missing':
      return named(wecs.missing, 'no status that counts');
    case 'Refused':
      return named([], refused[0] ?? '');
    case 'Healthy':
      return named([], '');
    case 'Reported':
      return named([], decision.reason);
    default:
      return named(explanation.verdict?.decidedBy ?? [], explanation.verdict?.message ?? '');
  }
}

/** The row of an explanation. */
export function workloadRow(explanation: ExplanationObject): WorkloadRow {
  const { workload, wecs, applied, refused = [], metadata } = explanation;
  const place = placeOf(workload);
  const verdict = verdictOfWorkload(explanation);
  return {
    key: placeKey(place),
    place,
    kind: workload.kind,
    verdict,
    reported: [wecs.reported, wecs.qualified],
    ...readyOf(explanation),
    ...culprit(explanation, verdict),
    ...(applied?.since === undefined ? {} : { since: applied.since }),
    refused,
    labels: metadata.labels ?? {},
  };
}

/** Whether an explanation says something else than before. Its metadata has the revision at which it was read. */
export function isExplanationChanged(before: ExplanationObject, now: ExplanationObject): boolean {
  const said = ({ metadata: { labels }, ...rest }: ExplanationObject): JsonValue =>
    ({ ...rest, labels: labels ?? {} }) as unknown as JsonValue; // as the API answers it
  return !equalJson(said(before), said(now));
}

/** Compares rows: worst first, then by namespace and name. */
export function worstWorkloadFirst(a: WorkloadRow, b: WorkloadRow): number {
  return rankOf(a.verdict) - rankOf(b.verdict) || byName(a.key, b.key);
}

/** A part of the sentence: a text, and the family that it is about. */
export interface Phrase {
  readonly text: string;
  readonly family?: 'bad' | 'absent' | 'moving';
  /** The verdict to which the phrase leads. */
  readonly verdict?: Verdict;
}

const PHRASES = [
  { family: 'bad', one: 'is broken', many: 'are broken' },
  { family: 'absent', one: 'is missing somewhere', many: 'are missing somewhere' },
  { family: 'moving', one: 'is on its way', many: 'are on their way' },
] as const;

/** How many workloads a first phrase is about. */
function counted(count: number, { all, isRead }: { all: number; isRead: boolean }): string {
  const workloads = all === 1 ? 'workload' : 'workloads';
  if (!isRead) return `${count} of the ${all} ${workloads} read so far`;
  return `${count} ${count === 1 ? 'workload' : 'workloads'}`;
}

/** What is amiss, worst first: one phrase for each family. */
function amissPhrases(rows: readonly WorkloadRow[], isRead: boolean): readonly Phrase[] {
  const phrases: Phrase[] = [];
  for (const { family, one, many } of PHRASES) {
    const found = rows.filter(({ verdict }) => VERDICTS[verdict].family === family);
    const [first] = found;
    if (first === undefined) continue;
    const verb = found.length === 1 ? one : many;
    const isFirst = phrases.length === 0;
    const count = isFirst ? counted(found.length, { all: rows.length, isRead }) : found.length;
    phrases.push({ text: `${count} ${verb}`, family, verdict: first.verdict });
  }
  return phrases;
}

function calmText(calm: number, isRead: boolean): string {
  const read = isRead ? '' : ' read so far';
  return calm === 1
    ? `The workload${read} is as asked.`
    : `All ${calm} workloads${read} are as asked.`;
}

/**
 * The sentence with which the overview begins.
 *
 * @param isRead whether these are all rows
 */
export function sentence(rows: readonly WorkloadRow[], isRead = true): readonly Phrase[] {
  if (rows.length === 0) return [{ text: 'No Binding names a workload object yet.' }];
  const phrases = amissPhrases(rows, isRead);
  const calm = rows.filter(({ verdict }) => !isAmiss(verdict)).length;
  if (phrases.length === 0) return [{ text: calmText(calm, isRead) }];
  return calm === 0
    ? phrases
    : [...phrases, { text: `${calm} ${calm === 1 ? 'is' : 'are'} as asked.` }];
}

/** The rows of an overview that are shown. */
export function filterWorkloads(
  rows: readonly WorkloadRow[],
  { verdict, label }: { readonly verdict?: Verdict; readonly label?: string },
): readonly WorkloadRow[] {
  const family = verdict && VERDICTS[verdict].family;
  return rows.filter(
    (row) =>
      (family === undefined || VERDICTS[row.verdict].family === family) &&
      (label === undefined || hasLabel(row.labels, label)),
  );
}

/** Whether an object has a label, given as `name=value` or only as its name. */
export function hasLabel(labels: Readonly<Record<string, string>>, text: string): boolean {
  const mark = text.indexOf('=');
  if (mark < 0) return Object.hasOwn(labels, text);
  return labels[text.slice(0, mark)] === text.slice(mark + 1);
}

/** What each WEC says about one object, in the places of the spectrum. */
export function placedVerdicts(
  { wecs }: WecOrder,
  verdicts: ReadonlyMap<string, Verdict> | undefined,
): readonly Placed[] {
  return wecs.map((wec) => verdicts?.get(wec));
}

/** What WECs say about one object, without their places: only the counts are known. */
export function sortedVerdicts(
  explanation: Pick<ExplanationObject, 'verdict' | 'wecs'>,
): readonly Placed[] {
  const { verdict, wecs } = explanation;
  if (verdict === undefined) return Array.from({ length: wecs.reported }, () => 'Reported');
  return verdictShares(explanation).flatMap(({ verdict: one, count }) =>
    Array.from({ length: count }, () => one),
  );
}

/** A WEC that is silent. */
export interface SilentWec {
  readonly name: string;
  readonly lastContact?: string;
}

/** The silent WECs, the longest silence first. */
export function silentWecs(wecs: readonly WecObject[]): readonly SilentWec[] {
  return wecs
    .filter(({ silentSince }) => silentSince !== undefined)
    .toSorted((a, b) => byName(a.silentSince ?? '', b.silentSince ?? ''))
    .map(({ metadata: { name }, lastContact }) => ({
      name,
      ...(lastContact === undefined ? {} : { lastContact }),
    }));
}

/** So many of some. */
export interface Share {
  readonly name: string;
  readonly count: number;
  readonly of: number;
}

function shares(rows: Iterable<readonly [name: string, isCounted: boolean]>): readonly Share[] {
  const found = new Map<string, { count: number; of: number }>();
  for (const [name, isCounted] of rows) {
    const share = found.get(name) ?? { count: 0, of: 0 };
    found.set(name, { count: share.count + (isCounted ? 1 : 0), of: share.of + 1 });
  }
  return [...found]
    .map(([name, share]) => ({ name, ...share }))
    .toSorted((a, b) => b.count - a.count || byName(a.name, b.name));
}

/** The WECs with the most unhealthy objects, as the API counts them. WECs of which it has no count are left out. */
export function mostUnhealthy(wecs: readonly WecObject[]): readonly Share[] {
  return wecs
    .map(({ metadata: { name }, unhealthyObjects = 0, objects = 0 }) => ({
      name,
      count: unhealthyObjects,
      of: objects,
    }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || byName(a.name, b.name));
}

/** How many WECs run each version of the forwarder, most first. WECs that do not say it are left out. */
export function forwarderVersions(wecs: readonly WecObject[]): readonly Omit<Share, 'of'>[] {
  const versions = wecs.flatMap(({ forwarderVersion }) => forwarderVersion ?? []);
  return shares(versions.map((version) => [version, true] as const)).map(({ name, count }) => ({
    name,
    count,
  }));
}

/** Where objects were made from an older generation of the WDS's object than elsewhere, by group of WECs or by WEC. */
export function behind(rows: readonly WecRow[], { wecs, groups }: WecOrder): readonly Share[] {
  const newest = new Map<string, number>();
  for (const { place, source = 0 } of rows)
    newest.set(placeKey(place), Math.max(newest.get(placeKey(place)) ?? 0, source));
  const groupOf = new Map(
    wecs.map((wec, index) => [wec, groups.findLast(({ from }) => from <= index)?.name ?? wec]),
  );
  return shares(
    rows
      .filter(({ source }) => source !== undefined)
      .map(({ wec, place, source = 0 }) => [
        groupOf.get(wec) ?? wec,
        source < (newest.get(placeKey(place)) ?? 0),
      ]),
  ).filter(({ count }) => count > 0);
}

/** What the spectrum of an object says in words. */
export function spectrumText(placed: readonly Placed[]): string {
  const known = placed.filter((one) => one !== undefined);
  return [...countVerdicts(known)]
    .map(([verdict, count]) => `${count} ${VERDICTS[verdict].word}`)
    .join(', ');
}
