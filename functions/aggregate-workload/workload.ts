import { contentHash } from '#shared/content-hash.ts';
import { refusedText } from '#shared/core/binding/oldest-bindings.ts';
import {
  createWorkloadFold,
  type DesiredWorkload,
  type WorkloadFold,
  type WorkloadPart,
  type WorkloadResult,
} from '#shared/core/desired/workload-fold.ts';
import type { EventSource } from '#shared/core/event.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { workloadKey } from '#shared/core/workload.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import type { FoldedShards } from '#shared/messages/dirty.ts';
import { WORKLOAD_RESULT } from '#shared/state/contents.ts';
import { censusField, type Head, readApplied, readHead } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';
import { removePartsBefore } from '#shared/state/parts.ts';
import { retryContention } from '#shared/state/retry-contention.ts';
import { readRows } from '#shared/state/rows.ts';
import { type ShardedDestinations, shardHashes, shardOf } from '#shared/state/shards.ts';
import { readStrays } from '#shared/state/strays.ts';
import { unnamedSince } from '#shared/state/unnamed.ts';
import { type Awaiting, awaiting, isUnsettled, notAsked } from './awaited.ts';
import { checkLater } from './check-later.ts';
import { countedRows } from './counted-rows.ts';
import type { AggregateDeps } from './deps.ts';
import { foldShards } from './fold-shards.ts';
import { type LoadedInputs, type LoadedWecs, loadInputs, loadWecs } from './inputs.ts';
import { dropNamed, keepNamed, namedIn } from './named-entry.ts';
import { notedIn, noteListed, notifyOfErrors } from './notify-of-errors.ts';
import { notifyOfVerdict, verdictFields } from './notify-of-verdict.ts';
import { type FoldProgress, isLeft } from './progress.ts';
import { notifySchemaUsers } from './schema-check.ts';
import { forgetTime, hintUnlessApplied, settle } from './settle.ts';
import { whyUnheard } from './unheard.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;

/** The data that one aggregation has read, in the order of the protocol. */
interface Aggregation {
  readonly pk: string;
  readonly head: Head;
  readonly inputs: LoadedInputs & LoadedWecs;
  readonly sharded: ShardedDestinations;
  readonly layoutRevision: number;
  readonly fold: WorkloadFold;
  /**
   * The sources that have to report everything before the result is known to be complete: the WDS, and the WECs without a row
   * that was read. If the result depends on the labels of WECs, also those with a row. Absent: this is not checked.
   */
  readonly missing?: { readonly wds: readonly EventSource[]; readonly wecs: Set<string> };
  /** The specs of the rows. They are added before the rows are folded. */
  readonly specs: Map<string, JsonValue>;
}

/** Reads the rows of a shard and folds them, one for each destination in the shard. */
async function foldShard(
  deps: AggregateDeps,
  aggregation: Aggregation,
  shard: number,
): Promise<WorkloadPart> {
  const { pk, head, inputs, sharded, specs, fold } = aggregation;
  const stored = await readRows(deps.store, pk, shardHashes(shard, sharded.shards));
  const hashes = stored.flatMap(({ row }) => row?.specHash ?? []);
  for (const [hash, spec] of await deps.specs.get(hashes)) specs.set(hash, spec);
  // A row does not say that the WEC has reported its labels too.
  if (inputs.inventory === undefined)
    for (const { wec } of stored) aggregation.missing?.wecs.delete(wec);
  const counted = await countedRows(deps, { pk, head, ...inputs }, stored);
  const isCounted = new Set(counted);
  const byWec = new Map(
    stored.map((row): [string, PerWecRow] => [
      row.wec,
      isCounted.has(row) ? row : { wec: row.wec, uncounted: row },
    ]),
  );
  const rows = (sharded.wecs[shard] ?? []).map((wec): PerWecRow => byWec.get(wec) ?? { wec });
  return foldRows(fold, rows);
}

/**
 * Computes the fingerprint of the inputs of each shard. Only the silent WECs and the labels in the shard count. So if a WEC
 * becomes silent or gets other labels, the parts of the other shards stay valid.
 */
function fingerprintsOf({ sharded, inputs }: Aggregation): readonly string[] {
  const { fingerprint, silent, unheard, inventory } = inputs;
  if ((silent?.size ?? 0) === 0 && unheard === undefined && inventory === undefined)
    return Array.from({ length: sharded.shards }, () => fingerprint);
  return sharded.wecs.map((wecs) => {
    // A name has no space.
    const silentOnes = wecs
      .filter((wec) => silent?.has(wec))
      .map((wec) => `${wec} since ${silent?.get(wec)}`)
      .sort();
    const unheardOnes = wecs.flatMap((wec) => {
      const why = unheard && whyUnheard(unheard, wec);
      return why === undefined ? [] : [`${wec} ${why}`];
    });
    const labelled = wecs.flatMap((wec) => {
      const hash = inventory?.get(wec)?.hash;
      return hash === undefined ? [] : [`${wec} is ${hash}`];
    });
    const all = [...silentOnes, ...unheardOnes.sort(), ...labelled.sort()];
    return all.length === 0 ? fingerprint : contentHash(JSON.stringify([fingerprint, ...all]));
  });
}

