import { compile } from '#shared/core/expression/compile.ts';
import {
  EVENT_VARIABLES,
  type Evaluation,
  type ExpressionValue,
  type Program,
} from '#shared/core/expression/expression.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { type JsonObject, type JsonValue, member, stringifyJson } from '#shared/core/json.ts';

/** A rule as its author writes it. */
export interface RuleText {
  readonly name: string;
  /** The types of the events that it concerns (`EVENT_TYPES`). */
  readonly events: readonly string[];
  /** CEL: whether receivers are notified of `event`. Default: of all. */
  readonly condition?: string;
  /** CEL: receivers are notified once for each value that this has for the subject of `event`. */
  readonly oncePer?: string;
  /** The names of the receivers. */
  readonly send: readonly string[];
}

/** A rule that can be evaluated. */
export interface Rule {
  readonly name: string;
  readonly events: ReadonlySet<string>;
  readonly condition: Program | undefined;
  readonly oncePer: Program | undefined;
  readonly send: readonly string[];
}

/** Why an expression of a rule cannot be used. */
export interface RuleFault {
  readonly rule: string;
  readonly field: 'condition' | 'oncePer';
  readonly message: string;
}

/** The rules, and their faults. If there are any, the rules cannot be used. */
export interface RulesReading {
  readonly rules: readonly Rule[];
  readonly faults: readonly RuleFault[];
}

const TYPES_OF_CONDITIONS: readonly string[] = ['bool', 'dyn'];

/** Compiles the expressions of rules. The faults are in the order of the rules. */
export function compileRules(texts: readonly RuleText[]): RulesReading {
  const faults: RuleFault[] = [];
  const programOf = (rule: RuleText, field: RuleFault['field']): Program | undefined => {
    const text = rule[field];
    if (text === undefined) return undefined;
    const fault = (message: string): undefined =>
      void faults.push({ rule: rule.name, field, message });
    const compilation = compile(text, EVENT_VARIABLES);
    if (!compilation.ok) {
      for (const { line, column, message } of compilation.errors)
        fault(`line ${line}, column ${column}: ${message}`);
      return undefined;
    }
    const { program } = compilation;
    if (field === 'condition' && !TYPES_OF_CONDITIONS.includes(program.type))
      return fault(`it is of type ${program.type}: write an expression that is true or false`);
    return program;
  };
  const rules = texts.map(
    (rule): Rule => ({
      name: rule.name,
      events: new Set(rule.events),
      condition: programOf(rule, 'condition'),
      oncePer: programOf(rule, 'oncePer'),
      send: rule.send,
    }),
  );
  return { rules, faults };
}

/**
 * Whether receivers are notified of an event by a rule. `once`: the value of `oncePer`, as text. `failed`: an expression has no
 * value for this event, so nobody is notified.
 */
export type RuleMatch =
  | { readonly type: 'no' }
  | { readonly type: 'yes'; readonly once?: string }
  | { readonly type: 'failed'; readonly field: RuleFault['field']; readonly error: string };

const EMPTY = { inventory: { name: '' }, obj: {}, returned: {}, propagation: {} };

function evaluate(program: Program, event: JsonObject): Evaluation {
  return program.evaluate({ ...EMPTY, event }, { remaining: MAX_STEPS, exceeded: false });
}

function textOf(value: ExpressionValue): string {
  if (value.type === 'null') return 'null';
  const { type, value: plain } = value;
  const isJson = type === 'list' || type === 'map';
  return `${type} ${isJson ? stringifyJson(plain as JsonValue) : String(plain)}`;
}

/** Evaluates a rule on an event, within the steps of one row for each expression. */
export function matchRule({ events, condition, oncePer }: Rule, event: JsonObject): RuleMatch {
  if (!events.has(String(member(event, 'type')))) return { type: 'no' };
  if (condition !== undefined) {
    const evaluation = evaluate(condition, event);
    if (!evaluation.ok) return { type: 'failed', field: 'condition', error: evaluation.error };
    const { value } = evaluation;
    if (value.type !== 'bool')
      return { type: 'failed', field: 'condition', error: `it is ${value.type}, not bool` };
    if (!value.value) return { type: 'no' };
  }
  if (oncePer === undefined) return { type: 'yes' };
  const evaluation = evaluate(oncePer, event);
  return evaluation.ok
    ? { type: 'yes', once: textOf(evaluation.value) }
    : { type: 'failed', field: 'oncePer', error: evaluation.error };
}
