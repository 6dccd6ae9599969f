// What is wrong between the operator and AWS, and with a deployment there. The sentences about dead letters are in letter-messages.ts
// and redrive/messages.ts.

const WHOLE_URL =
  'write AWS_ENDPOINT_URL (or endpoint_url of the AWS profile) as a complete one, such as http://127.0.0.1:4566, or unset it';
const RENEW = 'sign in again (aws sso login), or get a new session of the role';

/** What is wrong between the operator and AWS, with the remedy. */
export const AWS_FAULTS = {
  noCredentials: (message: string): string =>
    `no credentials for AWS (${message}): sign in (aws sso login), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
  expired: `the credentials have expired: ${RENEW}`,
  notAccepted: (name: string): string =>
    `AWS does not accept the credentials (${name}): check the access key and its secret, the session token, and the clock of this machine`,
  denied: (action: string, user: string): string =>
    `AWS denies ${action} to ${user}: allow it; docs/cli.md lists what an operator needs`,
  throttled: 'AWS throttles: retry in a moment',
  noUrl: (text: string): string => `${text} is not a URL: ${WHOLE_URL}`,
  silent: (host: string, reason: string): string =>
    `${host} does not answer (${reason}): check the region (--region), the network, and AWS_ENDPOINT_URL if it is set`,
  noRegion: 'no region: give --region, or set AWS_REGION, or a region in the AWS profile',
  unknownRegion: 'this is not a region of AWS: give one such as eu-west-1 (--region)',
  notAws: (status: string): string =>
    `the answer is not from an API of AWS${status}: check the network (a proxy?), and AWS_ENDPOINT_URL if it is set: ${WHOLE_URL}`,
} as const;

/** AWS does not say whom it denies something. */
export const YOUR_CREDENTIALS = 'the role or user of your credentials';

/** AWS does not say what it denies. */
export const THIS_ACTION = 'this';

/** It is not known which text is not a URL. */
export const AN_ADDRESS = 'an address of AWS';

/** AWS gives an error that is not one of {@link AWS_FAULTS}. */
export function awsRejects(name: string, message: string): string {
  return `AWS rejects the request: ${name}: ${message}`;
}

/** The wanted stage has no stack, but `stages` have one. It is a part of {@link noStack}. */
export function existingStages(stages: readonly string[]): string {
  return stages.length === 0
    ? ' (there is no stack of Starfold here)'
    : ` (stages here: ${stages.join(', ')})`;
}

/** The wanted stage has no stack. `others` is from {@link existingStages}, `''` if the stages are not known. */
export function noStack(name: string, region: string, others: string): string {
  return `there is no stack ${name} in ${region}${others}: check --stage and --region, or deploy it (npm run serverless deploy)`;
}

/** A stack is of another version, or not complete. */
export function noOutput(name: string, status: string, key: string): string {
  return `stack ${name} (${status}) has no output ${key}: deploy it again with this version (npm run serverless deploy)`;
}
