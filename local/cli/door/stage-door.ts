import type { Account } from '#local/cli/deployment/account.ts';
import { findDeployment } from '#local/cli/deployment/deployment.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { createApiDoor } from './api-door.ts';
import type { Door } from './door.ts';
import { oneWds } from './one-wds.ts';

/** What is read of which deployment. */
export interface StageDoorOptions {
  readonly stage: string;
  /** Default: the only one. */
  readonly wds?: string;
  readonly account: Account;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * Opens a door to the table of a deployment on AWS, with the permissions of the caller's AWS principal. Nothing is written.
 *
 * @throws InputError if there is no such deployment, or if it is not clear which WDS is read; what the account throws
 */
export async function openStageDoor({
  stage,
  wds,
  account,
  clock,
}: StageDoorOptions): Promise<Door> {
  const { name, store } = await findDeployment(account, stage);
  const source = createStatusSource({ store, wds: await oneWds(store, wds, name), clock });
  return createApiDoor({ name, source, clock, watch: false, close: () => undefined });
}
