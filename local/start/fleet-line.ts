import type { FleetMode } from '#shared/core/fleet/fleet-object.ts';

/** The displayed state of a management cluster of Fleet. */
export interface FleetLine {
  readonly name: string;
  readonly mode: FleetMode;
  readonly connected: boolean;
  /** The number of objects whose statuses differ from Starfold's results. Absent if it is not known yet. */
  readonly differing?: number;
}

/**
 * The number of objects that differ, as text. With `write`, the number of objects whose statuses the API server has
 * rejected.
 */
export function differingText({ mode, differing }: Pick<FleetLine, 'mode' | 'differing'>): string {
  if (differing === undefined) return '-';
  const objects = `${differing} object${differing === 1 ? '' : 's'}`;
  if (mode === 'write') return `${objects} rejected`;
  return `${objects} ${differing === 1 ? 'differs' : 'differ'}`;
}

/** The line itself. */
export function fleetText(line: FleetLine): string {
  const { name, mode, connected } = line;
  return `Fleet ${name} (${mode})   ${connected ? 'connected' : 'not connected'}   ${differingText(line)}`;
}
