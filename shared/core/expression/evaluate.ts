import { OVER_BUDGET, spendBuilding } from './budget.ts';
import type { Variable } from './expression.ts';
import { type Evaluator, type Frame, VARIABLE_EVALUATORS } from './frame.ts';
import { BINARY, type Binary, noSuchKey, UNARY, type Unary } from './functions.ts';
import { collect, existsOne, type Loop, quantifier } from './loop.ts';
import { type Comprehension, literalPattern, type Node } from './node.ts';
import { compilePattern, matchesCompiled } from './regex.ts';
import {
  CelError,
  Dictionary,
  isList,
  isMap,
  keyIdentity,
  List,
  mapFind,
  toCondition,
  typeOf,
  type Value,
} from './value.ts';

/** The loop variables in scope, outermost first. */
type Locals = readonly string[];

const FIELD_OF_LIST = new CelError("unsupported index type 'string' in list");
/** How many nodes of its body an iteration evaluates for one step. */
const NODES_PER_STEP = 16;

function ident(name: string, locals: Locals): Evaluator {
  const slot = locals.lastIndexOf(name);
  if (slot >= 0) return (frame) => frame.locals[slot] ?? null;
  return VARIABLE_EVALUATORS[name as Variable]; // the checker has refused every other name
}

function select(operand: Evaluator, field: string): Evaluator {
  const missing = noSuchKey(field);
  return (frame) => {
    const value = operand(frame);
    if (isMap(value)) {
      const found = mapFind(value, field);
      return found === undefined ? missing : found;
    }
    if (value instanceof CelError) return value;
    return isList(value) ? FIELD_OF_LIST : missing;
  };
}

function has(operand: Evaluator, field: string): Evaluator {
  return (frame) => {
    const value = operand(frame);
    if (isMap(value)) return mapFind(value, field) !== undefined;
    if (value instanceof CelError) return value;
    return isList(value) ? FIELD_OF_LIST : false;
  };
}

function conditional(test: Evaluator, yes: Evaluator, no: Evaluator): Evaluator {
  return (frame) => {
    const condition = toCondition(test(frame));
    if (condition instanceof CelError) return condition;
    return condition ? yes(frame) : no(frame);
  };
}

/** `&&` (decided by false) and `||` (decided by true): an operand's error gives way to a decisive other operand. */
function logic(operands: readonly Evaluator[], decisive: boolean): Evaluator {
  return (frame) => {
    let error: CelError | undefined;
    for (const operand of operands) {
      const condition = toCondition(operand(frame));
      if (condition === decisive) return decisive;
      if (condition instanceof CelError) error ??= condition;
    }
    return error ?? !decisive;
  };
}

function list(items: readonly Evaluator[]): Evaluator {
  return (frame) => {
    if (!spendBuilding(frame.budget, items.length)) return OVER_BUDGET;
    const values: Value[] = [];
    for (const item of items) {
      const value = item(frame);
      if (value instanceof CelError) return value;
      values.push(value);
    }
    return new List(values);
  };
}

type Entry = readonly [key: Value, value: Value];

function entry(makeKey: Evaluator, makeValue: Evaluator): (frame: Frame) => Entry | CelError {
  return (frame) => {
    const key = makeKey(frame);
    if (key instanceof CelError) return key;
    if (typeof key === 'number' || keyIdentity(key) === undefined) {
      return new CelError(`unsupported key type: ${typeOf(key)}`);
    }
    const value = makeValue(frame);
    return value instanceof CelError ? value : [key, value];
  };
}

function dictionary(makeEntries: readonly ReturnType<typeof entry>[]): Evaluator {
  return (frame) => {
    if (!spendBuilding(frame.budget, makeEntries.length)) return OVER_BUDGET;
    const entries = new Map<ReturnType<typeof keyIdentity>, Entry>();
    for (const makeEntry of makeEntries) {
      const made = makeEntry(frame);
      if (made instanceof CelError) return made;
      entries.set(keyIdentity(made[0]), made);
    }
    return new Dictionary(entries);
  };
}

function unary(name: string, argument: Evaluator): Evaluator {
  const operate = UNARY.get(name) as Unary; // the checker has refused every other name
  return (frame) => {
    const value = argument(frame);
    return value instanceof CelError ? value : operate(value, frame.budget);
  };
}

function binary(name: string, left: Evaluator, right: Evaluator): Evaluator {
  const operate = BINARY.get(name) as Binary; // the checker has refused every other name
  return (frame) => {
    const a = left(frame);
    if (a instanceof CelError) return a;
    const b = right(frame);
    return b instanceof CelError ? b : operate(a, b, frame.budget);
  };
}

function literalMatch(text: Evaluator, pattern: string): Evaluator {
  const compiled = compilePattern(pattern);
  return (frame) => {
    const value = text(frame);
    return value instanceof CelError ? value : matchesCompiled(value, compiled, frame.budget);
  };
}

function call(node: Extract<Node, { kind: 'call' }>, locals: Locals): Evaluator {
  const nodes = node.target ? [node.target, ...node.args] : node.args;
  const pattern = literalPattern(node);
  if (pattern !== undefined && nodes[0])
    return literalMatch(compileNode(nodes[0], locals), pattern);
  const [first, second, third] = nodes.map((arg) => compileNode(arg, locals));
  if (first && second && third) return conditional(first, second, third);
  if (first && second) return binary(node.name, first, second);
  return unary(node.name, first as Evaluator); // no function goes without an argument
}

function children(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [node.operand];
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args;
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flat();
    case 'logic':
      return node.args;
    case 'comprehension':
      return [node.range, node.predicate, ...(node.transform ? [node.transform] : [])];
  }
}

function countNodes(node: Node): number {
  return children(node).reduce((sum, child) => sum + countNodes(child), 1);
}

function comprehension(node: Comprehension, locals: Locals): Evaluator {
  const inner = [...locals, node.variable];
  const predicate = compileNode(node.predicate, inner);
  const transform = node.transform && compileNode(node.transform, inner);
  const nodes = countNodes(node.predicate) + (node.transform ? countNodes(node.transform) : 0);
  const loop: Loop = {
    range: compileNode(node.range, locals),
    slot: locals.length,
    cost: Math.ceil(nodes / NODES_PER_STEP),
  };
  if (transform) return collect(loop, predicate, transform);
  if (node.loop === 'exists_one') return existsOne(loop, predicate);
  return quantifier(loop, predicate, node.loop === 'exists');
}

/** Compiles a checked expression to a function. */
export function compileNode(node: Node, locals: Locals = []): Evaluator {
  switch (node.kind) {
    case 'literal':
      return () => node.value;
    case 'ident':
      return ident(node.name, locals);
    case 'select': {
      const operand = compileNode(node.operand, locals);
      return node.test ? has(operand, node.field) : select(operand, node.field);
    }
    case 'call':
      return call(node, locals);
    case 'list':
      return list(node.items.map((item) => compileNode(item, locals)));
    case 'map':
      return dictionary(
        node.entries.map(([key, value]) =>
          entry(compileNode(key, locals), compileNode(value, locals)),
        ),
      );
    case 'logic':
      return logic(
        node.args.map((arg) => compileNode(arg, locals)),
        node.name === '_||_',
      );
    case 'comprehension':
      return comprehension(node, locals);
  }
}
