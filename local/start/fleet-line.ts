import type { FleetMode } from '#shared/core/fleet/fleet-object.ts';

/** What is shown of a management cluster of Fleet. */
export interface FleetLine {
  readonly name: string;
  readonly mode: FleetMode;
  readonly connected: boolean;
  /** Objects whose statuses are not what Starfold makes of them; absent: that is not known yet. */
  readonly differing?: number;
}

/** How many objects differ, in words: with `write` those whose statuses the API server has refused. */
export function differingText({ mode, differing }: Pick<FleetLine, 'mode' | 'differing'>): string {
  if (differing === undefined) return '-';
  const objects = `${differing} object${differing === 1 ? '' : 's'}`;
  if (mode === 'write') return `${objects} refused`;
  return `${objects} ${differing === 1 ? 'differs' : 'differ'}`;
}

/** The line itself. */
export function fleetText(line: FleetLine): string {
  const { name, mode, connected } = line;
  return `Fleet ${name} (${mode})   ${connected ? 'connected' : 'not connected'}   ${differingText(line)}`;
}
