import fc from 'fast-check';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';

const BOUND: JsonObject = {
  phase: 'Bound',
  accessModes: ['ReadWriteOnce'],
  capacity: { storage: '2Gi' },
};

/** PersistentVolumeClaims in every phase, also ones that Argo CD does not know; API servers know no claim without a phase. */
export const PERSISTENT_VOLUME_CLAIM: KindSets = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  served: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  readsGeneration: false,
  hasGeneration: false,
  literal: { numbers: [], types: [] },
  specs: fc.constant({ accessModes: ['ReadWriteOnce'], storageClassName: 'manual' }),
  differingSpec: (spec) => fc.constant({ ...spec, storageClassName: 'fast' }),
  missingStatus: { phase: 'Pending' },
  statuses: () =>
    fc.oneof(
      { weight: 12, arbitrary: fc.constant(BOUND) },
      { weight: 3, arbitrary: fc.constant({ phase: 'Pending' }) },
      { weight: 2, arbitrary: fc.constant({ phase: 'Lost' }) },
      fc.constantFrom<JsonObject[]>({ phase: 'Released' }, { phase: 'Available' }),
    ),
  unavoidable: ({ wecs }, { found }) =>
    found === 'Unknown' && wecs.every(({ object }) => at(object, 'status') === undefined)
      ? 'no WEC has returned a status, so there is none: Unknown, until the API server makes it Pending'
      : undefined,
};
