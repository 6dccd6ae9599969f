import type { Fold } from '#shared/core/fold/fold.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import {
  type ArgoCdStatus,
  type ArgoCdVersion,
  isWorse,
  worst,
} from '#shared/core/health/verdict.ts';
import { isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import type { Component, Totals } from './component.ts';
import type { JsonRecord } from './merge-records.ts';
import { nearest } from './nearest.ts';
import { type Assessment, type RowFacts, rowFacts, verdictOf } from './row-facts.ts';
import type { RuleContext } from './rule-context.ts';

/** An aggregate, and what it must not look better than. */
interface GuardedStatus {
  readonly workload: WorkloadObject;
  readonly status: JsonObject;
  /** Argo CD's worst verdict on the WECs' own objects. */
  readonly worst: ArgoCdStatus;
  readonly assessment: Assessment;
}

/**
 * The aggregate itself, or, where Argo CD would find it better than the worst WEC, the aggregate with an
 * `observedGeneration` before the WDS's, which Argo CD always calls Progressing (K6). What is left for this guard are
 * numbers that no count can tell: a WEC that scales down and is short of its old size, not of what is wanted.
 */
function holdBack(guarded: GuardedStatus): JsonObject {
  const { workload, status, worst, assessment } = guarded;
  if (!isWorse(worst, verdictOf(assessment, { ...workload, status }))) return status;
  const { observedGeneration: _shown, ...counts } = status;
  const before = countAt(workload, 'metadata', 'generation') - 1;
  return before > 0 ? { ...counts, observedGeneration: before } : counts;
}

/** A fold from the qualified WECs to a `.status`; undefined where no WEC has returned one. */
export type StatusFold = Fold<PerWecRow, JsonValue, JsonObject | undefined>;

/** Makes the fold of one workload object. */
export type KindRule = (context: RuleContext) => StatusFold;

type Components = Readonly<Record<string, Component<JsonValue, unknown>>>;

/** The results of some components, by name. */
export type Results<C extends Components> = {
  readonly [K in keyof C]: C[K] extends Component<infer _Part, infer R> ? R : never;
};

/**
 * The rule of a kind: which folds its status consists of, and how it is put together. Counters at 0, empty texts and
 * empty lists of a status are left out, as API servers do.
 */
export interface KindRuleSpec<C extends Components> extends Assessment {
  readonly components: C;
  /** Counters that API servers show also at 0: those without `omitempty` in Kubernetes' types. None where absent. */
  readonly shownAtZero?: readonly string[];
  /** The aggregate by the letter of the proposal: the lowest numbers, conditions by K3, the newest reasons. */
  literal(results: Results<C>, totals: Totals): JsonObject;
  /**
   * The fields with other values that an API server takes and that make Argo CD's verdict the worst of the WECs',
   * whatever the WECs say. As few of them as needed take the place of the literal ones. Absent: the letter always does.
   */
  departure?(results: Results<C>, totals: Totals, literal: JsonObject): JsonObject;
  /** Whether an API server takes the status, as far as it can be seen from it; absent: it takes any. */
  accepts?(status: JsonObject, workload: WorkloadObject): boolean;
}

/** A part has a member for each component. */
function partOf(parts: JsonRecord<JsonValue>, name: string): JsonValue {
  // So the member is there.
  return parts[name] as JsonValue;
}

/** The part of some WECs; null of none. Plain JSON. */
type RulePart = {
  readonly rows: number;
  readonly reporters: number;
  readonly worst: ArgoCdStatus;
  /** Whether any says a generation at all. */
  readonly observes: boolean;
  /** The lowest, in the WDS's numbers. */
  readonly observed: number;
  readonly parts: JsonRecord<JsonValue>;
} | null;

function isEmpty(value: JsonValue): boolean {
  return value === 0 || value === '' || (isArray(value) && value.length === 0);
}

function withoutEmpty(status: JsonObject, shownAtZero: readonly string[] = []): JsonObject {
  return Object.fromEntries(
    Object.entries(status).filter(([name, value]) => shownAtZero.includes(name) || !isEmpty(value)),
  );
}

const VERSIONS: readonly ArgoCdVersion[] = ['2.14', '3'];

/**
 * What the rule makes of the results: the literal aggregate, with as few fields of the departure as make an API server
 * take it and both versions of Argo CD judge it like the departure, which is how they judge the worst WEC (K6).
 */
function aggregate<C extends Components>(
  spec: KindRuleSpec<C>,
  results: Results<C>,
  totals: Totals & { readonly observed: number },
): JsonObject {
  const { workload, worst: verdict, observed } = totals;
  const shown = (status: JsonObject): JsonObject => withoutEmpty(status, spec.shownAtZero);
  const letter = { ...spec.literal(results, totals), observedGeneration: observed };
  const literal = shown(letter);
  if (spec.departure === undefined) return literal;
  const isDecided = spec.readsGeneration && verdict === 'Degraded';
  const status = shown({
    ...letter,
    ...spec.departure(results, totals, letter),
    observedGeneration: isDecided ? countAt(workload, 'metadata', 'generation') : observed,
  });
  const guarded = { workload, status, worst: verdict, assessment: spec };
  const departure = spec.readsGeneration ? holdBack(guarded) : status;
  const judged = (one: JsonObject): readonly ArgoCdStatus[] =>
    VERSIONS.map((version) => spec.assess({ ...workload, status: one }, version).status);
  const wanted = judged(departure);
  return nearest(
    literal,
    departure,
    (one) =>
      (spec.accepts?.(one, workload) ?? true) &&
      judged(one).every((status, index) => status === wanted[index]),
  );
}

/**
 * The fold that a rule describes, over all qualified WECs. Besides what the rule says:
 *
 * - nothing is made of WECs of which none has returned a status;
 * - `observedGeneration` (where any WEC says one) is the lowest, in the WDS's numbers; the WDS's own where a WEC that acts
 *   on the current generation has failed, since Argo CD looks at it before it looks for failures (K2, D10);
 * - where Argo CD reads the generation, the aggregate is held back rather than better than the worst WEC (K6).
 */
export function kindRule<C extends Components>(spec: KindRuleSpec<C>): KindRule {
  const entries = Object.entries<Component<JsonValue, unknown>>(spec.components);

  const lift = (facts: RowFacts): RulePart => {
    const parts: Record<string, JsonValue> = {};
    for (const [name, component] of entries) parts[name] = component.lift(facts);
    return {
      rows: 1,
      reporters: Number(facts.reported),
      worst: facts.verdict,
      observes: countAt(facts.status, 'observedGeneration') > 0,
      observed: facts.translated,
      parts,
    };
  };

  const merge = (a: RulePart, b: RulePart): RulePart => {
    if (a === null || b === null) return a ?? b;
    const parts: Record<string, JsonValue> = {};
    for (const [name, component] of entries)
      parts[name] = component.merge(partOf(a.parts, name), partOf(b.parts, name));
    return {
      rows: a.rows + b.rows,
      reporters: a.reporters + b.reporters,
      worst: worst([a.worst, b.worst]),
      observes: a.observes || b.observes,
      observed: Math.min(a.observed, b.observed),
      parts,
    };
  };

  const finish = (part: NonNullable<RulePart>, { workload }: RuleContext): JsonObject => {
    const totals: Totals = { workload, rows: part.rows, worst: part.worst };
    const results = Object.fromEntries(
      entries.map(([name, component]) => [
        name,
        component.finish(partOf(part.parts, name), totals),
      ]),
    );
    const observed = part.observes ? part.observed : 0;
    // Each result is of the component under its name.
    return aggregate(spec, results as Results<C>, { ...totals, observed });
  };

  return (context) => ({
    empty: null,
    lift: (row) => lift(rowFacts(row, context, spec)),
    // The parts are those of this fold.
    merge: (a, b) => merge(a as RulePart, b as RulePart),
    finish(all) {
      const part = all as RulePart;
      return part === null || part.reporters === 0 ? undefined : finish(part, context);
    },
  });
}
