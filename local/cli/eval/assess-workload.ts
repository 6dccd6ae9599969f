import type { GivenWorkload } from '#local/cli/input/given-workload.ts';
import type { SilentBeyond } from '#local/cli/input/silent-wecs.ts';
import type { WecReport } from '#local/cli/input/wec-reports.ts';
import { silentAfterOf } from '#shared/core/binding/silent-after.ts';
import type { HeardOf } from '#shared/core/binding/wecs-reporting.ts';
import { contentOf, rowsOf } from '#shared/core/desired/desired-state.ts';
import {
  destinationsOf,
  membershipsFor,
  type WdsMemberships,
} from '#shared/core/desired/membership.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { isObject, type JsonObject, member } from '#shared/core/json.ts';
import { metadataText } from '#shared/core/metadata.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { decideStatus } from '#shared/core/status/decision.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { NOT_REPORTED, OBJECT_MISSING } from '#shared/core/status-api/messages.ts';
import type { Assessor, Health } from './assessor.ts';

/** The health of one object in one WEC. */
export interface WecHealth {
  readonly name: string;
  readonly health: Health | null;
  /** Set if the WEC is silent: since when, RFC 3339. `''` if that is not known. */
  readonly silentSince?: string;
}

/** The health of one object, in the form for programs. */
export interface ObjectHealth {
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** Null if the assessor has no rule for the kind. */
  readonly health: Health | null;
  readonly wecs: readonly WecHealth[];
  /** Names of the WECs whose reports by themselves give the worst verdict. Empty if Starfold writes no status. */
  readonly decidedBy: readonly string[];
}

/** A workload object with its results. */
export interface EvaluatedWorkload {
  readonly membership: WdsMemberships;
  readonly workload: GivenWorkload;
  /** The WECs for which any objects are given. */
  readonly heard: ReadonlySet<string>;
  readonly silentBeyond: SilentBeyond;
  /** The object after Starfold's writes. */
  readonly afterwards: JsonObject;
}

/**
 * The object in the WEC. If only its status is known, the rest is assumed to be as in the WDS, but without a
 * generation.
 */
function objectIn({ object, returned }: WecReport, { given }: GivenWorkload): JsonObject {
  if (object !== undefined) return object;
  const metadata = member(given.object, 'metadata');
  const { generation: _generation, ...kept } = isObject(metadata) ? metadata : {};
  return { ...given.object, metadata: kept, status: returned.status ?? {} };
}

function healthIn(
  assessor: Assessor,
  { workload, heard }: Pick<EvaluatedWorkload, 'workload' | 'heard'>,
  wec: string,
): Health | null {
  const report = workload.reports.get(wec);
  if (report !== undefined) return assessor.assess(objectIn(report, workload));
  const hasRule = assessor.assess(workload.given.object) !== null;
  if (!hasRule) return null;
  return assessor.absent(heard.has(wec) ? OBJECT_MISSING : NOT_REPORTED);
}

/** The WECs from which Starfold's status comes. Empty if Starfold writes no status. */
function qualifiedOf(membership: WdsMemberships, workload: GivenWorkload): readonly string[] {
  const { action, qualified } = decideStatus(
    contentOf(workload),
    membershipsFor(membership, workload.ref).map(({ modulation, destinations }) => ({
      ...modulation,
      destinations: destinations.names,
    })),
  );
  return action === 'copy' || action === 'aggregate' ? qualified : [];
}

/** The object with the aggregate of only one WEC. This also shows whether the WEC is behind what the WDS wants. */
function objectAlone(workload: GivenWorkload, row: PerWecRow): JsonObject {
  const { object, specs } = workload;
  const fold = statusFold(contentOf(workload), specs);
  return { ...object, status: fold.finish(foldRows(fold, [row])) ?? {} };
}

function deciding(
  assessor: Assessor,
  { membership, workload, silentBeyond }: EvaluatedWorkload,
): readonly string[] {
  const severities = new Map<string, number>();
  const qualified = new Set(qualifiedOf(membership, workload));
  const silentFor = (silenceMs: number) => new Set(silentBeyond(silenceMs).keys());
  for (const row of rowsOf(membership, workload, silentFor)) {
    const { wec } = row;
    if (!qualified.has(wec)) continue;
    const verdict = assessor.assess(objectAlone(workload, row));
    if (verdict !== null) severities.set(wec, assessor.severity(verdict));
  }
  const worst = Math.max(...severities.values());
  return [...severities].filter(([, severity]) => severity === worst).map(([wec]) => wec);
}

function nameOf(object: JsonObject): ObjectHealth['object'] {
  return {
    // Every given object has both fields.
    apiVersion: String(object['apiVersion']),
    kind: String(object['kind']),
    namespace: metadataText(object, 'namespace'),
    name: metadataText(object, 'name'),
  };
}

/** The health of an object as it is, if no WEC reports on it. */
export function assessAlone(assessor: Assessor, object: JsonObject): ObjectHealth {
  return {
    object: nameOf(object),
    health: assessor.assess(object),
    wecs: [],
    decidedBy: [],
  };
}

function silenceOf(silence: { readonly since?: string } | undefined): Partial<WecHealth> {
  return silence === undefined ? {} : { silentSince: silence.since ?? '' };
}

/** The WECs that are silent by their own limit, or by that of the object. */
function silentFrom({ membership, workload, silentBeyond }: EvaluatedWorkload): HeardOf['silent'] {
  const { object, ref } = workload;
  const silentAfterMs = silentAfterOf(object, membershipsFor(membership, ref));
  const unheard = silentAfterMs === undefined ? [] : silentBeyond(silentAfterMs);
  return new Map([...silentBeyond(), ...unheard]);
}

/** The health of an object with Starfold's status, its health in each WEC, and the WECs that decide it. */
export function assessReported(assessor: Assessor, evaluated: EvaluatedWorkload): ObjectHealth {
  const { membership, workload, afterwards } = evaluated;
  const silent = silentFrom(evaluated);
  return {
    object: nameOf(afterwards),
    health: assessor.assess(afterwards),
    wecs: destinationsOf(membership, workload.ref).map((name) => ({
      name,
      health: healthIn(assessor, evaluated, name),
      ...silenceOf(silent.get(name)),
    })),
    decidedBy: deciding(assessor, evaluated),
  };
}
