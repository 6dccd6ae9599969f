import {
  refusals,
  type StatusRefusal,
} from '#local/simulated-cluster/status-validation/status-validation.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import { type ArgoCdStatus, isWorse, worst } from '#shared/core/health/verdict.ts';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import type { WritableStatus } from '#shared/core/status/writable/status-write.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import type { KindSet, KindSets, KnownWec, SetOptions, Verdicts } from './kind-sets.ts';

/** What the WECs of a set may be like, by name. */
export const SITUATIONS: readonly (readonly [name: string, options: SetOptions])[] = [
  ['one spec, all in step', { differingSpecs: false, outOfStep: false }],
  ['one spec, some out of step', { differingSpecs: false, outOfStep: true }],
  ['specs that differ, all in step', { differingSpecs: true, outOfStep: false }],
  ['specs that differ, some out of step', { differingSpecs: true, outOfStep: true }],
];

const VERSIONS: readonly ArgoCdVersion[] = ['2.14', '3'];

/** The aggregated status of some WECs of a set; undefined where none has returned one. */
export function aggregate(
  { workload, wecs, specsByHash }: KindSet,
  chosen: readonly KnownWec[] = wecs,
): JsonObject | undefined {
  const fold = statusFold(workload, specsByHash);
  return fold.finish(
    foldRows(
      fold,
      chosen.map(({ perWec }) => perWec),
    ),
  );
}

/** The verdicts on an aggregate and on its WECs. */
export interface Judgement extends Verdicts {
  /** Why it cannot be the same; absent where it is, or could be. */
  readonly reason?: string;
}

/** The verdicts of a version on the objects of a set, in their order. */
interface Said {
  readonly version: ArgoCdVersion;
  readonly aggregate: ArgoCdStatus;
  readonly wecs: readonly ArgoCdStatus[];
}

/**
 * On what Argo CD's verdicts on the WECs of a set are given, in their order: the WEC's own object; of a WEC that has returned
 * nothing, the WDS's object with the status that it counts as; undefined for a WEC that is Progressing whatever its object
 * says, since it lags.
 */
export function judgedWecs(
  kind: KindSets,
  { workload, wecs }: KindSet,
): readonly (JsonObject | undefined)[] {
  const { missingStatus = {} } = kind;
  return wecs.map(({ object, current }) => {
    if (kind.readsGeneration && !current) return undefined;
    const hasStatus = object !== undefined && 'status' in object;
    return hasStatus ? object : { ...workload, status: missingStatus };
  });
}

function compared(expected: ArgoCdStatus, found: ArgoCdStatus): 'same' | 'better' | 'worse' {
  if (expected === found) return 'same';
  return isWorse(expected, found) ? 'better' : 'worse';
}

/** Compares the verdict on the aggregate of a set with the worst of those on its WECs, whoever has given them. */
export function judgementOf(kind: KindSets, set: KindSet, said: Said): Judgement {
  const { version, aggregate: found } = said;
  const expected = worst(said.wecs);
  const comparison = compared(expected, found);
  const verdicts = { version, expected, found, comparison };
  const reason = comparison === 'same' ? undefined : kind.unavoidable?.(set, verdicts);
  return { ...verdicts, ...(reason === undefined ? {} : { reason }) };
}

/** Judges a status that the WDS's object of a set may have, by each version of Argo CD that has a rule for its kind. */
export function judgeStatus(
  kind: KindSets,
  set: KindSet,
  status: JsonObject,
): readonly Judgement[] {
  const object = { ...set.workload, status };
  const objects = judgedWecs(kind, set);
  return VERSIONS.flatMap((version): Judgement[] => {
    const found = assessArgoCd(object, version)?.status;
    if (found === undefined) return [];
    const wecs = objects.map((one) =>
      one === undefined ? 'Progressing' : (assessArgoCd(one, version)?.status ?? 'Unknown'),
    );
    return [judgementOf(kind, set, { version, aggregate: found, wecs })];
  });
}

/** Judges the aggregate of a set. */
export function judge(kind: KindSets, set: KindSet): readonly Judgement[] {
  return judgeStatus(kind, set, aggregate(set) ?? {});
}

/** The judgements on the aggregate of a set that are not what they should be, and could be. */
export function misjudgements(kind: KindSets, set: KindSet): readonly Judgement[] {
  return judge(kind, set).filter(
    ({ comparison, reason }) => comparison !== 'same' && reason === undefined,
  );
}

/**
 * What is wanted of the WDS for some WECs: of one alone, what it says itself, unless its own API server would not have
 * taken that, either.
 */
function wantedFor(set: KindSet, chosen: readonly KnownWec[]): JsonObject | undefined {
  const [only, ...others] = chosen;
  const { status } = only?.perWec.row ?? {};
  if (others.length > 0) return aggregate(set, chosen);
  const { status: _own, ...object } = only?.object ?? {};
  return isObject(status) && refusals(object, status).length === 0 ? status : undefined;
}

/** What is wanted of the WDS while the WECs of a set join one after the other, and then leave in the same order. */
function wantedInTurn(set: KindSet): readonly JsonObject[] {
  const { wecs } = set;
  const joining = wecs.map((_wec, index) => wecs.slice(0, index + 1));
  const leaving = wecs.slice(1).map((_wec, index) => wecs.slice(index + 1));
  return [...joining, ...leaving].flatMap((chosen): JsonObject[] => {
    const wanted = wantedFor(set, chosen);
    return wanted === undefined ? [] : [wanted];
  });
}

/** A status that is written to the WDS. */
interface StatusWritten {
  /** The object as it stood. */
  readonly object: JsonObject;
  readonly wanted: JsonObject;
  readonly written: WritableStatus;
  /** Why the API server rejects it. */
  readonly refused: readonly StatusRefusal[];
}

/** What is written to the WDS in turn, while the WECs of a set join and leave. */
export function writesOf(set: KindSet): readonly StatusWritten[] {
  const { workload } = set;
  const writes: StatusWritten[] = [];
  let stored: JsonObject | undefined;
  for (const wanted of wantedInTurn(set)) {
    const written = writableStatus(workload, wanted, stored);
    const object = stored === undefined ? workload : { ...workload, status: stored };
    const refused = refusals(object, written.status);
    writes.push({ object, wanted, written, refused });
    if (refused.length === 0) stored = written.status;
  }
  return writes;
}

/**
 * Why the API server of the WDS refuses the aggregate of a set as the first status that it sees, or one of those that
 * are written while the WECs join and leave; empty where it takes them all.
 */
export function refusedWrites(set: KindSet, writes = writesOf(set)): readonly StatusRefusal[] {
  const refused = writes.flatMap((write) => write.refused);
  return [...refusals(set.workload, aggregate(set) ?? {}), ...refused];
}

/**
 * The statuses that are written while WECs join and leave and that look otherwise to Argo CD than those that are wanted,
 * without a problem that says so.
 */
export function untoldWrites(set: KindSet, writes = writesOf(set)): readonly StatusWritten[] {
  return writes.filter(({ object, wanted, written }) =>
    VERSIONS.some((version) => {
      const verdictWith = (status: JsonObject) =>
        assessArgoCd({ ...object, status }, version)?.status;
      return written.problem === undefined && verdictWith(written.status) !== verdictWith(wanted);
    }),
  );
}
