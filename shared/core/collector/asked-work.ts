import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { type CollectorSpec, readCollectorSpec } from './collector-spec.ts';

/** How much work a StatusCollector requests, as far as its text shows. Nothing is compiled or evaluated. */
export interface AskedWork {
  /** The number of calls of macros that iterate over lists, and of `matches`. */
  readonly loops: number;
  /** The number of characters of all expressions together. */
  readonly characters: number;
}

const LOOP = /\b(?:all|exists|exists_one|map|filter|matches)\s*\(/g;

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

/** Orders collectors by the work that they request, most first: by loops, then by characters. */
export function byAskedWork(a: AskedWork, b: AskedWork): number {
  return b.loops - a.loops || b.characters - a.characters;
}
