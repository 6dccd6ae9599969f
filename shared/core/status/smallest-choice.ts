import { MAX_DECIDERS } from './deciders.ts';

/** Names of WECs, each once. */
export type Names = readonly string[];

type Decides = (names: Names) => boolean;

/** Among so few WECs, every choice is tried. */
const FEW = 4;

/** All choices of at least one and not all of some names, the smallest first. */
function properChoices(names: Names): readonly Names[] {
  const choices: Names[] = [[]];
  for (const name of names) choices.push(...choices.map((chosen) => [...chosen, name]));
  return choices
    .filter(({ length }) => length > 0 && length < names.length)
    .sort((a, b) => a.length - b.length);
}

/** As few of some names as decide. The last ones are left out first. */
function fewest(names: Names, decides: Decides): Names {
  let kept = names;
  for (const name of names.toReversed()) {
    const others = kept.filter((one) => one !== name);
    if (others.length > 0 && decides(others)) kept = others;
  }
  return kept;
}

/**
 * The WECs that decide something: the first of some choices that does, without the WECs that are not needed. If none of
 * them does, and there are only few WECs, every choice is tried.
 *
 * @param all the names of all WECs, which decide together
 * @param decides whether some of the WECs, but not all, decide
 * @returns sorted names, or undefined if no smaller choice than all was found, or if it has too many WECs to name
 */
export function smallestChoice(
  all: Names,
  choices: readonly Names[],
  decides: Decides,
): Names | undefined {
  const isDeciding: Decides = (names) => names.length === all.length || decides(names);
  const found = choices
    .map((choice) => [...new Set(choice)])
    .find((choice) => choice.length > 0 && isDeciding(choice));
  const kept = found === undefined ? all : fewest(found, isDeciding);
  if (kept.length < all.length) return kept.length > MAX_DECIDERS ? undefined : kept.toSorted();
  return all.length > FEW ? undefined : properChoices(all).find(isDeciding);
}
