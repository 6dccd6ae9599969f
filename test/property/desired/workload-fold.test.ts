import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { createWorkloadFold } from '#shared/core/desired/workload-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { counts, deployment, reported } from '#test/fixtures/wec-rows.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';

const WECS = ['wec1', 'wec2', 'wec3', 'wec4', 'wec5', 'wec6'] as const;
const REF = { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };

function compiled(spec: JsonObject): CompiledCollector {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new Error(compilation.errors.join('; '));
  return compilation.collector;
}

const COLLECTORS = new Map([
  [
    'sum',
    compiled({
      combinedFields: [{ name: 'sum', type: 'SUM', subject: 'returned.status.replicas' }],
      limit: 5,
    }),
  ],
  ['names', compiled({ select: [{ name: 'wec', def: 'inventory.name' }], limit: 3 })],
]);

const membership: fc.Arbitrary<WorkloadMembership> = fc
  .record({
    wecs: fc.subarray([...WECS]),
    statusCollectors: fc.subarray(['gone', 'names', 'sum']),
    wantSingletonReportedState: fc.boolean(),
    wantMultiWECReportedState: fc.boolean(),
  })
  .map(({ wecs, ...modulation }) => ({
    binding: 'binding',
    bindingUid: 'uid',
    version: 'v1',
    modulation,
    destinations: createDestinations(wecs.join(), wecs),
  }));

const memberships = fc
  .array(membership, { maxLength: 3 })
  .map((all) =>
    all.map((one, index) => ({ ...one, binding: `b${index}`, bindingUid: `u${index}` })),
  );

const object = fc.constantFrom<WorkloadObject | undefined>(
  deployment(),
  deployment(),
  { apiVersion: 'example.org/v1', kind: 'Thing', metadata: { uid: 'u', generation: 1 } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { uid: 'u' } },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { uid: 'u', creationTimestamp: '2026-03-01T10:00:00Z' },
  },
  { ...deployment(), metadata: { uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' } },
  undefined,
);

const fold = fc
  .record({ object, memberships })
  .map((inputs) =>
    createWorkloadFold({ ref: REF, collectors: COLLECTORS, specs: new Map(), ...inputs }),
  );

const row: fc.Arbitrary<PerWecRow> = fc
  .record({
    wec: fc.constantFrom(...WECS),
    how: fc.constantFrom('silent', 'reported', 'reported', 'older', 'word', 'oversized'),
    replicas: fc.nat({ max: 4 }),
  })
  .map(({ wec, how, replicas }) => {
    if (how === 'silent') return { wec };
    if (how === 'oversized') return { wec, oversizedBytes: 400_000 + replicas };
    if (how === 'word') return reported(wec, { replicas: 'many' });
    const older = how === 'older' ? { created: '2026-03-01T09:00:00Z' } : {};
    return reported(wec, counts(replicas, [replicas, replicas, replicas]), older);
  });

describe('the fold of a workload object', () => {
  checkFoldLaws(fold, row, { key: ({ wec }) => wec });

  it('does not depend on rows of WECs that no Binding sends it to', () => {
    fc.assert(
      fc.property(memberships, fc.uniqueArray(row, { selector: ({ wec }) => wec }), (all, rows) => {
        const made = createWorkloadFold({
          ref: REF,
          object: deployment(),
          memberships: all,
          collectors: COLLECTORS,
          specs: new Map(),
        });
        const sentTo = new Set(all.flatMap(({ destinations }) => destinations.names));
        const own = rows.filter(({ wec }) => sentTo.has(wec));
        expect(made.finish(foldRows(made, rows))).toEqual(made.finish(foldRows(made, own)));
      }),
    );
  });
});
