import { compile } from '#shared/core/expression/compile.ts';
import type { Activation, ExpressionValue } from '#shared/core/expression/expression.ts';
import { Float, isArray, isNumber, isObject, type JsonValue, member } from '#shared/core/json.ts';

/** An expression in the older form, as the generator makes it: a path by its steps. */
export type Tree =
  | { readonly kind: 'path'; readonly root: Root; readonly steps: readonly (string | number)[] }
  | { readonly kind: 'literal'; readonly value: JsonValue }
  | { readonly kind: 'cel'; readonly text: string }
  | Operation;

interface Operation {
  readonly kind: 'operation';
  readonly op: 'Not' | 'And' | 'Or' | 'Equal';
  readonly args: readonly Tree[];
}
type Path = Extract<Tree, { kind: 'path' }>;

export type Root = 'inventory' | 'status' | 'spec' | 'propagation';

/** What an expression in error gives. */
export const ERROR: unique symbol = Symbol('error');
type Result = JsonValue | typeof ERROR;

/** Stands before the text of a time, which is equal to no other text. */
const TIME = 'time: ';

function found(value: JsonValue | undefined): Result {
  return value === undefined ? ERROR : value;
}

function rootValue(root: Root, { inventory, obj, returned, propagation }: Activation): Result {
  switch (root) {
    case 'inventory':
      return inventory;
    case 'status':
      return returned;
    case 'spec':
      return found(member(obj, 'spec'));
    case 'propagation': {
      const { lastReturnedUpdateTimestamp: time = '1970-01-01T00:00:00Z', stale } = propagation;
      const members = { lastReturnedUpdateTimestamp: TIME + time };
      return stale === undefined ? members : { ...members, stale };
    }
  }
}

function step(value: Result, key: string | number): Result {
  if (value === ERROR) return ERROR;
  if (typeof key === 'string') return found(member(value, key));
  return found(isArray(value) ? value[key] : undefined);
}

function numberOf(value: JsonValue): number {
  return value instanceof Float ? value.value : Number(value);
}

function equal(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (isNumber(a) && isNumber(b)) return numberOf(a) === numberOf(b);
  if (isArray(a) && isArray(b))
    return a.length === b.length && a.every((one, index) => equal(one, b[index]));
  if (isObject(a) && isObject(b))
    return (
      Object.keys(a).length === Object.keys(b).length &&
      Object.keys(a).every((key) => equal(member(a, key), member(b, key)))
    );
  return a === b;
}

/** `&&` (decided by false) and `||` (decided by true): whoever decides prevails over who fails. */
function decide(results: readonly Result[], decisive: boolean): Result {
  if (results.includes(decisive)) return decisive;
  return results.every((result) => typeof result === 'boolean') ? !decisive : ERROR;
}

/** What an evaluation gave, as this interpreter has it. */
export function plain(value: ExpressionValue): JsonValue {
  if (value.type === 'null') return null;
  return value.type === 'int' ? Number(value.value) : value.value;
}

function evaluateCel(text: string, activation: Activation): Result {
  const compilation = compile(text);
  if (!compilation.ok) throw new Error(`${text} is no CEL`);
  const budget = { remaining: 1e6, exceeded: false };
  const evaluation = compilation.program.evaluate(activation, budget);
  return evaluation.ok ? plain(evaluation.value) : ERROR;
}

function operate({ op, args }: Operation, activation: Activation): Result {
  const results = args.map((arg) => interpret(arg, activation));
  const [first, second] = results;
  switch (op) {
    case 'Not':
      return typeof first === 'boolean' ? !first : ERROR;
    case 'Equal':
      return first === ERROR || second === ERROR ? ERROR : equal(first, second);
    case 'And':
      return decide(results, false);
    case 'Or':
      return decide(results, true);
  }
}

/** What an expression gives, by walking it. */
export function interpret(tree: Tree, activation: Activation): Result {
  switch (tree.kind) {
    case 'path':
      return tree.steps.reduce<Result>(step, rootValue(tree.root, activation));
    case 'literal':
      return tree.value;
    case 'cel':
      return evaluateCel(tree.text, activation);
    case 'operation':
      return operate(tree, activation);
  }
}

/** A result with every number as a plain one and every time as its text. */
export function comparable(value: Result): unknown {
  if (value === ERROR) return ERROR;
  if (typeof value === 'string') return value.startsWith(TIME) ? value.slice(TIME.length) : value;
  if (isNumber(value)) return numberOf(value);
  if (isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, inner]) => [key, comparable(inner)]));
}

type Kind = 'bool' | 'dyn' | 'other' | 'wrong';

function kindOfPath({ root, steps }: Path): Kind {
  if (root === 'status' || root === 'spec') return 'dyn';
  if (typeof steps[0] === 'number') return 'wrong';
  if (root === 'propagation' && steps.length > 0) return 'dyn';
  return steps.length > 1 ? 'wrong' : 'other';
}

function kindOfOperation({ op, args }: Operation): Kind {
  const kinds = args.map(kindOf);
  if (kinds.includes('wrong')) return 'wrong';
  const areBools = kinds.every((kind) => kind === 'bool' || (op !== 'Equal' && kind === 'dyn'));
  return areBools || (op === 'Equal' && kinds.includes('dyn')) ? 'bool' : 'wrong';
}

/** Whether the checker has to take an expression: it may refuse those whose types are known not to fit. */
export function kindOf(tree: Tree): Kind {
  switch (tree.kind) {
    case 'path':
      return kindOfPath(tree);
    case 'literal':
      return typeof tree.value === 'boolean' ? 'bool' : 'other';
    case 'cel':
      return 'bool';
    case 'operation':
      return kindOfOperation(tree);
  }
}
