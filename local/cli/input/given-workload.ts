import { contentHash } from '#shared/content-hash.ts';
import type { ReportedObject } from '#shared/core/desired/desired-state.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { objectKey, type WorkloadRef } from '#shared/core/workload.ts';
import { withinLimits } from '#shared/events/batch-text.ts';
import { decodeRow, rowItem } from '#shared/state/rows.ts';
import { type GivenObject, uidOf } from './given-objects.ts';
import type { WdsInput } from './wds-input.ts';
import type { WecReport, WecReports } from './wec-reports.ts';

/** A given workload object, with the reports of the WECs. */
export interface GivenWorkload extends ReportedObject {
  readonly given: GivenObject;
  /** By WEC. */
  readonly reports: ReadonlyMap<string, WecReport>;
}

/** A row as it would be stored, with the limits of recording and of the store. */
export function rowOf(
  ref: WorkloadRef,
  { wec, returned }: WecReport,
  specs: Map<string, JsonValue>,
): PerWecRow {
  const { spec, oversizedBytes, ...rest } = withinLimits(returned);
  const specHash = spec === undefined ? undefined : contentHash(stringifyJson(spec));
  if (spec !== undefined && specHash !== undefined) specs.set(specHash, spec);
  const row = { wec, ...rest, ...(specHash === undefined ? {} : { specHash }) };
  const reported = { wec, row, version: { epoch: 0, sequence: 0 } };
  const oversized = oversizedBytes === undefined ? {} : { oversizedBytes };
  return decodeRow(rowItem(ref, { ...reported, ...oversized }, 0));
}

/** The workload objects of a WDS with the reports of the WECs. */
export function givenWorkloads(
  input: WdsInput,
  reports: WecReports,
  wds: string,
): readonly GivenWorkload[] {
  return input.workloads.map((given) => {
    const { group, kind, namespace, name, object } = given;
    const ref = { wds, group, resource: input.resourceOf(group, kind), namespace, name };
    const own: ReadonlyMap<string, WecReport> = reports.get(objectKey(ref)) ?? new Map();
    const specs = new Map<string, JsonValue>();
    const rows = new Map([...own].map(([wec, report]) => [wec, rowOf(ref, report, specs)]));
    return { given, ref, uid: uidOf(given), object, rows, specs, reports: own };
  });
}
