import { inProgress, type KstatusVerdict } from './verdict.ts';

/** A way in which an object may not be there yet. */
export interface Shortfall {
  readonly found: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Fewer than wanted, in kstatus's words: `Ready: 1/3`. */
export function below(
  [reason, label]: readonly [reason: string, label: string],
  count: number,
  wanted: number,
): Shortfall {
  return { found: count < wanted, reason, message: `${label}: ${count}/${wanted}` };
}

/** More pods than wanted. */
export function above(count: number, wanted: number): Shortfall {
  const message = `Pending termination: ${count - wanted}`;
  return { found: count > wanted, reason: 'ExtraPods', message };
}

/** The verdict on the first shortfall that was found, in their order. */
export function firstOf(shortfalls: readonly Shortfall[]): KstatusVerdict | undefined {
  const found = shortfalls.find((shortfall) => shortfall.found);
  return found && inProgress(found.reason, found.message);
}
