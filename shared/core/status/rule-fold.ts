import { countAt } from '#shared/core/health/count-at.ts';
import {
  type ArgoCdStatus,
  type ArgoCdVersion,
  isWorse,
  worst,
} from '#shared/core/health/verdict.ts';
import { isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { observedOrZero } from '#shared/core/observed-generation.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { Component, Totals } from './component.ts';
import type { FieldRules } from './field-rules.ts';
import type { JsonRecord } from './merge-records.ts';
import { nearest } from './nearest.ts';
import { type Assessment, type RowFacts, verdictOf } from './row-facts.ts';

/**
 * `observedGeneration` in the type that the kind has. API servers leave out a number that is 0. The text `0` is written: Argo CD
 * takes a Rollout without a generation for one that its controller has observed.
 */
function generationField(
  generation: number,
  { generationIsText }: Pick<Assessment, 'generationIsText'>,
): JsonObject {
  if (generationIsText) return { observedGeneration: String(generation) };
  return generation === 0 ? {} : { observedGeneration: generation };
}

/** An aggregate, and the verdict that it must not exceed. */
interface GuardedStatus {
  readonly workload: WorkloadObject;
  readonly status: JsonObject;
  /** The worst of Argo CD's verdicts on the WECs' own objects. */
  readonly worst: ArgoCdStatus;
  readonly assessment: Assessment;
}

/**
 * The aggregate itself. If Argo CD would judge it better than the worst WEC, `observedGeneration` is set to one before
 * the WDS's, which Argo CD always calls Progressing (K6). This guard is needed for numbers that no counter can express,
 * such as a WEC that scales down and lacks replicas of its old size, not of the wanted one.
 */
function holdBack(guarded: GuardedStatus): JsonObject {
  const { workload, status, worst, assessment } = guarded;
  if (!isWorse(worst, verdictOf(assessment, { ...workload, status }))) return status;
  const { observedGeneration: _shown, ...counts } = status;
  const before = countAt(workload, 'metadata', 'generation') - 1;
  return { ...counts, ...generationField(Math.max(before, 0), assessment) };
}

/** The folds of a status, by name. */
export type Components = Readonly<Record<string, Component<JsonValue, unknown>>>;

/** The results of some components, by name. */
export type Results<C extends Components> = {
  readonly [K in keyof C]: C[K] extends Component<infer _Part, infer R> ? R : never;
};

/**
 * The rule of a kind: the folds of its status, and how they are combined. Counters that are 0, empty texts and empty
 * lists of a status are left out, as API servers do.
 */
export interface KindRuleSpec<C extends Components> extends Assessment {
  readonly components: C;
  /** The rule of each field, for explanations. The section of docs/rules.md about the kind has the same. */
  readonly fields: FieldRules<NoInfer<keyof C & string>>;
  /** Where the rule is documented. */
  readonly documentation: string;
  /**
   * Counters that API servers show even if they are 0: those without `omitempty` in Kubernetes' types. If absent, there
   * are none.
   */
  readonly shownAtZero?: readonly string[];
  /** The aggregate exactly as the proposal defines it: the lowest numbers, conditions by K3, the newest reasons. */
  literal(results: Results<C>, totals: Totals): JsonObject;
  /**
   * Fields with other values that an API server accepts and that make Argo CD's verdict the worst of the WECs', for any
   * reports of the WECs. As few of them as needed replace the literal ones. If absent, the literal aggregate always has
   * this verdict.
   */
  departure?(results: Results<C>, totals: Totals, literal: JsonObject): JsonObject;
  /** Whether an API server accepts the status, as far as the status shows it. If absent, it accepts any status. */
  accepts?(status: JsonObject, workload: WorkloadObject): boolean;
}

/** A rule without the types of its results, for explanations. */
export interface ExplainedRule extends Assessment {
  readonly components: Components;
  readonly fields: FieldRules;
  readonly documentation: string;
  readonly fold: RuleFold;
}

/** A part has a member for each component. */
export function partOf(parts: JsonRecord<JsonValue>, name: string): JsonValue {
  // Therefore, the member exists.
  return parts[name] as JsonValue;
}

/** The part of some WECs, or null if there are none. Plain JSON. */
export type RulePart = {
  readonly rows: number;
  readonly reporters: number;
  readonly worst: ArgoCdStatus;
  /** Whether any of these WECs reports a generation. */
  readonly observes: boolean;
  /** The lowest generation, in the WDS's numbers. */
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

/** An aggregate, and the literal one beside it. */
export interface Aggregate {
  readonly literal: JsonObject;
  readonly status: JsonObject;
}

/**
 * The status that the rule makes from the results: the literal aggregate with as few fields of the departure as needed.
 * They are needed if an API server would reject the literal aggregate, or if either version of Argo CD would not judge
 * it like the departure, which has the verdict on the worst WEC (K6).
 */
function aggregate<C extends Components>(
  spec: KindRuleSpec<C>,
  results: Results<C>,
  totals: Totals & Pick<NonNullable<RulePart>, 'observes' | 'observed'>,
): Aggregate {
  const { workload, worst: verdict, observes, observed } = totals;
  const shown = (status: JsonObject): JsonObject => withoutEmpty(status, spec.shownAtZero);
  const letter = {
    ...spec.literal(results, totals),
    ...(observes ? generationField(observed, spec) : {}),
  };
  const literal = shown(letter);
  if (spec.departure === undefined) return { literal, status: literal };
  const isDecided = spec.readsGeneration && isWorse(verdict, 'Progressing');
  const status = shown({
    ...letter,
    ...spec.departure(results, totals, letter),
    ...(isDecided ? generationField(countAt(workload, 'metadata', 'generation'), spec) : {}),
  });
  const guarded = { workload, status, worst: verdict, assessment: spec };
  const departure = spec.readsGeneration ? holdBack(guarded) : status;
  const judged = (one: JsonObject): readonly ArgoCdStatus[] =>
    VERSIONS.map((version) => spec.assess({ ...workload, status: one }, version).status);
  const wanted = judged(departure);
  const chosen = nearest(
    literal,
    departure,
    (one) =>
      (spec.accepts?.(one, workload) ?? true) &&
      judged(one).every((found, index) => found === wanted[index]),
  );
  return { literal, status: chosen };
}

/** The fold of a rule over one row or more, without the result of no status. */
export interface RuleFold {
  lift(facts: RowFacts): NonNullable<RulePart>;
  merge(a: NonNullable<RulePart>, b: NonNullable<RulePart>): NonNullable<RulePart>;
  finish(part: NonNullable<RulePart>, workload: WorkloadObject): Aggregate;
}

/** The fold that the components of a rule make together. */
export function ruleFold<C extends Components>(spec: KindRuleSpec<C>): RuleFold {
  const entries = Object.entries<Component<JsonValue, unknown>>(spec.components);
  return {
    lift(facts) {
      const parts: Record<string, JsonValue> = {};
      for (const [name, component] of entries) parts[name] = component.lift(facts);
      return {
        rows: 1,
        reporters: Number(facts.reported),
        worst: facts.verdict,
        observes: observedOrZero(facts.status) > 0,
        observed: facts.translated,
        parts,
      };
    },
    merge(a, b) {
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
    },
    finish(part, workload) {
      const totals: Totals = { workload, rows: part.rows, worst: part.worst };
      const results = Object.fromEntries(
        entries.map(([name, component]) => [
          name,
          component.finish(partOf(part.parts, name), totals),
        ]),
      );
      const { observes, observed } = part;
      // Each result comes from the component of its name.
      return aggregate(spec, results as Results<C>, { ...totals, observes, observed });
    },
  };
}
