import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { desiredState, type ReportedObject } from '#shared/core/desired/desired-state.ts';
import { type ControlObject, readMembership } from '#shared/core/desired/membership.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { unknownSchema } from '#shared/core/schema/crd-schema.ts';
import {
  type Asked,
  COLLECTORS,
  type GivenBinding,
  type GivenObject,
  KIND,
  naiveDesired,
} from './naive-desired.ts';

const WECS = ['w1', 'w2', 'w3', 'w4', 'w5'] as const;
const OBJECTS = ['a', 'b'] as const;
const { group, version, resource, namespace, apiVersion, kind } = KIND;

const status: fc.Arbitrary<JsonObject> = fc.record(
  {
    phase: fc.constantFrom('Failed', 'Ready', 'Waiting'),
    n: fc.nat({ max: 100 }),
    conditions: fc.uniqueArray(
      fc.record({
        type: fc.constantFrom('Available', 'Degraded', 'Synced'),
        status: fc.constantFrom('True', 'False', 'Unknown'),
        lastTransitionTime: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
      }),
      { selector: ({ type }) => type },
    ),
  },
  { requiredKeys: ['phase', 'n'] },
);

const asked: fc.Arbitrary<Asked> = fc.record({
  singleton: fc.boolean(),
  multi: fc.boolean(),
  collectors: fc.subarray([...Object.keys(COLLECTORS), 'gone']),
});

const binding = fc.record(
  {
    policyUid: fc.constantFrom('p1', 'p2'),
    wecs: fc.oneof(fc.subarray([...WECS]), fc.subarray([...WECS], { maxLength: 1 })),
    asks: fc.dictionary(fc.constantFrom(...OBJECTS), asked, { noNullPrototype: true }),
  },
  { requiredKeys: ['wecs', 'asks'] },
);

const bindings: fc.Arbitrary<readonly GivenBinding[]> = fc
  .array(binding, { maxLength: 4 })
  .map((all) => all.map((one, index) => ({ ...one, name: `b${index}`, uid: `u${index}` })));

const object = (name: string): fc.Arbitrary<GivenObject> =>
  fc.record({
    name: fc.constant(name),
    isDeleting: fc.boolean().map((value) => value && name === 'b'),
    statuses: fc.dictionary(fc.constantFrom(...WECS), status, { noNullPrototype: true }),
  });

/** The Binding as an API server has it. */
function bindingObject({ name, uid, wecs, asks }: GivenBinding): ControlObject {
  const objects = Object.entries(asks).map(([object, { singleton, multi, collectors }]) => ({
    ...{ group, version, resource, namespace, name: object, resourceVersion: '1' },
    ...{ wantSingletonReportedState: singleton, wantMultiWECReportedState: multi },
    statusCollectors: collectors,
  }));
  const destinations = wecs.map((clusterId) => ({ clusterId }));
  const spec = { destinations, workload: { namespaceScope: objects } };
  return { name, uid, object: { metadata: { name, uid }, spec } };
}

function reportedObject({ name, isDeleting, statuses }: GivenObject): ReportedObject {
  const deleted = isDeleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  const rows = Object.entries(statuses).map(([wec, one]): [string, PerWecRow] => [
    wec,
    { wec, row: { wec, uid: '', generation: 0, status: one } },
  ]);
  return {
    ref: { wds: 'wds1', group, resource, namespace, name },
    uid: `uid-${name}`,
    object: { apiVersion, kind, metadata: { name, namespace, ...deleted } },
    rows: new Map(rows),
    specs: new Map(),
  };
}

describe('what should stand in a WDS', () => {
  it('is for each object what a naive reading of the rules gives', () => {
    fc.assert(
      fc.property(bindings, fc.tuple(...OBJECTS.map(object)), (given, objects) => {
        const control = {
          bindings: given.map(bindingObject),
          policies: given.flatMap(({ name, policyUid }) =>
            policyUid === undefined ? [] : [{ name, uid: policyUid, object: {} }],
          ),
          collectors: Object.entries(COLLECTORS).map(([name, { spec }]) => ({
            name,
            object: { metadata: { name }, spec },
          })),
        };
        const { workloads } = desiredState({
          ...control,
          ...{ wds: 'wds1', workloads: objects.map(reportedObject), schemaOf: unknownSchema },
          membership: readMembership(control),
          silent: new Map(),
        });
        const found = workloads.map(({ desired, bindingErrors }) => ({
          status: desired.status,
          bindings: desired.bindings,
          combinedStatuses: desired.combinedStatuses.map((one) => one.object),
          wrong: [...bindingErrors.keys()],
        }));
        expect(found).toEqual(objects.map((one) => naiveDesired(one, given)));
      }),
      { numRuns: 500 },
    );
  });
});
