import { assessWorkflow } from '#shared/core/health/workflow.ts';
import { badness, fieldsOf, witness } from '#shared/core/status/component.ts';
import { oneWec } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/**
 * The rule for argoproj.io/v1alpha1 Workflows, over all qualified WECs.
 *
 * - `phase`, `message`: from one WEC, the worst in Argo CD's order, then the first by name. They are not left out if
 *   WECs differ, because a Workflow without a phase looks as if it had not begun, and a failure would not show (W1). A
 *   WEC that has returned nothing counts as one without a phase.
 * - Other fields (`nodes`, `startedAt`, `conditions`) are not aggregated, because Argo CD does not read them.
 *
 * The CustomResourceDefinition of Argo Workflows gives Workflows no status subresource. The writer must take this into
 * account.
 */
export const workflowRule = kindRule({
  assess: assessWorkflow,
  readsGeneration: false,
  components: {
    worst: witness(
      ({ verdict }) => [badness(verdict)],
      ({ status }) => fieldsOf(status, 'phase', 'message'),
    ),
  },
  documentation: 'rules.md#workflow',
  fields: { phase: oneWec('worst'), message: oneWec('worst') },
  literal: ({ worst }) => worst,
});
