import { firstNames } from '#shared/core/fold/named-wecs.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import { isObject, type JsonValue } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { Component } from './component.ts';
import type { DecidedStatus, ExplainingFold, VerdictCount } from './decided-status.ts';
import { type Decided, decidersOf, selecting } from './deciders.ts';
import { decidedIn, type ExplainingPart } from './explaining-part.ts';
import { mergeRecords } from './merge-records.ts';
import { type RowFacts, rowFacts } from './row-facts.ts';
import type { RuleContext } from './rule-context.ts';
import { ruleFields } from './rule-fields.ts';
import { type ExplainedRule, partOf, type RulePart } from './rule-fold.ts';
import { mergedPaths, reportedPaths } from './status-paths.ts';

type Part = NonNullable<RulePart>;

/** What decides the aggregate as a whole: whether there is one, its generation and its verdict. */
const TOTALS = selecting<Part>(({ reporters, observes, observed, worst }) => ({
  reporters: reporters > 0,
  observes,
  observed,
  worst,
}));

/** At most this many WECs are looked at if a departure depends on more than the components of its field. */
const MAX_DEPARTING = 40;

/** What is made for each component. */
function byComponent<V>(
  { components }: ExplainedRule,
  make: (name: string, component: Component<JsonValue, unknown>) => V,
): Readonly<Record<string, V>> {
  return Object.fromEntries(
    Object.entries(components).map(([name, component]) => [name, make(name, component)]),
  );
}

function lift(rule: ExplainedRule, facts: RowFacts, status: JsonValue | undefined): ExplainingPart {
  const part = rule.fold.lift(facts);
  const shown: ArgoCdStatus = facts.reported ? facts.verdict : 'Missing';
  return {
    part,
    by: byComponent(rule, (name, { deciders }) => deciders.lift(facts, partOf(part.parts, name))),
    totals: TOTALS.lift(facts, part),
    verdicts: { [`${facts.verdict} ${shown}`]: { count: 1, first: [facts.wec] } },
    reported: isObject(status) ? reportedPaths(status) : [],
  };
}

function merge(rule: ExplainedRule, a: ExplainingPart, b: ExplainingPart): ExplainingPart {
  const part = rule.fold.merge(a.part, b.part);
  const totals = (one: ExplainingPart): Decided<Part> => ({ part: one.part, by: one.totals });
  return {
    part,
    by: byComponent(rule, (name, { deciders }) =>
      deciders.merge(decidedIn(a, name), decidedIn(b, name), partOf(part.parts, name)),
    ),
    totals: TOTALS.merge(totals(a), totals(b), part),
    verdicts: mergeRecords(a.verdicts, b.verdicts, (one, other) => ({
      count: one.count + other.count,
      first: firstNames(one.first, other.first),
    })),
    reported: mergedPaths(a.reported, b.reported),
  };
}

function verdictCounts(verdicts: ExplainingPart['verdicts']): readonly VerdictCount[] {
  const sorted = Object.entries(verdicts).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([key, counted]) => {
    // Two verdicts, as `lift` joins them.
    const [verdict, shown] = key.split(' ') as [ArgoCdStatus, ArgoCdStatus];
    return { verdict, shown, ...counted };
  });
}

/** The WECs that decide anything in which the aggregate can depart from the letter. */
function departing({ fields }: ExplainedRule, explained: ExplainingPart): readonly string[] {
  const names = Object.values(fields)
    .flatMap(({ letter, departure }) => (departure ? [...letter.from, ...departure.from] : []))
    .flatMap((reference) => decidersOf(decidedIn(explained, reference.replace(/\..*/, '')).by));
  return [...new Set(names)].slice(0, MAX_DEPARTING);
}

function finish(
  rule: ExplainedRule,
  explained: ExplainingPart,
  workload: WorkloadObject,
): DecidedStatus {
  const aggregate = rule.fold.finish(explained.part, workload);
  return {
    status: aggregate.status,
    fields: ruleFields(rule, { explained, aggregate, workload }),
    documentation: rule.documentation,
    isDeep: false,
    supporting: decidersOf(explained.totals),
    departing: departing(rule, explained),
    verdicts: verdictCounts(explained.verdicts),
  };
}

/** The fold of a rule, with the WECs that decide each field. */
export function explainingRule(rule: ExplainedRule, context: RuleContext): ExplainingFold {
  return {
    empty: null,
    lift: (row) => lift(rule, rowFacts(row, context, rule), row.row?.status),
    merge(all, other) {
      // The parts come from this fold.
      const [a, b] = [all as ExplainingPart | null, other as ExplainingPart | null];
      return a === null || b === null ? (a ?? b) : merge(rule, a, b);
    },
    finish(all) {
      const explained = all as ExplainingPart | null;
      if (explained === null || explained.part.reporters === 0) return undefined;
      return finish(rule, explained, context.workload);
    },
  };
}
