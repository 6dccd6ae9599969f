import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGGREGATED_KINDS } from '#shared/core/fleet-object.ts';
import { histories } from '#test/histories.ts';
import { NOW_MS } from './fleet-objects.ts';
import { fleets, type RankedObject, statusesOf, writtenBack } from './fleet-world.ts';
import { countersOf, naiveCounters } from './naive-counters.ts';
import { naiveStatus } from './naive-fleet.ts';
import { byKind, naiveRows } from './naive-rows.ts';

/** The counters of every status that is wanted, as they are and as they should be. */
function counted(fleet: readonly RankedObject[]): readonly [is: object, should: object][] {
  const statuses = statusesOf(fleet);
  const objectsOf = byKind(fleet);
  const rows = naiveRows(objectsOf);
  return AGGREGATED_KINDS.flatMap((kind) =>
    [...objectsOf(kind)].flatMap(([id, object]): [object, object][] => {
      const desired = statuses.get(`${kind} ${id}`);
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

describe('the statuses of a fleet', () => {
  it('are the same in whatever order its objects are given', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const reordered = fleet.toSorted((a, b) => a.rank - b.rank);
        expect(statusesOf(reordered)).toEqual(statusesOf(fleet));
      }),
      { numRuns: histories({ first: 35, all: 100 }) },
    );
  });

  it('are what loops over all objects give for each of them', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const statuses = statusesOf(fleet);
        const objects = byKind(fleet);
        for (const kind of AGGREGATED_KINDS)
          for (const id of objects(kind).keys()) {
            const naive = naiveStatus({ objects, nowMs: NOW_MS, hasAllJobs: false }, kind, id);
            expect({ kind, id, is: statuses.get(`${kind} ${id}`) }).toEqual({
              kind,
              id,
              is: naive,
            });
          }
      }),
      { numRuns: histories({ first: 35, all: 100 }) },
    );
  });

  it('are the same once they have been written', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const written = writtenBack(fleet);
        const wanted = statusesOf(written);
        expect(statusesOf(writtenBack(written))).toEqual(wanted);
        expect(wanted).toEqual(statusesOf(fleet));
      }),
      { numRuns: histories({ first: 35, all: 100 }) },
    );
  });

  it('count on every level what a loop over all deployments and targets counts', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        for (const [is, should] of counted(fleet)) expect(is).toEqual(should);
      }),
      { numRuns: histories({ first: 50, all: 150 }) },
    );
  });
});