/** The part of all rows. */
function foldAll(
  deps: AggregateDeps,
  aggregation: Aggregation,
  { rows, rest = [], progress }: WorkloadChange,
): Promise<WorkloadPart | undefined> {
  const { pk, sharded, layoutRevision, fold } = aggregation;
  const { shards } = sharded;
  const wecs = rows === 'silence' ? [] : rows;
  const changed = new Set(wecs.map((wec) => shardOf(wec, shards)));
  const isOfRest = isLeft(rest, { layoutRevision, shards });
  const isAskedOfAll = aggregation.missing !== undefined && rest.length === 0;
  return foldShards(deps.store, {
    pk,
    layoutRevision,
    fingerprints: fingerprintsOf(aggregation),
    // Which WECs have no row is known only for rows that are read. If a fold continues, the shards that were folded before are
    // not read again. Their WECs count as missing until they have reported everything.
    isChanged: (shard) => isAskedOfAll || changed.has(shard) || isOfRest(shard),
    fold,
    progress,
    foldShard: (shard) => foldShard(deps, aggregation, shard),
  });
}

async function begin(
  deps: AggregateDeps,
  subject: WorkloadSubject,
): Promise<Aggregation | undefined> {
  const pk = subjectPartition(subject);
  const head = await readHead(deps.store, pk);
  const isAsked = await isUnsettled(deps, subject, head);
  // Each of these is checked before the data that depends on it is read.
  const wds: EventSource = { type: 'wds', name: subject.workload.wds };
  const missingWds = isAsked ? await deps.listings.missing([wds]) : [];
  const loaded = await loadInputs(deps, subject.workload, head);
  if (loaded === undefined) return undefined;
  const sharded = deps.shard(loaded.memberships.map(({ destinations }) => destinations));
  const specs = new Map<string, JsonValue>();
  const missing = isAsked ? { wds: missingWds, wecs: await missingWecs(deps, sharded) } : undefined;
  const inputs = { ...loaded, ...(await loadWecs(deps, loaded)) };
  const lastVersion = head.version === undefined ? {} : { lastVersion: head.version };
  return {
    pk,
    head,
    inputs,
    sharded,
    // Parts for another number of shards have missed changes. So the layout gets a layout revision that no process has used on
    // this head.
    layoutRevision: sharded.shards === head.shards ? head.layoutRevision : head.revision + 1,
    fold: createWorkloadFold({ ...inputs, ...lastVersion, ref: subject.workload, specs }),
    specs,
    ...(missing === undefined ? {} : { missing }),
  };
}

/** The WECs that have not reported everything since the state began. */
async function missingWecs(deps: AggregateDeps, { wecs }: ShardedDestinations) {
  const sources = wecs.flat().map((name): EventSource => ({ type: 'wec', name }));
  return new Set((await deps.listings.missing(sources)).map(({ name }) => name));
}

/** The fields of the head about the missing sources. */
async function awaited(
  deps: AggregateDeps,
  subject: WorkloadSubject,
  { head, inputs, missing }: Aggregation,
): Promise<Awaiting> {
  if (missing === undefined) return notAsked(head);
  const wecs = [...missing.wecs].sort().map((name): EventSource => ({ type: 'wec', name }));
  // Without the columns of a collector that is not checked yet, the result would replace what stands in the WDS.
  const unchecked = inputs.unchecked.names;
  return awaiting(deps, { subject, head, unchecked }, [...missing.wds, ...wecs]);
}

/**
 * Whether there is nothing for the writer: no Binding has ever named the object, its WDS has not reported everything yet, and
 * the writer was never notified. A WEC may invent objects of a WDS that does not exist. A hint for such an object would wait
 * forever. If the WDS exists, the object is notified again after the WDS has reported everything, because the WDS may have the
 * object.
 */
async function isInvented(
  deps: AggregateDeps,
  { workload }: WorkloadSubject,
  { pk, head, desired }: { pk: string; head: Head; desired: DesiredWorkload },
): Promise<boolean> {
  if (desired.version !== '' || desired.combinedStatuses.length > 0) return false;
  const wds: EventSource = { type: 'wds', name: workload.wds };
  if ((await deps.listings.missing([wds])).length === 0) return false;
  const applied = await readApplied(deps.store, pk);
  // The writer stores strays before it reads the head. So either it sees this head, or this process sees the strays.
  return (
    applied.revision === 0 && (await readStrays(deps.store, { pk, head, applied })).length === 0
  );
}

/** Whether a Binding names the object, or may name it. The Bindings of a WDS that has not reported everything are not known. */
async function isNamed(
  deps: AggregateDeps,
  { workload }: WorkloadSubject,
  { memberships }: LoadedInputs,
): Promise<boolean> {
  const wds: EventSource = { type: 'wds', name: workload.wds };
  return memberships.length > 0 || (await deps.listings.missing([wds])).length > 0;
}

