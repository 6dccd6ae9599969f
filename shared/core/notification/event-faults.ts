import { children, type Node } from '#shared/core/expression/node.ts';
import type { Value } from '#shared/core/expression/value.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { EVENT_TYPES } from './change-event.ts';
import { accessOf, eventPath, type Locals, NO_LOCALS } from './event-path.ts';
import { memberAt, wordsAt } from './event-shape.ts';
import { TOPIC_TYPES, type TopicType } from './topic.ts';

/** Why a part of an expression cannot be meant. */
export interface EventFault {
  /** The offset of the part in the text. */
  readonly at: number;
  readonly message: string;
  /** Whether the part is a fault of any expression. Otherwise it only explains why a condition is never true. */
  readonly isDecisive: boolean;
}

type Types = readonly TopicType[];

function pathText(path: readonly string[]): string {
  return ['event', ...path].join('.');
}

/** The longest name that is shown in full, in UTF-16 units. */
const MAX_SHOWN = 100;

function shown(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
}

/** `did you mean event.data.status?`, or what there is. */
function remedy(path: readonly string[], name: string, known: ReadonlySet<string>): string {
  const near = nearestName(name, known);
  return near === undefined
    ? `it has ${[...known].join(', ')}`
    : `did you mean ${pathText([...path, near])}?`;
}

/** The fault of reading a member that no event of some types has. Undefined if one of them may have it. */
function memberFault(
  types: Types,
  path: readonly string[],
  { name, isTest }: { readonly name: string; readonly isTest: boolean },
): string | undefined {
  const objects = types.flatMap((type) => memberAt(type, path) ?? []);
  // If there is no such object, that is a fault of its own.
  if (objects.length === 0) return undefined;
  const members = objects.flatMap((one) => (typeof one === 'object' ? [...one.keys()] : []));
  if (members.length === 0) {
    const isSearched = isTest && objects.includes('list');
    return isSearched ? undefined : `${pathText(path)} has no members`;
  }
  if (members.includes(name)) return undefined;
  const others = TOPIC_TYPES.filter((type) => memberAt(type, [...path, name]) !== undefined);
  const which = pathText([...path, shown(name)]);
  return others.length > 0
    ? `no event of the rule has ${which}: only ${others.map((type) => EVENT_TYPES[type]).join(', ')} has it`
    : `${pathText(path)} has no member ${shown(name)}: ${remedy(path, name, new Set(members))}`;
}

/** Why a text of an event never equals a constant that is no text. */
function otherTypeFault(types: Types, path: readonly string[], value: Value): string | undefined {
  if (typeof value === 'string' || types.every((type) => memberAt(type, path) !== 'text'))
    return undefined;
  const text = pathText(path);
  return value === null
    ? `${text} is a text, never null: has(${text}) tells whether it is there`
    : `${text} is a text: compare it with a text`;
}

/** The fault of asking whether a text of an event equals a word that it never is. */
function wordFault(types: Types, path: readonly string[], value: Value): string | undefined {
  if (typeof value !== 'string') return undefined;
  const sets = types.map((type) => wordsAt(type, path)).filter((set) => set !== undefined);
  if (sets.length < types.length) return undefined;
  const words = new Set(sets.flat());
  if (words.has(value)) return undefined;
  // A word of other events is not misspelt.
  const isOther = TOPIC_TYPES.some((type) => wordsAt(type, path)?.includes(value));
  const near = isOther ? undefined : nearestName(value, words);
  const hint =
    near === undefined ? `it is one of ${[...words].join(', ')}` : `did you mean ${near}?`;
  return `${pathText(path)} is never ${JSON.stringify(shown(value))}: ${hint}`;
}

/** The pairs of parts whose equality an operator asks for: `a == b`, `a in [b, c]`. After `a != b`, any word may be meant. */
function equatedIn(node: Node): readonly (readonly [Node, Node])[] {
  if (node.kind !== 'call') return [];
  const [a, b] = node.args;
  if (a === undefined || b === undefined) return [];
  if (node.name === '_==_')
    return [
      [a, b],
      [b, a],
    ];
  return node.name === '@in' && b.kind === 'list' ? b.items.map((item) => [a, item]) : [];
}

function faultsOfPart(node: Node, types: Types, locals: Locals): readonly EventFault[] {
  const access = accessOf(node);
  const object = access && eventPath(access.object, locals);
  const member = access && object && memberFault(types, object, access);
  const constants = equatedIn(node).flatMap(([part, constant]): readonly EventFault[] => {
    const path = eventPath(part, locals);
    if (path === undefined || constant.kind !== 'literal') return [];
    const { at, value } = constant;
    const word = wordFault(types, path, value);
    const message = word ?? otherTypeFault(types, path, value);
    return message === undefined ? [] : [{ at, message, isDecisive: word !== undefined }];
  });
  return [
    ...(member === undefined ? [] : [{ at: node.at, message: member, isDecisive: true }]),
    ...constants,
  ];
}

function faultsIn(node: Node, types: Types, locals: Locals): readonly EventFault[] {
  const own = faultsOfPart(node, types, locals);
  if (node.kind !== 'comprehension')
    return [...own, ...children(node).flatMap((child) => faultsIn(child, types, locals))];
  const inner = new Set(locals).add(node.variable);
  const { range, predicate, transform } = node;
  const body = transform === undefined ? [predicate] : [predicate, transform];
  return [
    ...own,
    ...faultsIn(range, types, locals),
    ...body.flatMap((child) => faultsIn(child, types, inner)),
  ];
}

/**
 * What an expression says about events that is true of none of these types: members that they do not have, and values that a text
 * never equals. A member of one of the types is no fault. What is inside `dyn(...)` is not checked.
 */
export function eventFaults(node: Node, types: Types): readonly EventFault[] {
  return faultsIn(node, types, NO_LOCALS);
}
