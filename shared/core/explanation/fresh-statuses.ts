import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import type { WdsMemberships } from '#shared/core/desired/membership.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import {
  createBoundWorkload,
  createWecStatus,
  type StatusSubject,
} from '#shared/core/status-api/create-wec-status.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import type { BoundWorkload, WecStatus } from '#shared/core/status-api/wec-status.ts';
import { objectKey } from '#shared/core/workload.ts';

/** What is given of a workload object. */
export interface GivenReports {
  /** Absent if the WDS has no such object. */
  readonly object?: JsonObject;
  /** By WEC. A WEC that has reported nothing has no row. */
  readonly rows: ReadonlyMap<string, PerWecRow>;
  /** The specs in the WECs, by the hashes in the rows. */
  readonly specs: ReadonlyMap<string, JsonValue>;
}

/** A workload object that a Binding names, and what each WEC to which it is sent reports about it. */
export interface FreshWorkload {
  readonly workload: WorkloadName;
  readonly bound: BoundWorkload;
  readonly statuses: readonly WecStatus[];
}

/** A WDS, with what the WECs report. */
export interface FreshWds {
  readonly memberships: WdsMemberships['memberships'];
  /** By key of the workload object. Of an object that is not given, nothing is known. */
  readonly given: ReadonlyMap<string, GivenReports>;
  readonly silent: { has(wec: string): boolean };
}

const NOTHING: GivenReports = { rows: new Map(), specs: new Map() };

/** The inverse of {@link objectKey}, which joins four parts that have no slash. */
function workloadOf(key: string): WorkloadName {
  const [group, resource, namespace, name] = key.split('/') as [string, string, string, string];
  return { group, resource, namespace, name };
}

function subjectOf(
  workload: WorkloadName,
  { object, specs }: GivenReports,
  memberships: readonly WorkloadMembership[],
): StatusSubject {
  const apiVersion = String(object?.['apiVersion'] ?? memberships.map((one) => one.version)[0]);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return { workload, version, specs, ...(object === undefined ? {} : { object }) };
}

function freshWorkload(
  workload: WorkloadName,
  memberships: readonly WorkloadMembership[],
  { given, silent }: Pick<FreshWds, 'given' | 'silent'>,
): FreshWorkload {
  const reports = given.get(objectKey(workload)) ?? NOTHING;
  const subject = subjectOf(workload, reports, memberships);
  const wecs = new Set(memberships.flatMap(({ destinations }) => destinations.names));
  const statuses = [...wecs].map((wec) =>
    createWecStatus(subject, {
      ...(reports.rows.get(wec) ?? { wec }),
      silent: silent.has(wec),
      bindings: memberships
        .filter(({ destinations }) => destinations.set.has(wec))
        .map(({ binding }) => binding),
    }),
  );
  return { workload, bound: createBoundWorkload(subject), statuses };
}

/** What the API says about each workload object that a Binding names, computed from what is given alone. */
export function freshStatuses({ memberships, ...reported }: FreshWds): readonly FreshWorkload[] {
  return [...memberships]
    .filter(([, naming]) => naming.length > 0)
    .map(([key, naming]) => freshWorkload(workloadOf(key), naming, reported));
}
