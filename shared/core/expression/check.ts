import { type ExpressionError, VARIABLES, type Variable, type WecFact } from './expression.ts';
import {
  largePattern,
  largePatterns,
  noFieldSelection,
  noMatchingOverload,
  noRange,
  notBool,
  TYPE_REMEDY,
  undeclaredReference,
} from './messages.ts';
import { type Comprehension, constantPattern, type Node } from './node.ts';
import { fieldOf, type KindSchema } from './object-field.ts';
import { overloads } from './overloads.ts';
import { patternSize } from './pattern-size.ts';
import { MAX_PATTERN_SIZE, MAX_PATTERNS_SIZE, PATTERN_OVERHEAD } from './prices.ts';
import { compilePattern, type Pattern } from './regex.ts';
import {
  BOOL,
  DYN,
  formatType,
  joinTypes,
  listOf,
  mapOf,
  NUMBER,
  type ObjectType,
  STRING,
  type StaticType,
  sameType,
  typeOfLiteral,
} from './static-type.ts';
import { unicodeRanges } from './unicode-ranges.ts';
import { CelError, type Value } from './value.ts';
import {
  factsRead,
  keyedMember,
  type MemberUse,
  selectedMember,
  unknownMemberFaults,
} from './variable-members.ts';

/** The result of checking an expression: its type, the variables that it mentions, and its errors. */
export interface Checked {
  readonly type: StaticType;
  readonly variables: ReadonlySet<Variable>;
  /** What the expression may read about a WEC that is in no row. */
  readonly facts: ReadonlySet<WecFact>;
  readonly errors: readonly (Pick<ExpressionError, 'code' | 'message'> & { readonly at: number })[];
  /** The compiled patterns of the calls of `matches` with a constant pattern. Empty if a schema was given. */
  readonly patterns: ReadonlyMap<Node, Pattern>;
  /** How much of {@link MAX_PATTERNS_SIZE} the patterns take. */
  readonly patternsSize: number;
}

const VARIABLE_TYPES: Readonly<Record<Variable, StaticType>> = {
  inventory: mapOf(STRING, DYN),
  obj: mapOf(STRING, DYN),
  returned: mapOf(STRING, DYN),
  propagation: mapOf(STRING, DYN),
  event: mapOf(STRING, DYN),
};

/** The types of the members of `inventory`. */
const INVENTORY_TYPES: ReadonlyMap<string, StaticType> = new Map([
  ['name', STRING],
  ['labels', mapOf(STRING, STRING)],
  ['annotations', mapOf(STRING, STRING)],
]);

/** After this many errors, no more fields are looked up, because comparing names takes time. */
const MAX_ERRORS = 20;

type Scope = ReadonlyMap<string, StaticType>;

/** The error if a pattern is too large, or if all patterns so far are. */
function sizeProblem(size: number, all: number): string | undefined {
  if (size > MAX_PATTERN_SIZE) return largePattern(size, MAX_PATTERN_SIZE);
  if (all <= MAX_PATTERNS_SIZE) return undefined;
  return largePatterns(PATTERN_OVERHEAD, MAX_PATTERNS_SIZE);
}

class Checker {
  readonly errors: { code: ExpressionError['code']; message: string; at: number }[] = [];
  /** How often each variable is mentioned. */
  readonly mentioned = new Map<Variable, number>();
  readonly patterns = new Map<Node, Pattern>();
  patternsSize = 0;
  /** The members of variables that are used, if there is no schema. */
  readonly members: MemberUse[] = [];
  readonly #schema: KindSchema | undefined;
  readonly #variables: readonly Variable[];

  constructor(schema: KindSchema | undefined, variables: readonly Variable[]) {
    this.#schema = schema;
    this.#variables = variables;
  }

