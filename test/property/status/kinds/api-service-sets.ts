import fc from 'fast-check';
import type { JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';

const available = fc
  .record({
    said: fc.constantFrom(
      ['True', 'Passed'],
      ['True', 'Passed'],
      ['True', 'Local'],
      ['False', 'MissingEndpoints'],
      ['False', 'FailedDiscoveryCheck'],
      ['Unknown', 'Waiting'],
    ),
    minute: fc.integer({ min: 0, max: 5 }),
  })
  .map(
    ({ said: [status = '', reason = ''], minute }): JsonObject => ({
      type: 'Available',
      status,
      reason,
      message: `${reason}.`,
      lastTransitionTime: `2025-11-01T10:0${minute}:00Z`,
    }),
  );

/** APIServices: available or not, some not processed yet. */
export const API_SERVICE: KindSets = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  readsGeneration: false,
  hasGeneration: false,
  literal: { numbers: [] },
  specs: fc.constant({ group: 'metrics.k8s.io', version: 'v1beta1' }),
  differingSpec: (spec) =>
    fc.constantFrom(100, 200).map((weight) => ({ ...spec, versionPriority: weight })),
  statuses: () =>
    fc
      .option(available, { nil: undefined, freq: 9 })
      .map((entry): JsonObject => (entry === undefined ? {} : { conditions: [entry] })),
};
