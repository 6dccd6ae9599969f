import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { copyStatusFold } from './copy.ts';
import type { StatusAction } from './decision.ts';
import { deploymentStatusFold } from './deployment.ts';
import { genericStatusFold } from './generic.ts';
import type { RuleContext } from './rule-context.ts';
import { createGenerationTranslator } from './source-generation.ts';

/** A fold from the qualified WECs to a `.status`; undefined where no WEC has returned one. */
export type StatusFold = Fold<PerWecRow, JsonValue, JsonObject | undefined>;

/** The kinds with a rule of their own, by apiVersion and kind; every other kind goes by the generic rule. */
const RULES: ReadonlyMap<string, (context: RuleContext) => StatusFold> = new Map([
  ['apps/v1/Deployment', deploymentStatusFold],
]);

const NOTHING: StatusFold = {
  empty: null,
  lift: () => null,
  merge: () => null,
  finish: () => undefined,
};

/**
 * The fold that aggregates the `.status` of a workload object (multi-WEC status).
 *
 * @param workload the object as it stands in the WDS
 * @param specsByHash the specs of the WECs' objects under the hashes that the rows name (`WecRow.specHash`), read while
 *   rows are lifted. A row that says its source generation can do without, except that the rule for Deployments then
 *   assumes that its WEC wants as many replicas as the WDS.
 */
export function statusFold(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): StatusFold {
  const generations = createGenerationTranslator(workload, specsByHash);
  const rule = RULES.get(`${workload.apiVersion}/${workload.kind}`);
  return rule === undefined
    ? genericStatusFold(workload, generations)
    : rule({ workload, specsByHash, generations });
}

/**
 * The fold that a decision asks for: its result is what `statusOutcome` takes. Give it the rows of the qualified WECs.
 */
export function statusFoldFor(
  action: StatusAction,
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): StatusFold {
  switch (action) {
    case 'copy':
      return copyStatusFold();
    case 'aggregate':
      return statusFold(workload, specsByHash);
    case 'clear':
    case 'leave':
      return NOTHING;
  }
}
