import { ageText } from './age.ts';
import type { Column } from './served-resource.ts';

/** A cell for something that is not known or does not exist. */
export const NOTHING = '-';

/** The time since a timestamp, as kubectl prints ages. */
export function ageCell(time: string | undefined, nowMs: number): string {
  return time === undefined ? NOTHING : ageText(time, new Date(nowMs));
}

/** A column that is always shown. */
export function column<T>(
  name: string,
  description: string,
  cell: (item: T, nowMs: number) => string,
): Column<T> {
  return { name, description, priority: 0, cell };
}

/** A column that is shown with `-o wide`. */
export function wide<T>(shown: Column<T>): Column<T> {
  return { ...shown, priority: 1 };
}
