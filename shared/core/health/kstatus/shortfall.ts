import { inProgress, type KstatusVerdict } from './verdict.ts';

/** A reason why an object may not be ready yet. */
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

/** The verdict on the first shortfall that applies, in the given order. */
export function firstOf(shortfalls: readonly Shortfall[]): KstatusVerdict | undefined {
  const found = shortfalls.find((shortfall) => shortfall.found);
  return found && inProgress(found.reason, found.message);
}
