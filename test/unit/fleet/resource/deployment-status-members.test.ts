import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import {
  BEFORE,
  deployment,
  drift,
  NONE,
  notReady,
  object,
  problem,
  READY,
  resource,
  statusWith,
  UPDATED_FALSE,
} from './deployments.ts';

const settings = resource('settings');
const extra = resource('extra');

describe('the members of the status of a BundleDeployment (fleet agent, updatestatus)', () => {
  it('of a BundleDeployment without a status has what is computed', () => {
    const { status: _status, ...bare } = deployment({});
    expect(statusWith({ ...bare, spec: {} }, [])).toEqual({
      ready: true,
      nonModified: true,
      resourceCounts: NONE,
      conditions: [READY],
    });
  });

  it('names a resource that is in no namespace and has no uid without them', () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'r' };
    const bare = { ...role, metadata: { name: 'r', namespace: '' } };
    const status = { conditions: [UPDATED_FALSE] };
    const given = deployment({ resources: [role] });
    expect(statusWith(given, [{ ...bare, status }])).toMatchObject({
      nonReadyStatus: [{ ...role, summary: { state: 'updating' } }],
    });
    expect(statusWith(given, [])).toMatchObject({ modifiedStatus: [{ ...role, missing: true }] });
    const returned = deployment({ modifiedStatus: [{ ...role, missing: true }] });
    expect(statusWith(returned, [bare])).toMatchObject({ resources: [role] });
  });

  it('counts a resource that is listed twice once, and no entry without a kind or a name', () => {
    const junk: JsonValue[] = ['odd', null, {}, { kind: 'ConfigMap' }, { name: 'settings' }];
    const stored = { resources: [...junk, settings, settings], modifiedStatus: junk };
    expect(statusWith(deployment(stored), [object('settings')])).toMatchObject({
      nonModified: true,
      resourceCounts: { ...NONE, ready: 1, desiredReady: 1 },
    });
  });

  it('leaves the conditions out that spec.options.ignore names', () => {
    const options = { ignore: { conditions: [{ type: 'Updated' }] } };
    const given = deployment({ resources: [settings] }, { options });
    const objects = [object('settings', 'ConfigMap', [UPDATED_FALSE])];
    expect(statusWith(given, objects)).toMatchObject({ ready: true });
  });
});

describe('the agent reports nothing (fleet agent, ShouldUpdateStatus)', () => {
  it.each<readonly [what: string, given: JsonObject]>([
    ['while the deployment is paused', deployment({}, { paused: true })],
    ['while it is off schedule', deployment({}, { offSchedule: true })],
    ['while it waits for values', deployment({}, { waitingForValues: true })],
    ['before it is applied', deployment({}, { deploymentID: 's-2:2' })],
    ['before anything is applied', deployment({ appliedDeploymentID: null })],
    [
      'when it is not installed',
      deployment({ conditions: [{ type: 'Installed', status: 'False' }] }),
    ],
  ])('%s', (_what, given) => {
    expect(statusWith(given, [])).toBeUndefined();
  });

  it.each<readonly [what: string, given: JsonObject]>([
    ['flags that are not true', deployment({}, { paused: false, offSchedule: 'true' })],
    [
      'condition Installed=Unknown',
      deployment({ conditions: [{ type: 'Installed', status: 'Unknown' }] }),
    ],
  ])('but reports with %s', (_what, given) => {
    expect(statusWith(given, [])).toBeDefined();
  });
});

