import { assessWorkflow } from '#shared/core/health/workflow.ts';
import { badness, fieldsOf, witness } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/**
 * The rule for argoproj.io/v1alpha1 Workflows, over all qualified WECs.
 *
 * - `phase`, `message`: of one WEC, the worst in Argo CD's order, then the first by name; not left out where WECs
 *   differ: a Workflow without a phase looks as if it had not begun, so a failure would not show (W1). A WEC that has
 *   returned nothing is one without a phase.
 * - Other fields (`nodes`, `startedAt`, `conditions`) are not aggregated: Argo CD does not read them.
 *
 * The CustomResourceDefinition of Argo Workflows gives Workflows no subresource for the status; that is for whoever
 * writes it to know.
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
  literal: ({ worst }) => worst,
});
