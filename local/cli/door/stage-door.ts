import type { Account } from '#local/cli/deployment/account.ts';
import { findDeployment } from '#local/cli/deployment/deployment.ts';
import type { Door } from './door.ts';
import { openTableDoor } from './table-door.ts';

/** What is read of which deployment. */
export interface StageDoorOptions {
  readonly stage: string;
  /** The WDS, or the management cluster of Fleet. Default: the only WDS; without one, the only management cluster. */
  readonly wds?: string;
  readonly account: Account;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * Opens a door to the table of a deployment on AWS, with the permissions of the caller's AWS principal. Nothing is written.
 *
 * @throws InputError if there is no such deployment, or if it is not clear what is read; what the account throws
 */
export async function openStageDoor({
  stage,
  wds,
  account,
  clock,
}: StageDoorOptions): Promise<Door> {
  const { name, store } = await findDeployment(account, stage);
  return openTableDoor({ name, store, wanted: wds, clock, close: () => undefined });
}
