// The lines of `starfold explain` above the table that only objects of Fleet have. The others are in messages.ts.

/** An object of Fleet has targets, and some of them have a BundleDeployment. */
export function targetsReported(reported: number, qualified: number): string {
  return `Targets: ${reported} of ${qualified} have a BundleDeployment`;
}

/** Some targets have none. It follows {@link targetsReported}. */
export function waitingTargets(names: string): string {
  return `waiting: ${names}`;
}

/** The targets have a worst state. A higher rank is worse. `message` is `''` if the state has none. */
export function worstState(status: string, rank: number, message: string): string {
  return `Worst state: ${status} (rank ${rank})${message === '' ? '' : `: ${message}`}`;
}
