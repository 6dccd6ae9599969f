import { countAt } from '#shared/core/health/count-at.ts';
import { equalJson, type JsonValue, textAt } from '#shared/core/json.ts';
import { generationOf } from '#shared/core/observed-generation.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { Component } from './component.ts';
import type { DecidedField } from './decided-status.ts';
import { type AggregatedCondition, decidersOf } from './deciders.ts';
import { decidedIn, type ExplainingPart } from './explaining-part.ts';
import type { FieldRule, FieldRules } from './field-rules.ts';
import { departureText } from './messages.ts';
import type { Aggregate, ExplainedRule } from './rule-fold.ts';
import { allPaths, statusPaths, typeAtPath } from './status-paths.ts';

/** An aggregate, with the part from which it was made. */
export interface ExplainedAggregate {
  readonly explained: ExplainingPart;
  readonly aggregate: Aggregate;
  readonly workload: WorkloadObject;
}

/** What the aggregate and the literal aggregate have at a path. undefined if there is no such field. */
interface Compared {
  readonly path: string;
  readonly value: JsonValue | undefined;
  readonly literal: JsonValue | undefined;
}

type Decision = Pick<DecidedField, 'rule' | 'byAll' | 'deciders'>;

const OBSERVED = 'observedGeneration';

/** `observedGeneration` has the same rules in every kind (K2, D10, K6). */
function generationDecision(
  { explained, workload }: ExplainedAggregate,
  { value, literal }: Compared,
): Decision {
  const deciders = (aspect: string) => decidersOf(explained.totals, [aspect]);
  if (equalJson(value, literal))
    return { rule: 'lowest-generation', byAll: false, deciders: deciders('observed') };
  const isCurrent = generationOf(value) === countAt(workload, 'metadata', 'generation');
  const rule = isCurrent ? 'current-generation' : 'held-back';
  return { rule, byAll: false, deciders: deciders('worst') };
}

/** The rules of a field, or undefined if it is not aggregated. */
function rulesAt(fields: FieldRules, path: string): FieldRules[string] | undefined {
  if (Object.hasOwn(fields, path)) return fields[path];
  return typeAtPath(path) === undefined ? undefined : fields['conditions'];
}

/** The names of the WECs that decide the components of a rule. */
function decidersIn(
  { components }: ExplainedRule,
  explained: ExplainingPart,
  { from, condition }: Pick<FieldRule, 'from'> & { readonly condition?: AggregatedCondition },
): readonly string[] {
  const names = from.flatMap((reference) => {
    const [, ...aspects] = reference.split('.');
    const name = reference.replace(/\..*/, '');
    const decided = decidedIn(explained, name);
    // A rule names its own components.
    const { deciders } = components[name] as Component<JsonValue, unknown>;
    if (condition !== undefined && deciders.ofCondition !== undefined)
      return deciders.ofCondition(decided, condition);
    return decidersOf(decided.by, aspects.length === 0 ? undefined : aspects);
  });
  return [...new Set(names)];
}

function decisionOf(
  rule: ExplainedRule,
  { explained }: ExplainedAggregate,
  { path, value, literal }: Compared,
): Decision {
  const rules = rulesAt(rule.fields, path);
  if (rules === undefined) return { rule: 'not-aggregated', byAll: false, deciders: [] };
  const { letter, departure = letter } = rules;
  const { rule: name, from } = equalJson(value, literal) ? letter : departure;
  const type = typeAtPath(path);
  const status = textAt(value, 'status');
  const condition = type === undefined ? {} : { condition: { type, status } };
  const deciders = decidersIn(rule, explained, { from, ...condition });
  // If all lists are the same, only the first WEC is kept.
  const areSame = name === 'same-in-all' && deciders.length === 1;
  return { rule: name, byAll: areSame || (name === 'condition' && status === 'True'), deciders };
}

function departs({ letter }: FieldRules[string], literal: JsonValue | undefined): string {
  switch (letter.rule) {
    case 'lowest':
      return departureText('minimum', literal);
    case 'condition':
      return departureText('condition', literal);
    default:
      return departureText('other', literal);
  }
}

const GENERATION: FieldRules[string] = { letter: { rule: 'lowest', from: [] } };

/** The fields of an aggregate, and those that WECs report and the aggregate leaves out, sorted by path. */
export function ruleFields(rule: ExplainedRule, made: ExplainedAggregate): readonly DecidedField[] {
  const { explained, aggregate } = made;
  const letter = statusPaths(aggregate.literal, false);
  const written = statusPaths(aggregate.status, false);
  const paths = allPaths([...letter.keys(), ...written.keys()], explained.reported);
  return paths.map((path): DecidedField => {
    const compared = { path, value: written.get(path), literal: letter.get(path) };
    const { value, literal } = compared;
    const isGeneration = path === OBSERVED;
    const rules = isGeneration ? GENERATION : rulesAt(rule.fields, path);
    return {
      path,
      ...(value === undefined ? {} : { value }),
      ...(isGeneration ? generationDecision(made, compared) : decisionOf(rule, made, compared)),
      ...(rules === undefined || equalJson(value, literal)
        ? {}
        : { departs: departs(rules, literal) }),
    };
  });
}
