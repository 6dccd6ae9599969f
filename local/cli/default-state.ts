/** The default state file of `starfold start`. */
export const DEFAULT_STATE = '.starfold/state.sqlite';
