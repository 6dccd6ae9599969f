import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countAt } from '#shared/core/health/count-at.ts';
import { type KindSets, kindSets } from '#test/property/status/kind-sets.ts';
import { aggregate } from '#test/property/status/kind-verdicts.ts';
import { DAEMON_SET } from './daemon-set-sets.ts';
import { REPLICA_SET } from './replica-set-sets.ts';
import { STATEFUL_SET } from './stateful-set-sets.ts';

const NUM_RUNS = 300;

/** The kinds, and their counters that the document wants to be the lowest. */
const KINDS: readonly (readonly [name: string, kind: KindSets, fields: readonly string[]])[] = [
  ['ReplicaSet', REPLICA_SET, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']],
  [
    'StatefulSet',
    STATEFUL_SET,
    ['readyReplicas', 'availableReplicas', 'updatedReplicas', 'currentReplicas'],
  ],
  [
    'DaemonSet',
    DAEMON_SET,
    ['numberReady', 'numberAvailable', 'updatedNumberScheduled', 'currentNumberScheduled'],
  ],
];

describe.each(KINDS)('an aggregated %s of WECs with one spec', (_name, kind, fields) => {
  it('has the lowest readiness counts of all WECs, absent and missing ones being 0', () => {
    fc.assert(
      fc.property(kindSets(kind, { differingSpecs: false, outOfStep: true }), (set) => {
        const status = aggregate(set);
        if (status === undefined) return;
        for (const field of fields) {
          const each = set.wecs.map(({ object }) => countAt(object, 'status', field));
          expect(countAt(status, field)).toBe(Math.min(...each));
        }
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('shows each trouble in its counters and conditions, and is never held back', () => {
    fc.assert(
      fc.property(kindSets(kind, { differingSpecs: false, outOfStep: false }), (set) => {
        const generation = countAt(set.workload, 'metadata', 'generation');
        expect(aggregate(set)?.['observedGeneration']).toBe(generation);
      }),
      { numRuns: NUM_RUNS },
    );
  });
});

describe('an aggregated DaemonSet', () => {
  const inStep = kindSets(DAEMON_SET, { differingSpecs: false, outOfStep: false });

  it('desires no more than the WEC with the most nodes, nor less than the one with the fewest', () => {
    fc.assert(
      fc.property(inStep, (set) => {
        const desired = set.wecs.map(({ object }) =>
          countAt(object, 'status', 'desiredNumberScheduled'),
        );
        // More updated or available pods than desired ones are in no cluster.
        fc.pre(
          set.wecs.every(({ object }, index) =>
            ['updatedNumberScheduled', 'numberAvailable'].every(
              (field) => countAt(object, 'status', field) <= (desired[index] ?? 0),
            ),
          ),
        );
        const shown = countAt(aggregate(set), 'desiredNumberScheduled');
        expect(shown).toBeGreaterThanOrEqual(Math.min(...desired));
        expect(shown).toBeLessThanOrEqual(Math.max(...desired));
      }),
      { numRuns: NUM_RUNS },
    );
  });
});
