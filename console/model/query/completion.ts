import { nearestName } from '#shared/core/nearest-name.ts';
import { withoutStrings } from './cel-tokens.ts';
import type { Fault } from './faults.ts';
import { ELEMENTS, type KnownName, type KnownObjects, namesBehind, onlyNames } from './names.ts';

/** What may be written at a place of an expression. */
export interface Completion {
  /** The part of the text that an option replaces. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly KnownName[];
}

const MAX_OPTIONS = 50;
const CHAIN = /((?:[A-Za-z_]\w*\s*(?:\[[^\][]*\]\s*)*\.\s*)*)([A-Za-z_]\w*)?$/;
const PART = /([A-Za-z_]\w*)|\[/g;
const LOOP =
  /((?:[A-Za-z_]\w*(?:\[[^\][]*\])*\.)+)(?:all|exists|exists_one|filter|map)\(\s*([A-Za-z_]\w*)\s*,/g;
const MAX_LOOPS = 4;

/** The names of a chain such as `returned.status.conditions[0].`: what stands in brackets is an element of a list. */
function partsOf(chain: string): readonly string[] {
  return [...chain.replaceAll(/\[[^\][]*\]/g, '[').matchAll(PART)].map(
    ([whole, name]) => name ?? (whole === '[' ? ELEMENTS : ''),
  );
}

/** A path whose first name is that of a loop (`c` in `conditions.exists(c, c.type == …)`) begins at what it goes through. */
function withoutLoops(path: readonly string[], code: string): readonly string[] {
  const loops = new Map(
    [...code.matchAll(LOOP)].map(([, chain = '', name = '']) => [name, partsOf(chain)]),
  );
  let found = path;
  for (let left = MAX_LOOPS; left > 0; left -= 1) {
    const list = loops.get(found[0] ?? '');
    if (list === undefined) return found;
    found = [...list, ELEMENTS, ...found.slice(1)];
  }
  return found;
}

function isIn(name: string, part: string): boolean {
  return name.toLowerCase().includes(part);
}

/** The names that go on with what was written, first those that begin with it. */
function matching(names: readonly KnownName[], written: string): readonly KnownName[] {
  const part = written.toLowerCase();
  const begin = (text: string): boolean => text.toLowerCase().startsWith(part);
  const found = names.filter(({ text }) => isIn(text, part));
  return [
    ...found.filter(({ text }) => begin(text)),
    ...found.filter(({ text }) => !begin(text)),
  ].slice(0, MAX_OPTIONS);
}

/**
 * What may be written at the caret. Undefined within a string, or if nothing is known.
 *
 * @param caret in UTF-16 units
 */
export function completionAt(
  text: string,
  caret: number,
  known: KnownObjects,
): Completion | undefined {
  const code = withoutStrings(text);
  const before = code.slice(0, caret);
  if (isInString(text, caret)) return undefined;
  const [whole = '', chain = '', written = ''] = CHAIN.exec(before) ?? [];
  // Behind a call or a bracket, it is not known what stands there.
  const start = before.slice(0, before.length - whole.length).trimEnd();
  if (start.endsWith('.')) return undefined;
  const path = withoutLoops(partsOf(chain), before);
  const options = matching(namesBehind(path, known), written);
  const rest = /^\w*/.exec(code.slice(caret))?.[0].length ?? 0;
  if (options.length === 0) return undefined;
  return { from: caret - written.length, to: caret + rest, options };
}

function isInString(text: string, caret: number): boolean {
  // A letter behind an open string is a part of it, and behind a closed one it is not.
  return withoutStrings(`${text.slice(0, caret)}x`).endsWith('"');
}

const NAME = /^[A-Za-z_]\w*$/;

/** The text after an option was taken, and where the caret is then. A key that is no name is written in brackets. */
export function completed(
  text: string,
  { from, to }: Completion,
  { text: name }: KnownName,
): { readonly text: string; readonly caret: number } {
  const isName = NAME.test(name);
  const dot = isName ? from : text.slice(0, from).trimEnd().length - 1;
  const written = isName ? name : `[${JSON.stringify(name)}]`;
  return { text: text.slice(0, dot) + written + text.slice(to), caret: dot + written.length };
}

const USED = /\b(?:returned|obj)(?:\s*\.\s*[A-Za-z_]\w*|\[[^\][]*\])+(?!\s*\()/g;

/** The names in an expression that no object of the kind has, by the schema of the kind. */
export function unknownNames(
  field: string,
  text: string,
  { kind, known }: { readonly kind: string; readonly known: KnownObjects },
): readonly Fault[] {
  const code = withoutStrings(text);
  return [...code.matchAll(USED)].flatMap((use): readonly Fault[] => {
    const parts = [
      ...use[0]
        .replaceAll(/\[[^\][]*\]/g, (one) => `[${' '.repeat(one.length - 1)}`)
        .matchAll(PART),
    ];
    const path = parts.map(([whole, name]) => name ?? (whole === '[' ? ELEMENTS : ''));
    const at = path.findIndex((name, index) => {
      const only =
        index < 2 || name === ELEMENTS ? undefined : onlyNames(path.slice(0, index), known);
      return only?.includes(name) === false;
    });
    const name = path[at];
    if (name === undefined) return [];
    const from = use.index + (parts[at]?.index ?? 0);
    const range = { from, to: from + name.length };
    const near = nearestName(name, onlyNames(path.slice(0, at), known) ?? []);
    const where = path.slice(1, at).join('.').replaceAll(`.${ELEMENTS}`, ELEMENTS);
    const message = `the ${where} of a ${kind} has no ${name}`;
    return [
      {
        ...{ field, message, range, isOfRows: true },
        ...(near === undefined ? {} : { proposal: { ...range, text: near } }),
      },
    ];
  });
}
