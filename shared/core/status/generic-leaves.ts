import type { JsonValue } from '#shared/core/json.ts';
import { conditionAspects } from './conditions.ts';
import type { GenericPart } from './generic.ts';
import type { JsonRecord } from './merge-records.ts';
import type { ValuePart } from './value-part.ts';

type Fields = Pick<NonNullable<GenericPart>, 'fields'>;

/** A leaf of the statuses of some WECs: where the general rule takes values, or finds no common shape. */
export interface GenericLeaf {
  /** As `statusPaths` names it. The types of a list of conditions have no leaves of their own. */
  readonly path: string;
  readonly part: ValuePart;
}

/**
 * The leaves of the value at a path.
 *
 * @param path the name of a field of `.status`, or what lies deeper
 */
export function leavesOf(path: string, part: ValuePart): readonly GenericLeaf[] {
  if (part?.[0] === 'list' && part[1].length > 0)
    return part[1].flatMap((element, index) => leavesOf(`${path}[${index}]`, element));
  if (part?.[0] === 'map' && Object.keys(part[1]).length > 0)
    return Object.entries(part[1]).flatMap(([name, inner]) => leavesOf(`${path}.${name}`, inner));
  return [{ path, part }];
}

/** The aspect of the value at a leaf. */
export function valueAspect(path: string): string {
  return `value ${path}`;
}

function aspectsAt({ path, part }: GenericLeaf): JsonRecord<JsonValue> {
  switch (part?.[0]) {
    case 'number':
    case 'boolean':
      return { [valueAspect(path)]: part[1] };
    case 'conditions':
      return conditionAspects(part[1], path);
    default:
      return {};
  }
}

/** What WECs decide under the general rule, for `selecting`. */
export function genericAspects({ fields }: Fields): JsonRecord<JsonValue> {
  const leaves = Object.entries(fields).flatMap(([key, [, value]]) => leavesOf(key, value));
  return Object.assign({}, ...leaves.map(aspectsAt));
}

/** The aspect of the shape of the value at a path. */
export function shapeAspect(path: string): string {
  return `shape ${path}`;
}

/** What two values must have in common, so that they have a common value. */
function shapeOf(part: ValuePart): string {
  switch (part?.[0]) {
    case 'string':
      return JSON.stringify(part[1]);
    case 'list':
      return `list of ${part[1].length}`;
    case 'map':
      return `map of ${JSON.stringify(Object.keys(part[1]).sort())}`;
    default:
      return part === null ? 'nothing' : part[0];
  }
}

type Shape = readonly [aspect: string, label: string];

function shapesIn(path: string, part: ValuePart): readonly Shape[] {
  const own: Shape = [shapeAspect(path), shapeOf(part)];
  if (part?.[0] === 'list')
    return [own, ...part[1].flatMap((element, index) => shapesIn(`${path}[${index}]`, element))];
  if (part?.[0] === 'map')
    return [
      own,
      ...Object.entries(part[1]).flatMap(([name, inner]) => shapesIn(`${path}.${name}`, inner)),
    ];
  return [own];
}

/** The shapes of the values of one WEC, as contributions. */
export function genericShapes({ fields }: Fields): readonly Shape[] {
  return Object.entries(fields).flatMap(([key, [, value]]) => shapesIn(key, value));
}
