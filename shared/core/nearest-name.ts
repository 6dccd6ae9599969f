/** A longer name is not compared, because it is not a misspelt name. */
const MAX_LENGTH = 48;

/**
 * The number of characters to add, remove, replace or swap with their neighbour to turn one name into the other
 * (optimal string alignment distance).
 */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_zero, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = Number(a[i - 1] !== b[j - 1]);
      // All three rows have an entry for each character of b up to this one.
      const steps = [row[j - 1], last[j], last[j - 1]] as [number, number, number];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(steps[0] + 1, steps[1] + 1, steps[2] + cost, swap));
    }
    before = last;
    last = row;
  }
  return last[b.length] as number; // the last entry of a full row
}

/**
 * The name that was probably meant: the name at the smallest distance, ignoring case, that is at most a third of its
 * length away. Of several, the first in alphabetical order. `undefined` if there is none.
 *
 * @param most the largest distance, if it is less than that
 */
export function nearestName(
  name: string,
  candidates: Iterable<string>,
  most = Number.POSITIVE_INFINITY,
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const limit = Math.min(Math.max(1, Math.floor(name.length / 3)), most);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of [...candidates].sort()) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const steps = distance(name.toLowerCase(), candidate.toLowerCase());
    if (steps <= limit && (best === undefined || steps < best.distance))
      best = { name: candidate, distance: steps };
  }
  return best?.name;
}
