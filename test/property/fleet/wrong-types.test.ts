import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import { BUNDLE_STATES } from '#shared/core/fleet/bundle-state.ts';
import { bundleStatus } from '#shared/core/fleet/bundle-status.ts';
import { CLUSTER } from '#shared/core/fleet/cluster-fold.ts';
import { deploymentRow, silentRow } from '#shared/core/fleet/deployment-row.ts';
import { deploymentDisplay } from '#shared/core/fleet/deployment-state.ts';
import { statusWith } from '#shared/core/fleet/desired-status.ts';
import { RESOURCES_BYTES, resourcesList } from '#shared/core/fleet/resources-list.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import {
  Float,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';
import { bundle } from '#test/unit/fleet/fixtures/objects.ts';
import { deploymentIn } from '#test/unit/fleet/fixtures/states.ts';

const NOW = '2026-11-21T12:00:00Z';

const scalar: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue[]>(
  null,
  true,
  false,
  0,
  -1,
  1.5,
  Number.NaN,
  2n ** 60n,
  new Float(3),
  '',
  'x',
  'Ready',
  'a\nb',
  '\ud83d',
);

const members = fc.constantFrom('state', 'message', 'kind', 'name', '__proto__', 'constructor');

const { anything } = fc.letrec<{ anything: JsonValue }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('anything'), { maxLength: 4 }),
    fc.array(fc.tuple(members, tie('anything')), { maxLength: 4 }).map(Object.fromEntries),
  ),
}));

/** A value with something else in one place; each number says where it goes on. */
function spoilt(value: JsonValue, path: readonly number[], wrong: JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return wrong;
  if (isArray(value) && value.length > 0) {
    const index = step % value.length;
    return value.map((one, place) => (place === index ? spoilt(one, rest, wrong) : one));
  }
  if (!isObject(value)) return wrong;
  const entries = Object.entries(value);
  const at = step % Math.max(entries.length, 1);
  return Object.fromEntries(
    entries.map(([key, one], place) => [key, place === at ? spoilt(one, rest, wrong) : one]),
  );
}

function spoiltObject(object: JsonObject): fc.Arbitrary<JsonObject> {
  const wrong = fc.tuple(fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }), anything);
  return (
    fc
      .array(wrong, { minLength: 1, maxLength: 3 })
      // With a path of at least one step an object stays one.
      .map((all) => all.reduce<JsonValue>((one, [path, value]) => spoilt(one, path, value), object))
      .map((one) => one as JsonObject)
  );
}

const DEPLOYMENTS = (['Ready', 'NotReady', 'Modified', 'OutOfSync', 'ErrApplied'] as const).map(
  (state) => deploymentIn(state),
);

const spoiltDeployment = fc.constantFrom(...DEPLOYMENTS).chain(spoiltObject);

describe('objects with wrong types', () => {
  it('have a row that counts once, and can be stored', () => {
    fc.assert(
      fc.property(spoiltDeployment, (deployment) => {
        const row = deploymentRow(deployment);
        const display = deploymentDisplay(deployment);
        expect(BUNDLE_STATES).toContain(row.state);
        expect(display['state']).toBe(row.state);
        for (const one of [row, silentRow(row, 'agent last seen T')])
          for (const fold of [BUNDLE, CLUSTER]) {
            const part = fold.lift(one);
            const stored = parseJson(stringifyJson(part));
            expect(stringifyJson(stored)).toBe(stringifyJson(part));
          }
      }),
      { numRuns: 1000 },
    );
  });

  it('give a status that counts each deployment, with resources that are bounded and have a state', () => {
    fc.assert(
      fc.property(
        spoiltObject(bundle({ status: { conditions: [{ type: 'Ready', status: 'False' }] } })),
        fc.array(spoiltDeployment, { maxLength: 5 }),
        (object, deployments) => {
          const part = foldRows(BUNDLE, deployments.map(deploymentRow));
          const desired = bundleStatus({ bundle: object, part, targetErrors: [] });
          const { resources } = resourcesList(part.resources);
          const status = statusWith(object['status'], desired, NOW);
          expect(status['summary']).toMatchObject({ desiredReady: deployments.length });
          expect(status['conditions']).toContainEqual(expect.objectContaining({ type: 'Ready' }));
          expect(resources.every(({ state }) => typeof state === 'string')).toBe(true);
          expect(stringifyJson(resources).length).toBeLessThan(RESOURCES_BYTES);
          for (const count of Object.values(part.counts)) expect(count).toSatisfy(Number.isInteger);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
