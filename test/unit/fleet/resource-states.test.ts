import { describe, expect, it } from 'vitest';
import {
  type ResourceRef,
  resourceId,
  resourceKey,
  resourceStates,
  resourceType,
} from '#shared/core/fleet/resource-states.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { resource } from './fixtures/parts.ts';
import { CHANGED, type DeployedState, deploymentIn, ROLLING_OUT } from './fixtures/states.ts';

const WEB: ResourceRef = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
};
const ROLE: ResourceRef = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  namespace: '',
  name: 'reader',
};
const SETTINGS: ResourceRef = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'shop',
  name: 'settings',
};

/** The states of the resources of a BundleDeployment, by type and id. */
function statesOf(state: DeployedState, status: JsonObject = {}): Record<string, string> {
  const deployment = deploymentIn(state, { status });
  const states = resourceStates({ deployment, state });
  return Object.fromEntries(
    states.map(([, one]) => [`${resourceType(one.ref)}/${resourceId(one.ref)}`, one.state]),
  );
}

const LISTED: JsonObject = {
  resources: [
    resource('settings'),
    resource('web', 'Deployment', 'apps/v1'),
    resource('job', 'Job', 'batch/v1'),
  ],
};

describe('a resource of a BundleDeployment', () => {
  it.each([
    [WEB, 'apps.deployment', 'shop/web'],
    [ROLE, 'rbac.authorization.k8s.io.clusterrole', 'reader'],
    [SETTINGS, 'configmap', 'shop/settings'],
    [{ ...SETTINGS, apiVersion: '' }, 'configmap', 'shop/settings'],
  ])("%j has the type %s and the id %s (Fleet's code, Resource.Type)", (ref, type, id) => {
    expect(resourceType(ref)).toBe(type);
    expect(resourceId(ref)).toBe(id);
  });

  it('has a key that sorts by type and id (Fleet, Status Fields, Resources List)', () => {
    const refs = [ROLE, SETTINGS, { ...SETTINGS, name: 'settings-2' }, { ...WEB, name: 'a' }, WEB];
    const keys = refs.map(resourceKey).sort();
    expect(keys.map((key) => key.split(' ')[0])).toEqual([
      'apps.deployment/shop/a',
      'apps.deployment/shop/web',
      'configmap/shop/settings',
      'configmap/shop/settings-2',
      'rbac.authorization.k8s.io.clusterrole/reader',
    ]);
  });

  it('has a key of its own in each version, kind, namespace and name', () => {
    const others = [
      WEB,
      { ...WEB, apiVersion: 'apps/v1beta1' },
      { ...WEB, kind: 'deployment' },
      { ...WEB, namespace: 'cache' },
      { ...WEB, name: 'cache' },
    ];
    expect(new Set(others.map(resourceKey)).size).toBe(others.length);
  });
});

describe('the states of resources (Fleet, Status Fields, Resources List)', () => {
  it.each<readonly [DeployedState, boolean, string]>([
    ['Ready', false, 'Ready'],
    ['Ready', true, 'Ready'],
    ['NotReady', false, 'Ready'],
    ['NotReady', true, 'Unknown'],
    ['Modified', false, 'Ready'],
    ['Modified', true, 'Unknown'],
    ['OutOfSync', false, 'OutOfSync'],
    ['OutOfSync', true, 'OutOfSync'],
    ['WaitApplied', false, 'WaitApplied'],
    ['ErrApplied', true, 'ErrApplied'],
  ])(
    'of a deployment that is %s, incompleteState %s, are %s if nothing is said of them',
    (state, incompleteState, common) => {
      const status = { ...LISTED, incompleteState, nonReadyStatus: [], modifiedStatus: [] };
      expect(statesOf(state, status)).toEqual({
        'apps.deployment/shop/web': common,
        'batch.job/shop/job': common,
        'configmap/shop/settings': common,
      });
    },
  );

  it('are those of what is not ready, in its own words', () => {
    const summary = { state: 'in-progress', error: true, transitioning: true, message: ['a', 'b'] };
    const deployment = deploymentIn('NotReady', {
      status: { ...LISTED, nonReadyStatus: [{ ...ROLLING_OUT, summary }] },
    });
    const states = resourceStates({ deployment, state: 'NotReady' }).map(([, one]) => one);
    expect(states.find(({ ref }) => ref.name === 'web')).toEqual({
      ref: WEB,
      state: 'in-progress',
      error: true,
      transitioning: true,
      message: 'a, b',
    });
    expect(states.find(({ ref }) => ref.name === 'settings')).toEqual({
      ref: SETTINGS,
      state: 'Ready',
      error: false,
      transitioning: false,
      message: '',
    });
  });

  it.each<readonly [what: string, entry: JsonObject, state: string]>([
    ['Orphaned where it is to go', { delete: true }, 'Orphaned'],
    ['Orphaned rather than Missing', { delete: true, missing: true }, 'Orphaned'],
    ['Missing where it is not there', { missing: true }, 'Missing'],
    ["Missing where it is another's", { missing: true, exist: true }, 'Missing'],
    ['Modified where it was changed', { patch: '{}' }, 'Modified'],
    ['Modified where nothing else is said', {}, 'Modified'],
    ['Modified where the flags are no flags', { delete: 'true', missing: 1 }, 'Modified'],
  ])("are %s (Fleet's code)", (_what, entry, state) => {
    const { patch: _patch, ...changed } = CHANGED;
    const modifiedStatus = [{ ...changed, ...entry }];
    expect(statesOf('Modified', { ...LISTED, modifiedStatus })).toMatchObject({
      'apps.deployment/shop/web': 'Ready',
      'configmap/shop/settings': state,
    });
  });

  it('are Modified rather than not ready if a resource is both', () => {
    const nonReadyStatus = [{ ...ROLLING_OUT, ...SETTINGS }];
    expect(statesOf('NotReady', { nonReadyStatus, modifiedStatus: [CHANGED] })).toMatchObject({
      'configmap/shop/settings': 'Modified',
    });
  });

  it('are also of resources that only those lists have', () => {
    const status = { resources: [], nonReadyStatus: [ROLLING_OUT], modifiedStatus: [CHANGED] };
    expect(statesOf('NotReady', status)).toEqual({
      'apps.deployment/shop/web': 'updating',
      'configmap/shop/settings': 'Modified',
    });
  });

  it('are NotReady if what is not ready has no state', () => {
    const nonReadyStatus = [{ ...ROLLING_OUT, summary: { transitioning: true } }];
    expect(statesOf('NotReady', { resources: [], nonReadyStatus })).toEqual({
      'apps.deployment/shop/web': 'NotReady',
    });
  });

  it('come sorted by key, each once, whatever their order in the object', () => {
    const list = LISTED['resources'] as JsonObject[];
    const reversed = { resources: [...list, ...list].reverse() };
    const [there, back] = [LISTED, reversed].map((status) =>
      resourceStates({ deployment: deploymentIn('Ready', { status }), state: 'Ready' }),
    );
    expect(back).toEqual(there);
    const keys = there?.map(([key]) => key) ?? [];
    expect(keys).toHaveLength(3);
    expect(keys).toEqual([...keys].sort());
  });
});
