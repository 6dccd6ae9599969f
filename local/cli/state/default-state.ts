/** The default state file of `starfold start`. */
export const DEFAULT_STATE = '.starfold/state.sqlite';
/** The kubeconfig that `starfold start --api` writes beside it. */
export const DEFAULT_API_KUBECONFIG = '.starfold/api-kubeconfig';
