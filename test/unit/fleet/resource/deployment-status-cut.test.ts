import { describe, expect, it } from 'vitest';
import { deploymentState } from '#shared/core/fleet/deployment-state.ts';
import { resourceStates } from '#shared/core/fleet/resource-states.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  deployment,
  drift,
  NONE,
  NOW_MS,
  notReady,
  object,
  problem,
  READY,
  resource,
  statusWith,
  UPDATED_FALSE,
} from './deployments.ts';

const NAMES = Array.from({ length: 15 }, (_, index) => `r${String(index).padStart(2, '0')}`);
const FIRST_TEN = NAMES.slice(0, 10);
const objects = NAMES.map((name) => object(name));

/** What the agent says of fifteen resources of which more are modified than it lists. */
function cutStatus(flags: JsonObject, names = FIRST_TEN): JsonObject {
  return {
    resources: NAMES.map((name) => resource(name)),
    modifiedStatus: names.map((name) => drift(name, flags)),
    incompleteState: true,
  };
}

/** The states of the resources, by how many have it. */
function stateCounts(status: JsonObject = {}): Readonly<Record<string, number>> {
  const now = { ...deployment({}), status };
  const states = resourceStates({ deployment: now, state: deploymentState(now) });
  const byState = Map.groupBy(states, ([, { state }]) => state);
  return Object.fromEntries([...byState].map(([state, all]) => [state, all.length]));
}

describe('a stored status of which the list of what is modified was cut (docs/fleet.md)', () => {
  it('says of the other resources that they are unknown, not that they are ready', () => {
    const status = statusWith(deployment(cutStatus({ patch: '{}' })), objects);
    expect(status).toMatchObject({
      ready: true,
      modifiedStatus: FIRST_TEN.map((name) => drift(name, { patch: '{}' })),
      incompleteState: true,
      resourceCounts: { ...NONE, desiredReady: 15, modified: 10, unknown: 5 },
      conditions: [problem('configmap.v1 shop/r00 modified {}')],
    });
    expect(status).not.toHaveProperty('nonModified');
    expect(stateCounts(status)).toEqual({ Modified: 10, Unknown: 5 });
  });

  it('says which of the others are not ready, since that is known', () => {
    const broken = object('r14', 'ConfigMap', [UPDATED_FALSE]);
    const given = deployment(cutStatus({ patch: '{}' }));
    const status = statusWith(given, [...objects.slice(0, 14), broken]);
    expect(status).toMatchObject({
      nonReadyStatus: [notReady('r14')],
      incompleteState: true,
      resourceCounts: { ...NONE, desiredReady: 15, modified: 10, unknown: 4, notReady: 1 },
    });
    expect(stateCounts(status)).toEqual({ Modified: 10, Unknown: 4, updating: 1 });
  });

  it('is not in sync either when all that it lists has returned', () => {
    const status = statusWith(deployment(cutStatus({ missing: true })), objects);
    expect(status).toMatchObject({
      ready: true,
      incompleteState: true,
      resourceCounts: { ...NONE, desiredReady: 15, unknown: 15 },
      conditions: [problem('out of sync')],
    });
    expect(status).not.toHaveProperty('nonModified');
    expect(status).not.toHaveProperty('modifiedStatus');
    expect(stateCounts(status)).toEqual({ Unknown: 15 });
  });

  it.each([
    ['what it lists is still modified', { patch: '{}' }],
    ['what it lists has come back', { missing: true }],
  ])('stays as it is when it is computed again, if %s', (_what, flags) => {
    const once = statusWith(deployment(cutStatus(flags)), objects) ?? {};
    expect(statusWith(deployment(once), objects, NOW_MS + 3_600_000)).toEqual(once);
  });

  it.each<readonly [what: string, stored: JsonObject]>([
    ['it lists fewer than ten', cutStatus({ missing: true }, FIRST_TEN.slice(1))],
    ['it does not say so', { ...cutStatus({ missing: true }), incompleteState: false }],
  ])('was not cut if %s: the others are ready', (_what, stored) => {
    const status = statusWith(deployment(stored), objects);
    expect(status).toMatchObject({
      nonModified: true,
      resourceCounts: { ...NONE, desiredReady: 15, ready: 15 },
      conditions: [READY],
    });
    expect(status).not.toHaveProperty('incompleteState');
  });
});
