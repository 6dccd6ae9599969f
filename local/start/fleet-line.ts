import type { FleetMode } from '#shared/core/fleet-object.ts';
import { fleetLine, objectsDiffer, objectsRejected } from './display-messages.ts';

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
  return mode === 'write' ? objectsRejected(differing) : objectsDiffer(differing);
}

/** The line itself. */
export function fleetText(line: FleetLine): string {
  return fleetLine(line, differingText(line));
}