describe('what stays of the stored status', () => {
  it('everything that is not computed', () => {
    const stored = {
      release: 'shop/shop:1',
      display: { state: 'NotReady' },
      syncGeneration: 3,
      ready: true,
      nonModified: true,
      incompleteState: true,
      nonReadyStatus: [{ name: 'old' }],
      resourceCounts: { ready: 7 },
    };
    expect(statusWith(deployment(stored), [])).toEqual({
      appliedDeploymentID: 's-1:1',
      release: 'shop/shop:1',
      display: { state: 'NotReady' },
      syncGeneration: 3,
      ready: true,
      nonModified: true,
      resourceCounts: NONE,
      conditions: [READY],
    });
  });

  it.each<readonly [what: string, stored: JsonObject, found: JsonObject]>([
    [
      'the time of the condition Ready while it says the same',
      { type: 'Ready', status: 'True', lastUpdateTime: BEFORE },
      { type: 'Ready', status: 'True', lastUpdateTime: BEFORE },
    ],
    [
      'not the time when it says something else',
      { ...problem('not ready'), lastUpdateTime: BEFORE, lastTransitionTime: BEFORE },
      { ...READY, lastTransitionTime: BEFORE },
    ],
  ])('%s', (_what, ready, found) => {
    const [installed, monitored] = ['Installed', 'Monitored'].map((type) => ({
      type,
      status: 'True',
      lastUpdateTime: BEFORE,
    }));
    const conditions = [installed, ready, monitored] as JsonObject[];
    expect(statusWith(deployment({ conditions }), [])).toMatchObject({
      conditions: [installed, found, monitored],
    });
  });
});

describe('the lists', () => {
  const names = Array.from(
    { length: 12 },
    (_unused, index) => `r${String(index).padStart(2, '0')}`,
  );
  const resources = names.map((name) => resource(name)).toReversed();
  const firstTen = names.slice(0, 10);

  it('of what is modified is sorted, then cut at ten, and marked; the counts are of all', () => {
    const status = statusWith(deployment({ resources }), []);
    expect(status).toMatchObject({
      modifiedStatus: firstTen.map((name) => drift(name, { missing: true })),
      incompleteState: true,
      resourceCounts: { ...NONE, desiredReady: 12, missing: 12 },
    });
    expect(status?.['conditions']).toEqual([problem('configmap.v1 shop/r00 missing')]);
  });

  it('of what is not ready is sorted, then cut at ten, and marked; the counts are of all', () => {
    const objects = names.map((name) => object(name, 'ConfigMap', [UPDATED_FALSE]));
    expect(statusWith(deployment({ resources }), objects)).toMatchObject({
      nonReadyStatus: firstTen.map((name) => notReady(name)),
      incompleteState: true,
      resourceCounts: { ...NONE, desiredReady: 12, notReady: 12 },
    });
  });

  it('of what is not ready is in the order of the uids', () => {
    const objects = ['settings', 'extra'].map((name, index) => {
      const metadata = { namespace: 'shop', name, uid: `uid-${index}` };
      return { ...object(name, 'ConfigMap', [UPDATED_FALSE]), metadata };
    });
    expect(statusWith(deployment({ resources: [extra, settings] }), objects)).toMatchObject({
      nonReadyStatus: [{ name: 'settings' }, { name: 'extra' }],
    });
  });

  it('are not marked with ten entries, though the stored status is', () => {
    const stored = { resources: resources.slice(2), incompleteState: true };
    const status = statusWith(deployment(stored), []);
    expect(status?.['modifiedStatus']).toHaveLength(10);
    expect(status).not.toHaveProperty('incompleteState');
  });

  it('are sorted by the key if uids are equal, and by apiVersion, kind, namespace and name', () => {
    const listed = [
      resource('b', 'Secret'),
      resource('a', 'Secret'),
      resource('z'),
      resource('y', 'Role', 'a.io/v1'),
    ];
    const given = deployment({ resources: listed });
    const order = ['a.io/v1 y', 'v1 z', 'v1 a', 'v1 b'];
    const named = (list: JsonValue | undefined): readonly string[] =>
      (list as JsonObject[]).map(({ apiVersion, name }) => `${apiVersion} ${name}`);
    expect(named(statusWith(given, [])?.['modifiedStatus'])).toEqual(order);
    const objects = listed.map(({ apiVersion, kind, name }) => ({
      apiVersion: apiVersion as string,
      kind: kind as string,
      metadata: { namespace: 'shop', name: name as string },
      status: { conditions: [UPDATED_FALSE] },
    }));
    expect(named(statusWith(given, objects)?.['nonReadyStatus'])).toEqual(order);
  });
});
