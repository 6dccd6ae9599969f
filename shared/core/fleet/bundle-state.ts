/** The states of a BundleDeployment, from best to worst (Fleet, Status Fields, "State Ranking"). */
export const BUNDLE_STATES = [
  'Ready',
  'NotReady',
  'Pending',
  'OutOfSync',
  'Modified',
  'WaitApplied',
  'ErrApplied',
] as const;

/** The state of a BundleDeployment, or of a target that has none yet (`Pending`). */
export type BundleState = (typeof BUNDLE_STATES)[number];

/** The states that are not Ready, in the order in which messages name them. */
export const NON_READY_STATES = BUNDLE_STATES.filter((state) => state !== 'Ready').sort();

/** The rank of a state: 0 is Ready, and a greater rank is worse. */
export function rankOf(state: BundleState): number {
  return BUNDLE_STATES.indexOf(state);
}
