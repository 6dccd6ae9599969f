import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import {
  deployment,
  drift,
  NOW_MS,
  object,
  resource,
  statusWith,
  UPDATED_FALSE,
} from './deployments.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const DRIFTS: readonly JsonObject[] = [
  { missing: true },
  { missing: true, exist: true },
  { missing: true, exist: true, delete: true },
  { delete: true },
  { patch: '{}' },
];
const HOUR_MS = 3_600_000;

const listed = fc.subarray(NAMES);
const drifts = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...NAMES), flags: fc.constantFrom(...DRIFTS) }),
  { selector: ({ name }) => name },
);
const objects = fc.array(fc.record({ name: fc.constantFrom(...NAMES), isBroken: fc.boolean() }), {
  maxLength: NAMES.length,
});
const world = fc.record({ listed, drifts, objects }).map((given) => ({
  resources: given.listed.map((name) => resource(name)),
  modifiedStatus: given.drifts.map(({ name, flags }) => drift(name, flags)),
  objects: given.objects.map(({ name, isBroken }) =>
    object(name, 'ConfigMap', isBroken ? [UPDATED_FALSE] : []),
  ),
}));

function namesOf(list: JsonValue | undefined): readonly string[] {
  return ((list ?? []) as JsonObject[]).map(({ name }) => name as string);
}

describe('the status of any BundleDeployment', () => {
  it('counts every resource that is desired exactly once', () => {
    fc.assert(
      fc.property(world, ({ resources, modifiedStatus, objects: found }) => {
        const status = statusWith(deployment({ resources, modifiedStatus }), found);
        const counts = status?.['resourceCounts'] as Record<string, number>;
        const { ready = 0, notReady = 0, missing = 0, modified = 0, orphaned = 0 } = counts;
        const orphans = namesOf(
          ((status?.['modifiedStatus'] ?? []) as JsonObject[]).filter(
            (entry) => entry['delete'] && !entry['missing'],
          ),
        );
        const orphansListed = namesOf(resources).filter((name) => orphans.includes(name));
        expect(orphaned).toBe(orphans.length);
        expect(ready + notReady + missing + modified + orphansListed.length).toBe(
          counts['desiredReady'],
        );
        expect(missing + modified + orphaned).toBe(namesOf(status?.['modifiedStatus']).length);
        expect(status?.['ready'] === true).toBe(status?.['nonReadyStatus'] === undefined);
        expect(status?.['nonModified'] === true).toBe(status?.['modifiedStatus'] === undefined);
      }),
      { numRuns: 1000 },
    );
  });

  it('stays as it is when it is computed again, later', () => {
    fc.assert(
      fc.property(world, ({ resources, modifiedStatus, objects: found }) => {
        const once = statusWith(deployment({ resources, modifiedStatus }), found) ?? {};
        const again = statusWith(deployment(once), found, NOW_MS + HOUR_MS);
        expect(again).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });

  it('is one, whatever the stored status holds', () => {
    const odd = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    const members = ['resources', 'modifiedStatus', 'conditions', 'nonReadyStatus'];
    const status = fc.dictionary(fc.constantFrom(...members), fc.oneof(odd, fc.array(odd)));
    fc.assert(
      fc.property(status, fc.option(odd, { nil: null }), (stored, options) => {
        expect(statusWith(deployment(stored, { options }), [])).toBeDefined();
      }),
    );
  });
});
