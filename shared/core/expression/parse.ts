import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import type { ExpressionError } from './expression.ts';
import { nestedDeeper } from './messages.ts';
import type { Comprehension, Loop, Node } from './node.ts';
import {
  fail,
  faultOf,
  MAX_COMPREHENSION_DEPTH,
  MAX_DEPTH,
  MAX_LENGTH,
  SyntaxFault,
} from './syntax-fault.ts';
import { Bytes, type TypeName, TypeValue, Uint, type Value } from './value.ts';

type Literal = Extract<ASTNode, { op: 'value' }>;

const INT64_MAX = 2n ** 63n - 1n;

/** An int literal. A minus before it makes it negative, because the smallest int64 can only be written in this way. */
function integerLiteral(value: bigint, negative: boolean, at: number): bigint {
  if (value > INT64_MAX + (negative ? 1n : 0n)) return fail('invalid int literal', at);
  return negative ? -value : value;
}

/** The value of a literal. */
function literalValue(node: Literal): Value {
  const value = node.args;
  if (typeof value === 'bigint') return integerLiteral(value, false, node.start);
  if (value === null || typeof value !== 'object') return value;
  if (!(value instanceof Uint8Array)) return new Uint(BigInt(value.toString()));
  // The parser keeps 8 bits of each character of a bytes literal, but CEL takes the UTF-8 bytes of the character.
  if (Array.from(node.input.slice(node.start, node.end)).some((c) => c > '\u007f')) {
    return fail('bytes literal has a character beyond ASCII', node.start);
  }
  return new Bytes(value);
}

/** The parsed expression, or why it cannot be parsed. */
export type Parsed =
  | { readonly ok: true; readonly node: Node }
  | { readonly ok: false; readonly error: ExpressionError };

type Ast<Op extends ASTNode['op']> = Extract<ASTNode, { op: Op }>;
type Binary = Ast<'==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '+' | '-' | '*' | '/' | '%'>;

// The limit on the length of the text replaces the other limits of the parser.
const ENVIRONMENT = new Environment({
  limits: {
    maxDepth: MAX_DEPTH,
    maxListElements: MAX_LENGTH,
    maxMapEntries: MAX_LENGTH,
    maxCallArguments: MAX_LENGTH,
  },
});
const TYPE_NAMES: ReadonlyMap<string, TypeName> = new Map(
  (
    [
      'bool',
      'int',
      'uint',
      'double',
      'string',
      'bytes',
      'list',
      'map',
      'null_type',
      'type',
      'google.protobuf.Timestamp',
      'google.protobuf.Duration',
    ] as const
  ).map((name) => [name, name]),
);
const LOOPS: ReadonlyMap<string, Loop> = new Map<string, Loop>([
  ['all', 'all'],
  ['exists', 'exists'],
  ['exists_one', 'exists_one'],
  ['map', 'collect'],
  ['filter', 'collect'],
]);
const RELATIONS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'in']);

/** The context of a node: its depth, the number of comprehensions around it, and its loop variables. */
interface Scope {
  readonly depth: number;
  readonly loops: number;
  readonly variables: ReadonlySet<string>;
}

function deeper(scope: Scope, at: number): Scope {
  if (scope.depth < MAX_DEPTH) return { ...scope, depth: scope.depth + 1 };
  throw new SyntaxFault('too-deep', nestedDeeper('expression is', MAX_DEPTH), at);
}

/** The dotted name that a chain of selections forms, or `undefined` for anything else. */
function qualifiedName(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return undefined;
  const prefix = qualifiedName(node.args[0]);
  return prefix === undefined ? undefined : `${prefix}.${node.args[1]}`;
}

function typeLiteral(node: ASTNode, scope: Scope): Node | undefined {
  const qualified = qualifiedName(node);
  if (qualified === undefined || scope.variables.has(qualified)) return undefined;
  const name = TYPE_NAMES.get(qualified);
  return name && { kind: 'literal', value: new TypeValue(name), at: node.start };
}

function select(node: ASTNode, scope: Scope, test: boolean): Node {
  if (node.op !== '.') return fail('invalid argument to has() macro', node.start);
  const [operand, field] = node.args;
  return { kind: 'select', operand: convert(operand, scope), field, test, at: node.pos };
}

function call(name: string, args: readonly ASTNode[], { scope, at }: CallContext): Node {
  return { kind: 'call', name, args: args.map((arg) => convert(arg, scope)), at };
}

interface CallContext {
  readonly scope: Scope;
  readonly at: number;
}

/** The arguments of a macro: its variable, and what is evaluated for each element. */
type LoopArguments = readonly [iterator: ASTNode, first: ASTNode, ...second: ASTNode[]];

function areOfLoop(name: string, args: readonly ASTNode[]): args is LoopArguments {
  return args.length === 2 || (name === 'map' && args.length === 3);
}

