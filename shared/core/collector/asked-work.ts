import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { type CollectorSpec, readCollectorSpec } from './collector-spec.ts';
import type { CollectorNaming } from './compiled-share.ts';
import { compareText } from './first-entries.ts';

/** How much work StatusCollectors request, as far as their texts show. Nothing is compiled or evaluated. */
export interface AskedWork {
  /** The number of calls of macros that iterate over lists, and of `matches`. */
  readonly loops: number;
  /** The number of characters of all expressions together: of all columns, and of the filter. */
  readonly characters: number;
}

const LOOP = /\b(?:all|exists|exists_one|map|filter|matches)\s*\(/g;
/** What a loop counts in characters. It iterates over elements of a status, of which there may be thousands. */
const CHARACTERS_PER_LOOP = 1_000;

function texts({ filter, select, groupBy, combinedFields }: CollectorSpec): readonly string[] {
  const columns = [...select, ...groupBy].map(({ def }) => def);
  const subjects = combinedFields.map(({ subject }) => subject);
  return [filter, ...columns, ...subjects].flatMap((expression) => {
    if (expression === undefined) return [];
    return typeof expression === 'string' ? [expression] : [stringifyJson(expression)];
  });
}

/**
 * {@link AskedWork} of the `spec` of a StatusCollector, or `undefined` if its structure is invalid, so that it is never
 * evaluated.
 */
export function askedWork(spec: JsonValue | undefined): AskedWork | undefined {
  const reading = readCollectorSpec(spec);
  if (!reading.ok) return undefined;
  const all = texts(reading.spec);
  return {
    loops: all.reduce((sum, text) => sum + (text.match(LOOP)?.length ?? 0), 0),
    characters: all.reduce((sum, { length }) => sum + length, 0),
  };
}

/** Work as one number: the characters, and 1,000 for each loop. */
function weight({ loops, characters }: AskedWork): number {
  return characters + loops * CHARACTERS_PER_LOOP;
}

/** A Binding, and the work that its StatusCollectors request together for an object. */
export interface AskingBinding extends AskedWork {
  readonly binding: string;
  /** The names of its collectors that are evaluated, those that request most first. */
  readonly collectors: readonly string[];
}

function askingBinding(
  { binding, modulation }: CollectorNaming,
  works: ReadonlyMap<string, AskedWork>,
): AskingBinding {
  const named = modulation.statusCollectors.flatMap((name) => {
    const work = works.get(name);
    return work === undefined ? [] : [{ name, ...work }];
  });
  named.sort((a, b) => weight(b) - weight(a) || compareText(a.name, b.name));
  return {
    binding,
    collectors: named.map(({ name }) => name),
    loops: named.reduce((sum, { loops }) => sum + loops, 0),
    characters: named.reduce((sum, { characters }) => sum + characters, 0),
  };
}

/**
 * The Bindings whose StatusCollectors request most together, most first. So a Binding with many cheap collectors comes
 * before one with a single collector that is more expensive than each of them. A collector counts for each Binding that names it.
 * A Binding without valid collectors is left out.
 *
 * @param works of the collectors that are evaluated, by name
 */
export function askingBindings(
  namings: readonly CollectorNaming[],
  works: ReadonlyMap<string, AskedWork>,
): readonly AskingBinding[] {
  return namings
    .map((naming) => askingBinding(naming, works))
    .filter(({ collectors }) => collectors.length > 0)
    .sort((a, b) => weight(b) - weight(a) || compareText(a.binding, b.binding));
}