/** The errors of the object, including those for the Bindings that do not count for it. */
function withRefused(
  { maxBindings }: AggregateDeps,
  { workload }: WorkloadSubject,
  { bindingErrors, inputs }: Pick<WorkloadResult, 'bindingErrors'> & { inputs: LoadedInputs },
): WorkloadResult['bindingErrors'] {
  if (inputs.refused.length === 0) return bindingErrors;
  const errors = [refusedText(workload, maxBindings)];
  return new Map([...bindingErrors, ...inputs.refused.map((name) => [name, errors] as const)]);
}

/** Whether nothing has changed except which WECs are silent, and the results do not depend on that. */
function hasNothingToDo(
  { rows }: WorkloadChange,
  { silent, unheard, unchecked }: LoadedInputs & LoadedWecs,
): boolean {
  // A collector that is not checked yet may depend on silence.
  const mayDepend = silent !== undefined || unheard !== undefined || unchecked.names.length > 0;
  return rows === 'silence' && !mayDepend;
}

async function attempt(
  deps: AggregateDeps,
  subject: WorkloadSubject,
  changed: WorkloadChange,
): Promise<boolean> {
  const { change } = changed;
  const aggregation = await begin(deps, subject);
  if (aggregation === undefined) return false;
  const { workload } = subject;
  await notifyOfVerdict(deps, workload, aggregation.head);
  if (hasNothingToDo(changed, aggregation.inputs)) return true;
  // Before the fold, which may end the process: lists have to find an object that is set aside.
  const obsolete = await keepNamed(deps.store, workload, aggregation);
  const part = await foldAll(deps, aggregation, changed);
  if (part === undefined) return false;
  const { head, inputs, sharded, layoutRevision, pk } = aggregation;
  const { desired, bindingErrors, census, verdict } = aggregation.fold.finish(part);
  const byBinding = withRefused(deps, subject, { bindingErrors, inputs });
  const { version } = desired;
  const awaits = await awaited(deps, subject, aggregation);
  if (awaits === 'again') return false;
  const { shards } = sharded;
  const unnamed = (await isNamed(deps, subject, inputs)) ? {} : unnamedSince(head, deps.clock());
  const noted = notedIn(head, byBinding);
  const timed = inputs.unheard && { silentAfterMs: inputs.unheard.silentAfterMs };
  const kept = {
    shards,
    layoutRevision,
    consumed: inputs.consumed,
    ...noted,
    version,
    ...awaits,
    ...unnamed,
    ...namedIn(inputs),
    ...censusField(census),
    ...verdictFields(deps, head, { verdict, found: inputs.verdictFound, awaits }),
    ...timed,
  };
  const {
    unnamedMs: _since,
    named: _entry,
    census: _census,
    verdict: _verdict,
    verdictBefore: _before,
    silentAfterMs: formerTime,
    ...former
  } = head;
  await noteListed(deps, pk, head);
  // A DesiredWorkload is plain JSON.
  const next = await settle(deps, subject, {
    head: former,
    desired: WORKLOAD_RESULT.encode(desired),
    kept,
  });
  if (next === undefined) return false;
  if (layoutRevision !== head.layoutRevision)
    await removePartsBefore(deps.store, { pk, layoutRevision });
  await forgetTime(deps, { pk, head: next }, formerTime);
  await dropNamed(deps.store, obsolete);
  await notifyOfVerdict(deps, workload, next);
  await notifyOfErrors(deps, { workload, head: next, byBinding });
  if (!(await isInvented(deps, subject, { pk, head: next, desired })))
    await hintUnlessApplied(deps, subject, { head: next, change });
  const contentVersion = inputs.consumed[SORT.object] ?? '';
  await notifySchemaUsers(deps, workload, { contentVersion, change });
  await checkLater(deps, subject, { unchecked: inputs.unchecked, head: next, change });
  return true;
}

/** The changed inputs of a workload object, and the time of the change. */
export interface WorkloadChange {
  /** Names of the WECs whose rows changed. `silence`: nothing has changed except which WECs are silent. */
  readonly rows: readonly string[] | 'silence';
  /** The shards that earlier aggregations have left. */
  readonly rest?: readonly FoldedShards[];
  readonly progress: FoldProgress;
  readonly change: ChangeTime;
}

/**
 * Folds the reports of the WECs about a workload object into the desired result for the WDS, and notifies the writer
 * (docs/architecture.md, section 5, "The protocol", rule 2). For a large workload, only the shards of the changed rows are read
 * again. If only silences have changed and the result does not depend on them, there is nothing to do. If the aggregation runs
 * late, the head does not change, and the progress records the remaining work.
 *
 * @throws ContentionError if other processes kept aggregating the same workload
 */
export async function aggregateWorkload(
  deps: AggregateDeps,
  subject: WorkloadSubject,
  changed: WorkloadChange,
): Promise<void> {
  await retryContention(`workload ${workloadKey(subject.workload)}`, async () => {
    changed.progress.begin();
    return (await attempt(deps, subject, changed)) || changed.progress.rest !== undefined;
  });
}
