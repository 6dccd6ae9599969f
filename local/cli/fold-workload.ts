import { contentHash } from '#shared/content-hash.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { isObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { withoutMetadata, workloadContent } from '#shared/core/metadata.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { hasStatusAsContent } from '#shared/core/status-as-content.ts';
import { objectKey, type WorkloadRef } from '#shared/core/workload.ts';
import { createWorkloadFold, type WorkloadResult } from '#shared/core/workload-fold.ts';
import { withinLimits } from '#shared/events/batch-text.ts';
import { decodeRow, rowItem } from '#shared/state/rows.ts';
import type { Membership } from './bound-workloads.ts';
import { type GivenObject, uidOf } from './given-objects.ts';
import type { WecReport } from './wec-reports.ts';

/** A workload object with what the WECs say of it. */
export interface ReportedWorkload {
  readonly given: GivenObject;
  readonly ref: WorkloadRef;
  /** By WEC. */
  readonly reports: ReadonlyMap<string, WecReport>;
}

/**
 * The object as rules and expressions see it, of what a forwarder tells: no generation where each write of a status is
 * one. Its UID names its CombinedStatuses, so there has to be one.
 */
export function contentOf(given: GivenObject): WorkloadObject {
  const { object } = given;
  const told = hasStatusAsContent(object) ? withoutMetadata(object, 'generation') : object;
  const content = workloadContent(told);
  const metadata = isObject(content['metadata']) ? content['metadata'] : {};
  // A given object has apiVersion and kind.
  return { ...content, metadata: { ...metadata, uid: uidOf(given) } } as unknown as WorkloadObject;
}

/** A row as it would be stored: with the limits of what is recorded, and of the store. */
export function rowOf(
  ref: WorkloadRef,
  { wec, returned }: WecReport,
  specs: Map<string, JsonValue>,
): PerWecRow {
  const { spec, oversizedBytes, ...rest } = withinLimits(returned);
  const specHash = spec === undefined ? undefined : contentHash(stringifyJson(spec));
  if (spec !== undefined && specHash !== undefined) specs.set(specHash, spec);
  const row = { wec, ...rest, ...(specHash === undefined ? {} : { specHash }) };
  const said = { wec, row, version: { epoch: 0, sequence: 0 } };
  const oversized = oversizedBytes === undefined ? {} : { oversizedBytes };
  return decodeRow(rowItem(ref, { ...said, ...oversized }, 0));
}

/** The names of the WECs that Bindings send an object to, sorted. */
export function destinationsOf(membership: Membership, ref: WorkloadRef): readonly string[] {
  const memberships = membership.memberships.get(objectKey(ref)) ?? [];
  return [...new Set(memberships.flatMap(({ destinations }) => destinations.names))].sort();
}

/**
 * What the WDS should say about one workload object.
 *
 * @param silent names of the WECs that have been silent for longer than their limit
 */
export function foldWorkload(
  membership: Membership,
  { given, ref, reports }: ReportedWorkload,
  silent: ReadonlySet<string>,
): WorkloadResult {
  const specs = new Map<string, JsonValue>();
  const rows = destinationsOf(membership, ref).map((wec): PerWecRow => {
    const report = reports.get(wec);
    return report === undefined ? { wec } : rowOf(ref, report, specs);
  });
  const fold = createWorkloadFold({
    ref,
    object: contentOf(given),
    memberships: membership.memberships.get(objectKey(ref)) ?? [],
    collectors: membership.collectors,
    specs,
    silent,
  });
  return fold.finish(foldRows(fold, rows));
}
