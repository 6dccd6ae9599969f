/** Where `starfold start` keeps its state unless it is told otherwise. */
export const DEFAULT_STATE = '.starfold/state.sqlite';
