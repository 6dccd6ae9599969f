import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { type CollectorSpec, readCollectorSpec } from './collector-spec.ts';

/** How much a StatusCollector asks for, as far as its text says: nothing is compiled, nothing evaluated. */
export interface AskedWork {
  /** Calls of macros that go through lists, and of `matches`. */
  readonly loops: number;
  /** Characters of all expressions together. */
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

/** {@link AskedWork} of the `spec` of a StatusCollector; `undefined` where its form is wrong, so nobody evaluates it. */
export function askedWork(spec: JsonValue | undefined): AskedWork | undefined {
  const reading = readCollectorSpec(spec);
  if (!reading.ok) return undefined;
  const all = texts(reading.spec);
  return {
    loops: all.reduce((sum, text) => sum + (text.match(LOOP)?.length ?? 0), 0),
    characters: all.reduce((sum, { length }) => sum + length, 0),
  };
}

/** Orders what asks for more before what asks for less: by loops, then by characters. */
export function byAskedWork(a: AskedWork, b: AskedWork): number {
  return b.loops - a.loops || b.characters - a.characters;
}
