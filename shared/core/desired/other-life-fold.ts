import type { Fold } from '#shared/core/fold/fold.ts';
import { type NamedWecs, namedTexts, namedWecsFold } from '#shared/core/fold/named-wecs.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { ADOPT_EXISTING, createLifeCheck, type OtherLife } from '#shared/core/status/other-life.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';

/** The WECs whose object was made from another object than the one in the WDS, and how this is known. */
export type OtherLifePart = NamedWecs<OtherLife>;

/** The fold of the WECs that count as having returned nothing for this reason. */
export function otherLifeFold(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): Fold<PerWecRow, OtherLifePart, OtherLifePart> {
  const otherLife = createLifeCheck(workload, specsByHash);
  return namedWecsFold(({ row }) => (row === undefined ? undefined : otherLife(row)));
}

const WHY: Readonly<Record<OtherLife, string>> = {
  source: 'was made from a different object than the one in the WDS',
  spec: 'has a different spec than the one in the WDS',
  age: 'is older than the one in the WDS',
};

/** The entries about them in `status.errors` of the Bindings. */
export function otherLifeErrors(ref: WorkloadRef, part: OtherLifePart): readonly string[] {
  const title = workloadTitle(ref);
  return namedTexts(
    part,
    (wec, why) =>
      `${title}: the object in WEC ${wec} ${WHY[why]}: its status counts as not returned; if it stays, delete it there, so that it is created again; if this is intended, set the annotation ${ADOPT_EXISTING} to "true" in the WDS`,
    `${title}: other WECs whose object was made for an earlier object`,
  );
}
