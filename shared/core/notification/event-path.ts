import type { Node } from '#shared/core/expression/node.ts';

/** The names of the variables of loops around a part of an expression. */
export type Locals = ReadonlySet<string>;
/** No loop. */
export const NO_LOCALS: Locals = new Set();

/** The text of a literal. */
function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** A member that a part of an expression reads, or whose existence it tests. */
export interface MemberAccess {
  readonly object: Node;
  readonly name: string;
  readonly isTest: boolean;
}

/** The access of `object.name`, `object['name']`, `has(object.name)` and `'name' in object`. Undefined for any other part. */
export function accessOf(node: Node): MemberAccess | undefined {
  if (node.kind === 'select') return { object: node.operand, name: node.field, isTest: node.test };
  if (node.kind !== 'call' || (node.name !== '_[_]' && node.name !== '@in')) return undefined;
  const isTest = node.name === '@in';
  const [first, second] = node.args;
  const [object, key] = isTest ? [second, first] : [first, second];
  const name = textOf(key);
  return object === undefined || name === undefined ? undefined : { object, name, isTest };
}

/** The path of what a part of an expression reads of `event`: `[]` for the event itself. Undefined if it reads something else. */
export function eventPath(node: Node, locals: Locals): readonly string[] | undefined {
  if (node.kind === 'ident')
    return node.name === 'event' && !locals.has(node.name) ? [] : undefined;
  const access = accessOf(node);
  if (access === undefined || access.isTest) return undefined;
  const path = eventPath(access.object, locals);
  return path && [...path, access.name];
}
