import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { withObservedWorkload } from '#shared/core/health/rollout.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import { at, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { labelsOf } from '#shared/core/labels.ts';
import { createdOf } from '#shared/core/metadata.ts';
import { observedGeneration } from '#shared/core/observed-generation.ts';
import type { PerWecRow, WecRow } from '#shared/core/row.ts';
import { builtInKind } from '#shared/core/schema/built-in-kinds.ts';
import { largeReport, NOT_REPORTED, OBJECT_MISSING } from './messages.ts';
import { readyText } from './ready-text.ts';
import type { WorkloadName } from './status-name.ts';
import type { BoundWorkload, WecGeneration, WecState, WecStatus } from './wec-status.ts';

/** What is known of a workload object, whichever WEC reports it. */
export interface StatusSubject {
  readonly workload: WorkloadName;
  /** API version of the object, such as `v1`. */
  readonly version: string;
  /** The object in the WDS, without its status. Absent if the WDS has none. */
  readonly object?: JsonObject;
  /** Specs of the WECs' objects, by the hashes in the rows. */
  readonly specs: ReadonlyMap<string, JsonValue>;
}

/** What one WEC has reported about the object. */
export interface WecReport extends PerWecRow {
  /** The WEC has reported that it does not have the object any more. */
  readonly missing?: true;
  /** Whether the WEC has been silent for longer than its limit. */
  readonly silent: boolean;
  /** When the WEC last sent a heartbeat, RFC 3339. Absent if it never has. */
  readonly lastContact?: string;
  /** Names of the Bindings that send the object to the WEC, sorted. */
  readonly bindings: readonly string[];
}

function apiVersionOf({ workload: { group }, version }: StatusSubject): string {
  return group === '' ? version : `${group}/${version}`;
}

/** What the WDS says of a workload object. The kind of an object that is not there is only known for Kubernetes' own kinds. */
export function createBoundWorkload(subject: StatusSubject): BoundWorkload {
  const { workload, version, object } = subject;
  const { group, resource } = workload;
  const kind = member(object, 'kind');
  const created = createdOf(object ?? {});
  return {
    workload,
    kind: typeof kind === 'string' ? kind : (builtInKind({ group, version, resource }) ?? ''),
    ...(created === '' ? {} : { created }),
    ownLabels: labelsOf(object ?? {}),
  };
}

function stateOf({ silent, oversizedBytes, missing, row }: WecReport): WecState {
  if (silent) return 'Silent';
  if (oversizedBytes !== undefined) return 'TooLarge';
  if (missing === true) return 'Missing';
  return row === undefined ? 'NotReported' : 'Reported';
}

function generationsOf(row: WecRow | undefined): WecGeneration {
  if (row === undefined) return {};
  const observed = observedGeneration(row.status);
  return {
    ...(row.generation === 0 ? {} : { wec: row.generation }),
    ...(row.sourceGeneration === undefined ? {} : { source: row.sourceGeneration }),
    ...(observed === undefined ? {} : { observed }),
  };
}

function ownSpec({ object, specs }: StatusSubject, row: WecRow): JsonValue | undefined {
  const own = row.specHash === undefined ? undefined : specs.get(row.specHash);
  return own ?? member(object, 'spec');
}

/**
 * The object in the WEC, as far as Argo CD's rules read it. What is not known about it is assumed to be as in the WDS, but a
 * WEC's generation is never the WDS's.
 */
function objectIn(subject: StatusSubject, kind: string, row: WecRow): JsonObject {
  const spec = ownSpec(subject, row);
  const annotations = at(subject.object, 'metadata', 'annotations');
  const status = row.status ?? {};
  const { name } = subject.workload;
  return {
    apiVersion: apiVersionOf(subject),
    kind,
    metadata: {
      name,
      ...(annotations === undefined
        ? {}
        : { annotations: withObservedWorkload(annotations, status) }),
      ...(row.generation === 0 ? {} : { generation: row.generation }),
      // Only that it is being deleted is known.
      ...(row.deleting === true ? { deletionTimestamp: '' } : {}),
    },
    ...(spec === undefined ? {} : { spec }),
    status,
  };
}

const NOTHING: WecRow = { wec: '', uid: '', generation: 0 };

/** What decides the health of a report. */
type Judged = Pick<WecReport, 'row' | 'missing' | 'oversizedBytes'>;

/** Why Argo CD would find no status, if it would. */
function absence({ row, missing, oversizedBytes }: Judged): string | undefined {
  if (missing === true) return OBJECT_MISSING;
  if (oversizedBytes !== undefined) return largeReport(oversizedBytes);
  return row === undefined ? NOT_REPORTED : undefined;
}

function healthOf(subject: StatusSubject, kind: string, report: Judged): ArgoCdVerdict | undefined {
  const message = absence(report);
  const verdict = assessArgoCd(objectIn(subject, kind, report.row ?? NOTHING));
  if (verdict === null) return undefined;
  return message === undefined ? verdict : { status: 'Missing', message };
}

/** Returns Argo CD's verdicts on what WECs report of an object: the health of their statuses. */
export function createAssessment(
  subject: StatusSubject,
): (report: Judged) => ArgoCdVerdict | undefined {
  const { kind } = createBoundWorkload(subject);
  return (report) => healthOf(subject, kind, report);
}

/**
 * What one WEC reports of one workload object. The health is Argo CD's verdict on the WEC's own object. As for the aggregate
 * (docs/rules.md, K1), a WEC without a usable status is Missing. The report of a silent WEC is judged as it was last.
 */
export function createWecStatus(subject: StatusSubject, report: WecReport): WecStatus {
  const bound = createBoundWorkload(subject);
  const { wec, row, lastContact, bindings } = report;
  const health = healthOf(subject, bound.kind, report);
  const status = report.missing === true ? undefined : row?.status;
  const ready =
    row === undefined || status === undefined
      ? undefined
      : readyText(subject.workload, { spec: ownSpec(subject, row), status });
  return {
    ...bound,
    wec,
    state: stateOf(report),
    ...(lastContact === undefined ? {} : { lastContact }),
    ...(row?.lastUpdate === undefined ? {} : { lastUpdate: row.lastUpdate }),
    generation: generationsOf(row),
    ...(health === undefined ? {} : { health }),
    ...(ready === undefined ? {} : { ready }),
    bindings,
    ...(status === undefined ? {} : { status }),
  };
}