  check(node: Node, scope: Scope): StaticType {
    switch (node.kind) {
      case 'literal':
        return this.literal(node.value);
      case 'ident':
        return this.ident(node.name, node.at, scope);
      case 'select':
        return this.select(node, scope);
      case 'call':
        return this.call(node, scope);
      case 'list':
        return listOf(this.joined(node.items, scope));
      case 'map':
        return mapOf(
          this.joined(
            node.entries.map(([key]) => key),
            scope,
          ),
          this.joined(
            node.entries.map(([, value]) => value),
            scope,
          ),
        );
      case 'logic':
        for (const arg of node.args) this.expectBool(arg, scope);
        return BOOL;
      case 'comprehension':
        return this.comprehension(node, scope);
    }
  }

  private report(code: ExpressionError['code'], message: string, at: number): StaticType {
    this.errors.push({ code, message, at });
    return DYN;
  }

  /** Any field of an object may also be null. With a schema, a comparison with null is therefore not an error. */
  private literal(value: Value): StaticType {
    const type = typeOfLiteral(value);
    return this.#schema && type.kind === 'null' ? DYN : type;
  }

  /** A type error that follows from literals and functions, or from the schema. */
  private mismatch(message: string, at: number): StaticType {
    const text = this.#schema
      ? `with obj of kind ${this.#schema.kind}: ${message}; ${TYPE_REMEDY}`
      : message;
    return this.report('type', text, at);
  }

