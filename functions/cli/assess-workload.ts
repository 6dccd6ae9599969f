import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { type ArgoCdVerdict, worst } from '#shared/core/health/verdict.ts';
import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { statusFold } from '#shared/core/status/rules.ts';
import type { Membership } from './bound-workloads.ts';
import { contentOf, destinationsOf, type ReportedWorkload, rowOf } from './fold-workload.ts';
import { objectKey, type WecReport } from './wec-reports.ts';

/** What Argo CD says; null where it has no rule for the kind. */
export type Health = { readonly status: string; readonly message: string } | null;

/** The health of one object, as programs read it. */
export interface ObjectHealth {
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly health: Health;
  readonly wecs: readonly { readonly name: string; readonly health: Health }[];
  /** Names of the WECs whose reports, each taken alone, give the worst verdict. */
  readonly decidedBy: readonly string[];
}

function shown(verdict: ArgoCdVerdict | null): Health {
  return verdict && { status: verdict.status, message: verdict.message ?? '' };
}

/** What stands in the WEC. Of a status alone, the rest is taken to be as in the WDS, but without a generation. */
function objectIn({ object, returned }: WecReport, { given }: ReportedWorkload): JsonObject {
  if (object !== undefined) return object;
  const metadata = member(given.object, 'metadata');
  const { generation: _generation, ...kept } = isObject(metadata) ? metadata : {};
  return { ...given.object, metadata: kept, status: returned.status ?? {} };
}

function healthIn(workload: ReportedWorkload, wec: string): Health {
  const report = workload.reports.get(wec);
  if (report !== undefined) return shown(assessArgoCd(objectIn(report, workload)));
  const hasRule = assessArgoCd(workload.given.object) !== null;
  return hasRule ? { status: 'Missing', message: '' } : null;
}

/** The WECs whose status counts: those of every Binding that wants one back. */
function qualifiedOf(membership: Membership, { ref }: ReportedWorkload): readonly string[] {
  const wanting = (membership.memberships.get(objectKey(ref)) ?? []).filter(
    ({ modulation }) =>
      modulation.wantSingletonReportedState || modulation.wantMultiWECReportedState,
  );
  return [...new Set(wanting.flatMap(({ destinations }) => destinations.names))].sort();
}

/** The verdict on the aggregate of one WEC alone: it also tells whether the WEC is behind what the WDS wants. */
function verdictAlone(workload: ReportedWorkload, wec: string): ArgoCdVerdict | null {
  const { given, ref, reports } = workload;
  const specs = new Map<string, JsonValue>();
  const report = reports.get(wec);
  const row = report === undefined ? { wec } : rowOf(ref, report, specs);
  const fold = statusFold(contentOf(given), specs);
  return assessArgoCd({ ...given.object, status: fold.finish(foldRows(fold, [row])) ?? {} });
}

function deciding(membership: Membership, workload: ReportedWorkload): readonly string[] {
  const verdicts = qualifiedOf(membership, workload).flatMap((wec) => {
    const verdict = verdictAlone(workload, wec);
    return verdict === null ? [] : [{ wec, status: verdict.status }];
  });
  const decisive = worst(verdicts.map(({ status }) => status));
  return verdicts.filter(({ status }) => status === decisive).map(({ wec }) => wec);
}

function nameOf({ given }: ReportedWorkload): ObjectHealth['object'] {
  const { kind, namespace, name, object } = given;
  return { apiVersion: String(object['apiVersion']), kind, namespace, name };
}

/** The health of an object as it stands, where no WEC's report is known. */
export function assessAlone(workload: ReportedWorkload): ObjectHealth {
  return {
    object: nameOf(workload),
    health: shown(assessArgoCd(workload.given.object)),
    wecs: [],
    decidedBy: [],
  };
}

/**
 * The health of an object with the status that Starfold writes, in each WEC, and who decides it.
 *
 * @param afterwards the object as Starfold leaves it
 */
export function assessReported(
  membership: Membership,
  workload: ReportedWorkload,
  afterwards: JsonObject,
): ObjectHealth {
  return {
    object: nameOf(workload),
    health: shown(assessArgoCd(afterwards)),
    wecs: destinationsOf(membership, workload.ref).map((name) => ({
      name,
      health: healthIn(workload, name),
    })),
    decidedBy: deciding(membership, workload),
  };
}
