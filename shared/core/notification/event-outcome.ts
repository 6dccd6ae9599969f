import { children, type Node } from '#shared/core/expression/node.ts';
import type { Value } from '#shared/core/expression/value.ts';
import { accessOf, eventPath, NO_LOCALS } from './event-path.ts';
import { type KnownTexts, memberAt, OPTIONAL_MEMBERS, possibleEvents } from './event-shape.ts';
import type { TopicType } from './topic.ts';

/**
 * What is known of the value of a part of an expression before an event happens: the value itself, that it is a text or
 * something else, that it has none because something is missing (`failed`), or nothing (`open`). A text may also be missing, which makes
 * nothing true.
 */
type Outcome =
  | 'open'
  | 'failed'
  | 'text'
  | 'other'
  | { readonly value: string | boolean | bigint | null };
type Constant = Extract<Outcome, object>['value'];

/** Some events of a type, with the same known texts. */
interface Possible {
  readonly type: TopicType;
  readonly known: KnownTexts;
}

const TRUE: Outcome = { value: true };
const FALSE: Outcome = { value: false };

function isValue(outcome: Outcome, value: Constant): boolean {
  return typeof outcome === 'object' && outcome.value === value;
}

function not(outcome: Outcome): Outcome {
  if (isValue(outcome, true)) return FALSE;
  return isValue(outcome, false) ? TRUE : outcome;
}

/** `&&`: false if one part is false, whatever the others are. */
function and(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.some((one) => isValue(one, false))) return FALSE;
  if (outcomes.every((one) => isValue(one, true))) return TRUE;
  return outcomes.every((one) => one === 'failed' || isValue(one, true)) ? 'failed' : 'open';
}

/** Whether a part has a text as its value. Undefined if that is not known. */
function isText(outcome: Outcome): boolean | undefined {
  if (typeof outcome === 'object') return typeof outcome.value === 'string';
  return outcome === 'open' ? undefined : outcome === 'text';
}

function equal(a: Outcome, b: Outcome): Outcome {
  if (a === 'failed' || b === 'failed') return 'failed';
  const [isTextA, isTextB] = [isText(a), isText(b)];
  if (isTextA !== undefined && isTextB !== undefined && isTextA !== isTextB) return FALSE;
  if (typeof a !== 'object' || typeof b !== 'object') return 'open';
  return { value: a.value === b.value };
}

function literal(value: Value): Outcome {
  const isConstant =
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'bigint' ||
    value === null;
  return isConstant ? { value } : 'other';
}

/** Whether a member exists: `has(...)`, `'name' in ...`. */
function tested(type: TopicType, object: readonly string[], path: readonly string[]): Outcome {
  const place = memberAt(type, object);
  if (place === undefined) return 'failed';
  const isThere = memberAt(type, path) !== undefined;
  const isOpen = typeof place !== 'object' || (isThere && isOptional(path));
  return isOpen ? 'open' : { value: isThere };
}

function isOptional([, ...inData]: readonly string[]): boolean {
  return OPTIONAL_MEMBERS.has(inData.join('.'));
}

/** What is read of an event, or whether something exists there. Undefined if a part reads something else. */
function read(node: Node, { type, known }: Possible): Outcome | undefined {
  const access = accessOf(node);
  const object = access && eventPath(access.object, NO_LOCALS);
  if (access === undefined || object === undefined) return undefined;
  const path = [...object, access.name];
  if (access.isTest) return tested(type, object, path);
  if (memberAt(type, path) === undefined) return 'failed';
  const text = known.get(path.join('.'));
  if (text !== undefined) return { value: text };
  return memberAt(type, path) === 'text' ? 'text' : 'open';
}

type Call = Extract<Node, { kind: 'call' }>;
type Of = (part: Node) => Outcome;

/** The parser gives the operator its three parts. */
function chosen({ args }: Call, of: Of): Outcome {
  const [condition, then, otherwise] = args as readonly [Node, Node, Node];
  const outcome = of(condition);
  if (typeof outcome !== 'object') return outcome;
  return of(outcome.value === true ? then : otherwise);
}

/** The parser gives the operator its two parts. */
function contained({ args }: Call, of: Of): Outcome {
  const [item, list] = args as readonly [Node, Node];
  if (list.kind !== 'list') return 'open';
  return not(and(list.items.map((one) => not(equal(of(item), of(one))))));
}

/** The operators whose value is known. Any other has a value only if its parts have. */
const OPERATORS: ReadonlyMap<string, (node: Call, of: Of) => Outcome> = new Map([
  ['!_', ({ args }, of) => not(and(args.map(of)))],
  ['_==_', ({ args }, of) => args.map(of).reduce(equal)],
  ['_!=_', ({ args }, of) => not(args.map(of).reduce(equal))],
  ['_?_:_', chosen],
  ['@in', contained],
]);

type TextTest = (text: string, part: string) => boolean;

const TEXT_TESTS: ReadonlyMap<string, TextTest> = new Map([
  ['contains', (text, part) => text.includes(part)],
  ['startsWith', (text, part) => text.startsWith(part)],
  ['endsWith', (text, part) => text.endsWith(part)],
]);

/** Whether a known text has a constant part. Undefined if one of them is not known. */
function textTested({ name, target, args: [part] }: Call, of: Of): Outcome | undefined {
  const test = TEXT_TESTS.get(name);
  const [text, tested] = [target, part].map((one) => one && of(one));
  if (test === undefined || typeof text !== 'object' || typeof tested !== 'object')
    return undefined;
  // The expression has been checked: both are texts.
  return { value: test(String(text.value), String(tested.value)) };
}

function call(node: Call, possible: Possible): Outcome {
  const of: Of = (part) => outcomeOf(part, possible);
  const operator = OPERATORS.get(node.name);
  if (operator !== undefined) return operator(node, of);
  const tested = textTested(node, of);
  if (tested !== undefined) return tested;
  return children(node).some((part) => of(part) === 'failed') ? 'failed' : 'open';
}

function outcomeOf(node: Node, possible: Possible): Outcome {
  const found = read(node, possible);
  if (found !== undefined) return found;
  switch (node.kind) {
    case 'literal':
      return literal(node.value);
    case 'logic': {
      const outcomes = node.args.map((part) => outcomeOf(part, possible));
      return node.name === '_&&_' ? and(outcomes) : not(and(outcomes.map(not)));
    }
    case 'call':
      return call(node, possible);
    case 'select':
      return outcomeOf(node.operand, possible) === 'failed' ? 'failed' : 'open';
    default:
      return 'open';
  }
}

/**
 * Whether a condition may be true for an event of some types. It is not if it is false, or has no value, whatever an event says in
 * the members that are no fixed sets of words.
 */
export function mayBeTrue(condition: Node, types: readonly TopicType[]): boolean {
  return types.some((type) =>
    possibleEvents(type).some((known) => {
      const outcome = outcomeOf(condition, { type, known });
      return outcome === 'open' || isValue(outcome, true);
    }),
  );
}