  private ident(name: string, at: number, scope: Scope): StaticType {
    const local = scope.get(name);
    if (local) return local;
    const variable = this.#variables.find((candidate) => candidate === name);
    if (!variable) return this.report('undeclared-reference', undeclaredReference(name), at);
    this.mentioned.set(variable, (this.mentioned.get(variable) ?? 0) + 1);
    if (this.#schema && variable === 'obj') return this.#schema.obj;
    if (variable === 'returned' && this.#schema?.returned) return this.#schema.returned;
    return VARIABLE_TYPES[variable];
  }

  private select(node: Extract<Node, { kind: 'select' }>, scope: Scope): StaticType {
    const operand = this.check(node.operand, scope);
    const member = this.note(selectedMember(node), scope);
    if (operand.kind === 'object') {
      const field = this.field(operand, node.field, node.at);
      return node.test ? BOOL : field;
    }
    if (operand.kind !== 'map' && operand.kind !== 'dyn') {
      return this.mismatch(noFieldSelection(formatType(operand)), node.at);
    }
    if (node.test) return BOOL;
    return member ?? (operand.kind === 'map' ? operand.value : DYN);
  }

  /** Notes the use of a variable's member. Returns the type of the member, if it is known without a schema. */
  private note(use: MemberUse | undefined, scope: Scope): StaticType | undefined {
    if (use === undefined || scope.has(use.variable)) return undefined;
    this.members.push(use);
    return use.variable === 'inventory' && !use.isTest
      ? INVENTORY_TYPES.get(use.member)
      : undefined;
  }

  private field(object: ObjectType, name: string, at: number): StaticType {
    if (this.errors.length >= MAX_ERRORS) return DYN;
    const { type, problem } = fieldOf(object, name);
    return type ?? this.report('type', `${this.#schema?.kind} ${problem}`, at);
  }

  /** The field that `object['name']` or `'name' in object` reads. */
  private keyed(node: Extract<Node, { kind: 'call' }>, types: readonly StaticType[]) {
    const isIndex = node.name === '_[_]';
    if (!isIndex && node.name !== '@in') return undefined;
    const [object, key] = isIndex ? [types[0], node.args[1]] : [types[1], node.args[0]];
    if (object?.kind !== 'object' || key?.kind !== 'literal') return undefined;
    if (typeof key.value !== 'string') return undefined;
    const field = this.field(object, key.value, node.at);
    return isIndex ? field : BOOL;
  }

  /** At run time, a double with an integer value is an index too, so the schema of a list accepts it. */
  private element(name: string, [list = DYN, index = DYN]: readonly StaticType[]) {
    if (!this.#schema || name !== '_[_]' || list.kind !== 'list') return undefined;
    return joinTypes(index, NUMBER) && list.element;
  }

  private call(node: Extract<Node, { kind: 'call' }>, scope: Scope): StaticType {
    const args = [...(node.target ? [node.target] : []), ...node.args];
    const types = args.map((arg) => this.check(arg, scope));
    const member = this.note(keyedMember(node), scope);
    const found = member ?? this.keyed(node, types) ?? this.element(node.name, types);
    if (found) return found;
    const candidates = overloads(node.name);
    if (!candidates)
      return this.report('undeclared-reference', undeclaredReference(node.name), node.at);
    const results = candidates(types, node.target !== undefined);
    const [first, ...others] = results;
    if (first) {
      this.pattern(node);
      return others.every((other) => sameType(other, first)) ? first : DYN;
    }
    const names = types.map(formatType);
    const applied = node.target
      ? `${names[0]}.(${names.slice(1).join(', ')})`
      : `(${names.join(', ')})`;
    return this.mismatch(noMatchingOverload(node.name, applied), node.at);
  }

  private pattern(node: Extract<Node, { kind: 'call' }>): void {
    const text = constantPattern(node);
    // A check with a schema follows a check without one, which has already checked this.
    if (text === undefined || this.#schema) return;
    // The error is reported once. The patterns after it are not compiled.
    if (this.patternsSize > MAX_PATTERNS_SIZE) return;
    const size = patternSize(text);
    this.patternsSize += size + unicodeRanges(text) + PATTERN_OVERHEAD;
    const problem = sizeProblem(size, this.patternsSize);
    if (problem !== undefined) {
      this.report('too-expensive', problem, node.at);
      return;
    }
    const pattern = compilePattern(text);
    this.patterns.set(node, pattern);
    if (pattern.matcher instanceof CelError) this.report('pattern', pattern.matcher.text, node.at);
  }

  /** The type of the elements of a literal: one to which all of them can be assigned, otherwise dyn. */
  private joined(nodes: readonly Node[], scope: Scope): StaticType {
    const [first, ...others] = nodes.map((node) => this.check(node, scope));
    return others.reduce((a, b) => joinTypes(a, b) ?? DYN, first ?? DYN);
  }

  private expectBool(node: Node, scope: Scope): void {
    const type = this.check(node, scope);
    if (joinTypes(type, BOOL)) return;
    this.mismatch(notBool(formatType(type)), node.at);
  }

  private comprehension(node: Comprehension, scope: Scope): StaticType {
    const inner = new Map(scope).set(node.variable, this.range(node.range, scope));
    this.expectBool(node.predicate, inner);
    return node.transform ? listOf(this.check(node.transform, inner)) : BOOL;
  }

  private range(node: Node, scope: Scope): StaticType {
    const type = this.check(node, scope);
    if (type.kind === 'list') return type.element;
    if (type.kind === 'map') return type.key;
    if (type.kind === 'object') return STRING;
    if (type.kind === 'dyn') return DYN;
    return this.mismatch(noRange(formatType(type)), node.at);
  }
}

/**
 * Checks an expression as cel-go's checker does, with `obj`, `returned` and `propagation` declared as map(string, dyn).
 * The name in `inventory` is a string, and its labels and annotations are map(string, string). If cel-go's inference is wrong, this check is more lenient (docs/cel.md).
 *
 * @param schema if given, `obj` is of this kind (docs/architecture.md, section 9.15), and null is compatible with every
 *   type
 * @param variables the declared variables, by default those of a StatusCollector
 */
export function check(
  node: Node,
  schema?: KindSchema,
  variables: readonly Variable[] = VARIABLES,
): Checked {
  const checker = new Checker(schema, variables);
  const type = checker.check(node, new Map());
  const { mentioned, members, patterns, patternsSize } = checker;
  // A check with a schema follows a check without one, which has already checked this.
  const unknown = schema === undefined ? unknownMemberFaults(members) : [];
  const errors = [...checker.errors, ...unknown];
  return {
    type,
    variables: new Set(mentioned.keys()),
    facts: factsRead(mentioned, members),
    errors,
    patterns,
    patternsSize,
  };
}
