import type { ReportedObject } from '#shared/core/desired/desired-state.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import type { FieldExplanation } from '#shared/core/status/kinds/explain-status.ts';
import { createWecStatus } from '#shared/core/status-api/create-wec-status.ts';
import type { WecState } from '#shared/core/status-api/wec-status.ts';
import type { VerdictExplanation } from './verdict-explanation.ts';

/** What is said about a WEC that decides the verdict or a field of a status. */
export interface DecidingWec {
  readonly wec: string;
  /** That of its WECStatus, but a WEC that is silent for longer than the object allows is `Silent`. */
  readonly state: WecState;
  /** That of its WECStatus: Argo CD's verdict on its own object. Absent if Argo CD does not judge the kind. */
  readonly health?: ArgoCdVerdict;
}

/** The names of the WECs that decide anything, sorted, each once. */
function namesOf(
  fields: readonly FieldExplanation[],
  verdict: VerdictExplanation | undefined,
): readonly string[] {
  const ofFields = fields.flatMap(({ decidedBy = [] }) =>
    decidedBy.flatMap((one) => ('wec' in one ? [one.wec] : [])),
  );
  return [...new Set([...(verdict?.decidedBy ?? []), ...ofFields])].sort();
}

/** What counts for the status, and what was said last if it does not count. */
function lastOf({ uncounted, ...row }: PerWecRow): PerWecRow {
  return uncounted ?? row;
}

/**
 * What is said about each WEC that decides the verdict or a field, in the order of names. So a reader need not ask for their
 * WECStatuses.
 *
 * @param rows one for each qualified WEC
 * @param silent the WECs that are silent by their own limit or by that of the object
 */
export function decidingWecs(
  { ref, object, specs, missing }: ReportedObject,
  rows: readonly PerWecRow[],
  {
    silent,
    fields,
    verdict,
  }: {
    readonly silent: ReadonlySet<string>;
    readonly fields: readonly FieldExplanation[];
    readonly verdict: VerdictExplanation | undefined;
  },
): readonly DecidingWec[] {
  const byWec = new Map(rows.map((row) => [row.wec, row]));
  const apiVersion = String(object['apiVersion']);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const subject = { workload: ref, version, object, specs };
  return namesOf(fields, verdict).map((wec) => {
    const { state, health } = createWecStatus(subject, {
      // Only qualified WECs decide.
      ...lastOf(byWec.get(wec) as PerWecRow),
      ...(missing?.has(wec) === true ? { missing: true } : {}),
      silent: silent.has(wec),
      bindings: [],
    });
    return { wec, state, ...(health === undefined ? {} : { health }) };
  });
}
