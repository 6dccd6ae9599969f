import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import type { ExplainingFold } from './decided-status.ts';
import { explainingRule } from './explaining-rule.ts';
import type { FieldRules } from './field-rules.ts';
import { type Assessment, rowFacts } from './row-facts.ts';
import type { RuleContext } from './rule-context.ts';
import {
  type Components,
  type KindRuleSpec,
  type RuleFold,
  type RulePart,
  ruleFold,
} from './rule-fold.ts';

/** A fold from the qualified WECs to a `.status`, or to undefined if no WEC has returned one. */
export type StatusFold = Fold<PerWecRow, JsonValue, JsonObject | undefined>;

/** The rule of a kind. */
export interface KindRule {
  /** Makes the fold of one workload object. */
  (context: RuleContext): StatusFold;
  /** Makes the same fold with the WECs that decide. */
  readonly explaining: (context: RuleContext) => ExplainingFold;
  readonly fields: FieldRules;
  /** Where the rule is documented: a file in `docs` and an anchor. */
  readonly documentation: string;
}

function statusFoldOf(fold: RuleFold, context: RuleContext, assessment: Assessment): StatusFold {
  return {
    empty: null,
    lift: (row) => fold.lift(rowFacts(row, context, assessment)),
    merge(all, other) {
      // The parts come from this fold.
      const [a, b] = [all as RulePart, other as RulePart];
      return a === null || b === null ? (a ?? b) : fold.merge(a, b);
    },
    finish(all) {
      const part = all as RulePart;
      if (part === null || part.reporters === 0) return undefined;
      return fold.finish(part, context.workload).status;
    },
  };
}

/**
 * The fold of a rule over all qualified WECs. In addition to the rule:
 *
 * - If no WEC has returned a status, there is no result.
 * - `observedGeneration` is the lowest, in the WDS's numbers and in the type that the kind has, if any WEC has one. If a
 *   WEC that acts on the current generation has failed, it is the WDS's own generation, because Argo CD reads it before it looks for failures (K2,
 *   D10).
 * - If Argo CD reads the generation, an aggregate that would look better than the worst WEC is held back (K6).
 */
export function kindRule<C extends Components>(spec: KindRuleSpec<C>): KindRule {
  const fold = ruleFold(spec);
  return Object.assign((context: RuleContext) => statusFoldOf(fold, context, spec), {
    explaining: (context: RuleContext) => explainingRule({ ...spec, fold }, context),
    fields: spec.fields,
    documentation: spec.documentation,
  });
}
