import { at, isArray, isObject, type JsonValue } from '#shared/core/json.ts';
import { objectTitle } from './object-title.ts';

/** Far deeper than any object of Kubernetes; what walks through an object needs stack for each level. */
const MAX_DEPTH = 500;
/** So many steps of the way to what is too deep are shown. */
const STEPS_SHOWN = 4;

type Step = string | number;

function stepsOf(value: JsonValue): readonly (readonly [step: Step, inner: JsonValue])[] {
  if (isArray(value)) return value.map((inner, index) => [index, inner]);
  return isObject(value) ? Object.entries(value) : [];
}

/** The way to the first part of a value that is too deep; `undefined` where none is. */
function wayTooDeep(value: JsonValue, depth = 0): readonly Step[] | undefined {
  if (depth > MAX_DEPTH) return [];
  for (const [step, inner] of stepsOf(value)) {
    const way = wayTooDeep(inner, depth + 1);
    if (way !== undefined) return [step, ...way];
  }
  return undefined;
}

function shown(way: readonly Step[]): string {
  const steps = way.slice(0, STEPS_SHOWN);
  const text = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return `${text.replace(/^\./, '')}…`;
}

function inObject(value: JsonValue, way: readonly Step[]): string {
  const title = objectTitle((...path) => at(value, ...path));
  return `${title}: ${shown(way)} is nested deeper than ${MAX_DEPTH} levels: flatten it`;
}

/**
 * What is wrong with a document that is nested too deeply to walk through: the item of a list, the object, the field and
 * what to do, to follow the name of the document; `undefined` for any other.
 */
export function nestingFault(value: JsonValue): string | undefined {
  const way = wayTooDeep(value);
  if (way === undefined) return undefined;
  const [list, index, ...inner] = way;
  const items = at(value, 'items');
  if (list !== 'items' || typeof index !== 'number' || !isArray(items)) return inObject(value, way);
  return `, item ${index + 1}${inObject(items[index] ?? null, inner)}`;
}
