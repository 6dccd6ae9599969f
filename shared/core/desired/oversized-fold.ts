import { type NamedWecs, namedTexts, namedWecsFold } from '#shared/core/fold/named-wecs.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';

/** The WECs whose status was too large to keep, with its length in bytes. */
export type OversizedPart = NamedWecs<number>;

/** The fold of the statuses that could not be kept. */
export const OVERSIZED = namedWecsFold(({ oversizedBytes }) => oversizedBytes);

/** The entries about them in `status.errors` of the Bindings. */
export function oversizedErrors(ref: WorkloadRef, part: OversizedPart): readonly string[] {
  const title = workloadTitle(ref);
  return namedTexts(
    part,
    (wec, bytes) =>
      `${title}: WEC ${wec} returned ${bytes} bytes, too large to keep: its status counts as not returned; make spec and status smaller (each at most 1 MiB of JSON, 50,000 values and 500 levels)`,
    `${title}: other WECs with a status too large to keep`,
  );
}