function comprehension(
  { loop, args }: { readonly loop: Loop; readonly args: LoopArguments },
  node: Ast<'rcall'>,
  scope: Scope,
): Comprehension {
  const [iterator, one, other] = args;
  const [name, receiver] = node.args;
  const at = node.start;
  if (scope.loops >= MAX_COMPREHENSION_DEPTH) {
    const problem = nestedDeeper('comprehensions are', MAX_COMPREHENSION_DEPTH);
    throw new SyntaxFault('too-deep', problem, at);
  }
  const variable = (iterator as Ast<'id'>).args; // the parser refuses a macro whose variable is no identifier
  const variables = new Set([...scope.variables, variable]);
  const inner = { ...scope, loops: scope.loops + 1, variables };
  const first = convert(one, inner);
  const second = other && convert(other, inner);
  const always: Node = { kind: 'literal', value: true, at };
  const element: Node = { kind: 'ident', name: variable, at };
  const [predicate, transform] =
    name === 'map' && second === undefined ? [always, first] : [first, second ?? element];
  const range = convert(receiver, scope);
  const base = { kind: 'comprehension', loop, range, variable, predicate, at } as const;
  return loop === 'collect' ? { ...base, transform } : base;
}

function memberCall(node: Ast<'rcall'>, scope: Scope): Node {
  const [name, receiver, args] = node.args;
  const loop = LOOPS.get(name);
  if (loop && areOfLoop(name, args)) return comprehension({ loop, args }, node, scope);
  return {
    kind: 'call',
    name,
    target: convert(receiver, scope),
    args: args.map((arg) => convert(arg, scope)),
    at: node.start,
  };
}

function logic(node: Ast<'&&' | '||'>, scope: Scope): Node {
  const operands: ASTNode[] = [];
  let left: ASTNode = node;
  while (left.op === node.op) {
    operands.unshift(left.args[1]);
    left = left.args[0];
  }
  const args = [left, ...operands].map((operand) => convert(operand, scope));
  return { kind: 'logic', name: node.op === '&&' ? '_&&_' : '_||_', args, at: node.start };
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/**
 * Rejects `a == b < c`. In CEL, all relations have the same precedence: `(a == b) < c`. The parser gives `==` and `!=`
 * a lower precedence: `a == (b < c)`. With parentheses, both agree.
 */
function refuseMixedRelations(node: Binary): void {
  const [left, right] = node.args;
  if ((node.op !== '==' && node.op !== '!=') || !RELATIONS.has(right.op)) return;
  const [first, second] = (right as Binary).args; // RELATIONS names binary operators only
  const opened = count(node.input.slice(left.end, first.start), '(');
  const closed = count(node.input.slice(first.end, second.start), ')');
  if (opened <= closed)
    fail(`comparisons '${node.op}' and '${right.op}' need parentheses`, node.start);
}

function negation(node: Ast<'-_'>, scope: Scope): Node {
  const operand = node.args;
  if (operand.op !== 'value' || typeof operand.args !== 'bigint') {
    return call('-_', [operand], { scope, at: node.start });
  }
  return {
    kind: 'literal',
    value: integerLiteral(operand.args, true, operand.start),
    at: node.start,
  };
}

function functionCall(node: Ast<'call'>, scope: Scope): Node {
  const [name, args] = node.args;
  const [first] = args;
  if (name === 'has' && first && args.length === 1) return select(first, scope, true);
  return call(name, args, { scope, at: node.start });
}

function aggregate(node: Ast<'list' | 'map'>, scope: Scope): Node {
  const at = node.start;
  if (node.op === 'list') {
    return { kind: 'list', items: node.args.map((item) => convert(item, scope)), at };
  }
  const entries = node.args.map(
    ([key, value]) => [convert(key, scope), convert(value, scope)] as const,
  );
  return { kind: 'map', entries, at };
}

function operator(node: ASTNode, scope: Scope): Node {
  const context = { scope, at: node.start };
  switch (node.op) {
    case '[]':
    case '[?]':
      return call('_[_]', node.args, context);
    case '?:':
      return call('_?_:_', node.args, context);
    case '!_':
      return call('!_', [node.args], context);
    case '-_':
      return negation(node, scope);
    case 'in':
      return call('@in', node.args, context);
    default:
      // Every other kind of node is converted by its own function, so this one is a binary operator.
      refuseMixedRelations(node as Binary);
      return call(`_${node.op}_`, (node as Binary).args, context);
  }
}

function convert(node: ASTNode, outer: Scope): Node {
  const scope = deeper(outer, node.start);
  switch (node.op) {
    case 'value':
      return { kind: 'literal', value: literalValue(node), at: node.start };
    case 'id':
      return typeLiteral(node, scope) ?? { kind: 'ident', name: node.args, at: node.start };
    case '.':
    case '.?':
      return typeLiteral(node, scope) ?? select(node, scope, false);
    case 'call':
      return functionCall(node, scope);
    case 'rcall':
      return memberCall(node, scope);
    case 'list':
    case 'map':
      return aggregate(node, scope);
    case '&&':
    case '||':
      return logic(node, scope);
    default:
      return operator(node, scope);
  }
}

/**
 * Parses a text and expands its macros. The grammar is the library's. docs/cel.md lists its differences from cel-go's.
 */
export function parse(text: string): Parsed {
  if (text.length > MAX_LENGTH) {
    const message = `expression has ${text.length} characters; at most ${MAX_LENGTH} are allowed`;
    return { ok: false, error: { code: 'too-long', message, line: 1, column: 1 } };
  }
  try {
    const scope: Scope = { depth: 0, loops: 0, variables: new Set() };
    return { ok: true, node: convert(ENVIRONMENT.parse(text).ast, scope) };
  } catch (error) {
    return { ok: false, error: faultOf(text, error) };
  }
}
