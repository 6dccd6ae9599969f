// The remedies for what SQS does not do. An error names the operation, the queue and the reason before.

export const CHECK_KEY =
  "check that the queue's KMS key is enabled and that the role may use it (kms:GenerateDataKey, kms:Decrypt)";

export function deployQueue(queueUrl: string): string {
  return `deploy the queue, or correct its URL ${queueUrl}`;
}

export function allowActions(actions: readonly string[]): string {
  return `allow ${actions.join(', ')} on the queue to the role`;
}

export const RENEW_CREDENTIALS = 'renew the credentials of the process';

export const CHECK_CREDENTIALS = 'check the secret access key and the clock of the machine';

/** Why a message is refused. `codeUnit` has four hexadecimal digits. */
export function noCharacter(codeUnit: string): string {
  return `SQS takes no character U+${codeUnit}`;
}
