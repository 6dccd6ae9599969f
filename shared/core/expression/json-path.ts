import { noPath, unknownBeginning, unreadableSteps } from './messages.ts';
import { MAX_LENGTH } from './syntax-fault.ts';

/** A path as CEL, or an error: a problem and its remedy, to be appended to the name of a field. */
type PathReading =
  | { readonly ok: true; readonly text: string; readonly name: string }
  | { readonly ok: false; readonly problem: string };

/** One step of a path: the field of an object, or the decimal index of an element of a list. */
type Step = { readonly field: string } | { readonly index: string };

/** The possible beginnings of a path, with their CEL (docs/architecture.md, section 9.9). */
const ROOTS: ReadonlyMap<string, string> = new Map([
  ['inventory', 'inventory'],
  ['status', 'returned.status'],
  ['spec', 'obj.spec'],
  ['propagation', 'propagation'],
]);

const STEP =
  /\.[\p{L}_][\p{L}\p{N}_-]*|\[(?:'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*"|0|[1-9]\d*)\]/uy;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Words that are not identifiers (CEL, language definition, "Syntax"). */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'as break const continue else false for function if import in let loop namespace null package return true var ' +
    'void while'
  ).split(' '),
);
const SHOWN_CHARACTERS = 64;

function quoted(text: string): string {
  const more = text.length > SHOWN_CHARACTERS ? '...' : '';
  return JSON.stringify(text.slice(0, SHOWN_CHARACTERS)) + more;
}

/** A step of the form that `STEP` allows. */
function stepOf(text: string): Step {
  if (text.startsWith('.')) return { field: text.slice(1) };
  const inner = text.slice(1, -1);
  if (/^\d/.test(inner)) return { index: inner };
  return { field: inner.slice(1, -1).replace(/\\(.)/g, '$1') };
}

/** The steps of a path that begins with `$`, and the rest that could not be read. */
function stepsOf(path: string): { readonly steps: readonly Step[]; readonly rest: string } {
  const steps: Step[] = [];
  let end = 1;
  for (;;) {
    STEP.lastIndex = end;
    const match = STEP.exec(path);
    if (match === null) return { steps, rest: path.slice(end) };
    steps.push(stepOf(match[0]));
    end = STEP.lastIndex;
  }
}

function celOf(step: Step): string {
  if ('index' in step) return `[${step.index}]`;
  const { field } = step;
  return IDENTIFIER.test(field) && !RESERVED.has(field)
    ? `.${field}`
    : `[${JSON.stringify(field)}]`;
}

function fault(problem: string): PathReading {
  return { ok: false, problem };
}

/**
 * Turns a JSONPath into CEL: `$.inventory`, `$.status` (`returned.status`), `$.spec` (`obj.spec`) or `$.propagation`,
 * followed by fields `.name` or `['name']` and indexes `[0]` (docs/architecture.md, section 9.9). `name` is the last
 * field of the path.
 */
export function readJsonPath(path: string): PathReading {
  if (path.length > MAX_LENGTH)
    return fault(`has ${path.length} characters; at most ${MAX_LENGTH} are allowed`);
  if (!path.startsWith('$')) return fault(noPath(quoted(path)));
  const { steps, rest } = stepsOf(path);
  if (rest !== '') return fault(unreadableSteps(quoted(rest)));
  const [first, ...others] = steps;
  const root = first !== undefined && 'field' in first ? first.field : '';
  const cel = ROOTS.get(root);
  if (cel === undefined) return fault(unknownBeginning(quoted(path)));
  const fields = others.flatMap((step) => ('field' in step ? [step.field] : []));
  return { ok: true, text: cel + others.map(celOf).join(''), name: fields.at(-1) ?? root };
}
