// Why a command cannot use the state file of `starfold start`.

/** `fault` says that there is no such file. */
export function noState(fault: string): string {
  return `${fault}: name the file that starfold start was given with --state, or a deployment on AWS with --stage`;
}

/** The file would be changed, and the release that has written it could not use it any more. */
export function olderState(file: string): string {
  return `an older Starfold wrote ${file}: use that version of Starfold, or first start this version with the file`;
}
