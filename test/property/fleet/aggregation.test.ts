import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FleetAggregation } from '#shared/core/fleet/fleet-aggregation.ts';
import { AGGREGATED_KINDS } from '#shared/core/fleet/fleet-object.ts';
import { NOW_MS } from './fleet-objects.ts';
import { FleetObjects, lives, statusesOf, writtenBack } from './fleet-world.ts';
import { countersOf, naiveCounters } from './naive-counters.ts';
import { byKind, naiveRows } from './naive-rows.ts';

/** The counters of every status that is wanted, as they are and as they should be. */
function counted(objects: FleetObjects): readonly [is: object, should: object][] {
  const aggregation = objects.aggregation();
  const objectsOf = byKind(objects.all());
  const rows = naiveRows(objectsOf);
  return AGGREGATED_KINDS.flatMap((kind) =>
    [...objectsOf(kind)].flatMap(([id, object]): [object, object][] => {
      const desired = aggregation.desired(kind, id);
      // A Bundle whose targets cannot be read keeps what it said of its deployments.
      if (desired?.fields['display'] === undefined) return [];
      const naive = naiveCounters({ kind, id, object }, rows, objectsOf);
      const about = { kind, id };
      return [
        [
          { ...about, ...countersOf(desired, naive) },
          { ...about, ...naive },
        ],
      ];
    }),
  );
}

describe('the aggregation of a fleet', () => {
  it('has after any changes the statuses of one that was filled with what there is, in any order', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const lived = new FleetAggregation({ nowMs: NOW_MS });
        const objects = new FleetObjects();
        for (const changes of life) {
          for (const change of changes) {
            lived.apply(change);
            objects.apply(change);
          }
          expect(statusesOf(lived)).toEqual(statusesOf(objects.aggregation()));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('wants the same statuses once they have been written', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const objects = new FleetObjects();
        for (const change of life.flat()) objects.apply(change);
        const written = writtenBack(objects);
        const wanted = statusesOf(written.aggregation());
        expect(statusesOf(writtenBack(written).aggregation())).toEqual(wanted);
        expect(wanted).toEqual(statusesOf(objects.aggregation()));
      }),
      { numRuns: 300 },
    );
  });

  it('counts on every level what a loop over all deployments and targets counts', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const objects = new FleetObjects();
        for (const change of life.flat()) objects.apply(change);
        for (const [is, should] of counted(objects)) expect(is).toEqual(should);
      }),
      { numRuns: 500 },
    );
  });
});
