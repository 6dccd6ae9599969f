// What is wrong with an option that several commands have.

/** The value of `--wec`. */
export const WEC_FORM = 'Write NAME=FILE, such as wec1=wec1.yaml.';

/** The name in `--wec`. */
export function notACluster(name: string): string {
  return `${name} does not name a cluster: write the name of a WEC, or NAMESPACE/NAME of a Fleet Cluster.`;
}

/** The value of `--now`. */
export const TIME_FORM = 'Write a time of RFC 3339 that exists, such as 2026-11-21T12:00:00Z.';

/** The name of an installation. */
export const IDENTITY_FORM = 'Give 1 to 512 printable ASCII characters.';

/** Several files are `-`. */
export const ONE_STANDARD_INPUT = 'standard input (-) can be read only once: name it once';

/** An option is missing, in commander's words. `flags` are as its help shows them. */
export function missingOption(flags: string): string {
  return `error: required option '${flags}' not specified`;
}

/** The value of an option, in the form of commander's errors. `flags` are as those of {@link missingOption}. */
export function emptyValue(flags: string): string {
  return `error: option '${flags}' has an empty value: give one, or leave the option out`;
}

/** Follows an error about the command line. */
export const SEE_HELP = '(add --help for help)';
