import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { Door } from './door.ts';
import { checkDoorOptions, type DoorOptions } from './options.ts';

/**
 * Opens the door that the options name: by default the live one. What a door needs is loaded only if it is used.
 *
 * @throws UsageError for options that contradict each other; InputError if the door cannot be opened; what AWS throws
 */
export async function openDoor(options: DoorOptions, terminal: Terminal): Promise<Door> {
  checkDoorOptions(options);
  const { state, stage, region, filename } = options;
  const clock = (): number => terminal.clock();
  if (filename !== undefined) {
    const { openFilesDoor } = await import('./files-door.ts');
    return openFilesDoor({ ...options, filename }, terminal);
  }
  if (state !== undefined) {
    const { openStateDoor } = await import('./state-door.ts');
    return openStateDoor({ ...options, state, clock });
  }
  if (stage !== undefined) {
    const { createAwsAccount } = await import('#local/cli/deployment/aws-account.ts');
    const { openStageDoor } = await import('./stage-door.ts');
    return openStageDoor({ ...options, stage, account: createAwsAccount(region), clock });
  }
  const { openLiveDoor } = await import('./live-door.ts');
  return openLiveDoor(options);
}
