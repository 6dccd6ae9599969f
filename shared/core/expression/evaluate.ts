import { OVER_BUDGET, pay, stepsOfParts } from './budget.ts';
import type { Variable } from './expression.ts';
import { type Evaluator, type Frame, VARIABLE_EVALUATORS } from './frame.ts';
import { BINARY, type Binary, noSuchKey, UNARY, type Unary } from './functions.ts';
import { collect, existsOne, type Loop, quantifier } from './loop.ts';
import { unsupportedIndexType } from './messages.ts';
import { type Comprehension, countNodes, type Node } from './node.ts';
import { matchesCompiled, type Pattern } from './regex.ts';
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

/** The compiled patterns of the calls of `matches` whose pattern is a constant. */
export type Patterns = ReadonlyMap<Node, Pattern>;

const FIELD_OF_LIST = new CelError(unsupportedIndexType('string'));

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

/**
 * `&&` (decided by false) and `||` (decided by true). If another operand decides, the error of an operand is ignored.
 */
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
    if (!pay(frame.budget, 'elementsWritten', items.length)) return OVER_BUDGET;
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
    if (!pay(frame.budget, 'elementsWritten', makeEntries.length)) return OVER_BUDGET;
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

function constantMatch(text: Evaluator, pattern: Pattern): Evaluator {
  return (frame) => {
    const value = text(frame);
    return value instanceof CelError ? value : matchesCompiled(value, pattern, frame.budget);
  };
}

/** Compiles the parts of one expression. */
class NodeCompiler {
  readonly #patterns: Patterns;

  constructor(patterns: Patterns) {
    this.#patterns = patterns;
  }

  compile(node: Node, locals: Locals): Evaluator {
    switch (node.kind) {
      case 'literal':
        return () => node.value;
      case 'ident':
        return ident(node.name, locals);
      case 'select': {
        const operand = this.compile(node.operand, locals);
        return node.test ? has(operand, node.field) : select(operand, node.field);
      }
      case 'call':
        return this.#call(node, locals);
      case 'list':
        return list(this.#all(node.items, locals));
      case 'map':
        return dictionary(
          node.entries.map(([key, value]) =>
            entry(this.compile(key, locals), this.compile(value, locals)),
          ),
        );
      case 'logic':
        return logic(this.#all(node.args, locals), node.name === '_||_');
      case 'comprehension':
        return this.#comprehension(node, locals);
    }
  }

  #all(nodes: readonly Node[], locals: Locals): readonly Evaluator[] {
    return nodes.map((node) => this.compile(node, locals));
  }

  #call(node: Extract<Node, { kind: 'call' }>, locals: Locals): Evaluator {
    const nodes = node.target ? [node.target, ...node.args] : node.args;
    const pattern = this.#patterns.get(node);
    const [first, second, third] = this.#all(nodes, locals);
    if (first && pattern) return constantMatch(first, pattern);
    if (first && second && third) return conditional(first, second, third);
    if (first && second) return binary(node.name, first, second);
    return unary(node.name, first as Evaluator); // no function goes without an argument
  }

  #comprehension(node: Comprehension, locals: Locals): Evaluator {
    const inner = [...locals, node.variable];
    const predicate = this.compile(node.predicate, inner);
    const transform = node.transform && this.compile(node.transform, inner);
    const loop: Loop = {
      range: this.compile(node.range, locals),
      slot: locals.length,
      cost: stepsOfIteration(node),
    };
    if (transform) return collect(loop, predicate, transform);
    if (node.loop === 'exists_one') return existsOne(loop, predicate);
    return quantifier(loop, predicate, node.loop === 'exists');
  }
}

/** The steps of one iteration of a loop, without those of the operations in its body. */
export function stepsOfIteration({ predicate, transform }: Comprehension): number {
  return stepsOfParts(countNodes(predicate) + (transform ? countNodes(transform) : 0));
}

/** Compiles a checked expression to a function. */
export function compileNode(node: Node, patterns: Patterns): Evaluator {
  return new NodeCompiler(patterns).compile(node, []);
}
