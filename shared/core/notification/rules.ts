import { compile } from '#shared/core/expression/compile.ts';
import {
  EVENT_VARIABLES,
  type Evaluation,
  type ExpressionError,
  type ExpressionValue,
  type Program,
} from '#shared/core/expression/expression.ts';
import type { Node } from '#shared/core/expression/node.ts';
import { parse } from '#shared/core/expression/parse.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { errorAt } from '#shared/core/expression/syntax-fault.ts';
import { type JsonObject, type JsonValue, member, stringifyJson } from '#shared/core/json.ts';
import { EVENT_TYPES } from './change-event.ts';
import { type EventFault, eventFaults } from './event-faults.ts';
import { mayBeTrue } from './event-outcome.ts';
import { TOPIC_TYPES } from './topic.ts';

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

const NEVER_TRUE =
  'it is true for no event of the rule, whatever the event says: correct it, or remove the rule';

type Field = RuleFault['field'];

function placed({ line, column, message }: ExpressionError): string {
  return `line ${line}, column ${column}: ${message}`;
}

/** What the events of a rule never have or say, although an expression of the rule expects it. */
function faultsAboutEvents(
  { text, node }: { readonly text: string; readonly node: Node },
  { events }: RuleText,
  field: Field,
): readonly string[] {
  const types = TOPIC_TYPES.filter((type) => events.includes(EVENT_TYPES[type]));
  const found = eventFaults(node, types);
  const texts = (faults: readonly EventFault[]): readonly string[] => [
    ...new Set(
      faults.map(({ at, message }) =>
        placed(errorAt(text, at, { code: 'unknown-member', message })),
      ),
    ),
  ];
  const decisive = found.filter(({ isDecisive }) => isDecisive);
  if (decisive.length > 0 || field === 'oncePer') return texts(decisive);
  if (mayBeTrue(node, types)) return [];
  return found.length > 0 ? texts(found) : [NEVER_TRUE];
}

/** Compiles an expression of a rule. */
function compiled(rule: RuleText, field: Field): Program | undefined | readonly string[] {
  const text = rule[field];
  if (text === undefined) return undefined;
  const parsed = parse(text);
  if (!parsed.ok) return [placed(parsed.error)];
  const compilation = compile(text, EVENT_VARIABLES);
  if (!compilation.ok) return compilation.errors.map(placed);
  const { program } = compilation;
  if (field === 'condition' && !TYPES_OF_CONDITIONS.includes(program.type))
    return [`it is of type ${program.type}: write an expression that is true or false`];
  const faults = faultsAboutEvents({ text, node: parsed.node }, rule, field);
  return faults.length === 0 ? program : faults;
}

/**
 * Compiles the expressions of rules. The faults are in the order of the rules. An expression is also faulty if it can only be
 * meant for other events: it reads a member that no event of the rule has, asks whether a status equals a word that is none, or is
 * true for no event of the rule.
 */
export function compileRules(texts: readonly RuleText[]): RulesReading {
  const faults: RuleFault[] = [];
  const programOf = (rule: RuleText, field: Field): Program | undefined => {
    const found = compiled(rule, field);
    if (found === undefined || 'evaluate' in found) return found;
    faults.push(...found.map((message) => ({ rule: rule.name, field, message })));
    return undefined;
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
