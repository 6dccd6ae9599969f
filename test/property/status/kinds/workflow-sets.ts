import fc from 'fast-check';
import type { JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';

const phases = fc.oneof(
  { weight: 10, arbitrary: fc.constant('Succeeded') },
  fc.constantFrom('', 'Pending', 'Running', 'Failed', 'Error', 'Omitted'),
);

/** Argo Workflows in every phase, also one that Argo CD does not know and none. */
export const WORKFLOW: KindSets = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  readsGeneration: false,
  hasGeneration: true,
  literal: { numbers: [], types: [] },
  specs: fc.constant({ entrypoint: 'main', priority: 2 }),
  // With another entry point it would be another Workflow.
  differingSpec: (spec) => fc.constant({ ...spec, priority: 1 }),
  olderSpec: (spec) => ({ ...spec, priority: 0 }),
  statuses: () =>
    fc
      .record({ phase: phases, message: fc.constantFrom('', '', 'child failed') })
      .map((said): JsonObject => {
        const shown = Object.entries(said).filter(([, text]) => text !== '');
        return { ...Object.fromEntries(shown), progress: '1/2' };
      }),
};
