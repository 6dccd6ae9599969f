import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import type { BundleState } from '#shared/core/fleet/bundle-state.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { readyMessage } from '#shared/core/fleet/ready-message.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { DeploymentOverrides } from './fixtures/objects.ts';
import { condition } from './fixtures/parts.ts';
import { shuffled } from './fixtures/shuffled.ts';
import { CHANGED, ROLLING_OUT, rowIn } from './fixtures/states.ts';

/** A row of which nothing is said but its state. */
function row(state: BundleState, given: DeploymentOverrides = {}): DeploymentRow {
  const conditions = [condition('Deployed', state === 'ErrApplied' ? 'False' : 'True')];
  const status = { nonReadyStatus: [], modifiedStatus: [], conditions, ...given.status };
  return rowIn(state, { ...given, status });
}

function of(state: BundleState, cluster: string, status: JsonObject = {}): DeploymentRow {
  return { ...row(state, { cluster, status }), cluster: `ns/${cluster}` };
}

function clustersMessage(rows: readonly DeploymentRow[]): string {
  return readyMessage(foldRows(BUNDLE, rows).byCluster, 'Cluster');
}

function bundlesMessage(rows: readonly DeploymentRow[]): string {
  return readyMessage(foldRows(BUNDLE, rows).byUid, 'Bundle');
}

function drift(name: string, more: JsonObject, kind = 'ConfigMap'): JsonObject {
  return { apiVersion: 'v1', kind, namespace: 'ns', name, ...more };
}

const BOOM = { conditions: [condition('Deployed', 'False', { reason: 'Error', message: 'boom' })] };

describe('the message of a Ready condition (Fleet, Status Fields, Ready Condition)', () => {
  it('is empty if all deployments are Ready, or there are none', () => {
    expect(clustersMessage([of('Ready', 'a'), of('Ready', 'b')])).toBe('');
    expect(clustersMessage([])).toBe('');
  });

  it("names the cluster by its Cluster object, not by the deployment's namespace", () => {
    const waiting = row('WaitApplied', { cluster: 'downstream4' });
    expect(clustersMessage([waiting])).toBe('WaitApplied(1) [Cluster fleet-default/downstream4]');
  });

  it('names the first of several clusters in a state', () => {
    const rows = ['c', 'a', 'b'].map((cluster) => of('NotReady', cluster));
    expect(clustersMessage(rows)).toBe('NotReady(3) [Cluster ns/a]');
  });

  it('names Bundles if those are asked for, with what is said of them', () => {
    const rows = [row('NotReady', { name: 'a' }), row('ErrApplied', { name: 'b', status: BOOM })];
    expect(bundlesMessage(rows)).toBe('ErrApplied(1) [Bundle b: boom]; NotReady(1) [Bundle a]');
  });

  it('reports all states, in alphabetical order', () => {
    const rows = [
      of('WaitApplied', 'a'),
      of('WaitApplied', 'b'),
      of('Pending', 'c'),
      of('OutOfSync', 'd'),
      of('NotReady', 'e'),
      of('Modified', 'f'),
      of('ErrApplied', 'g'),
      of('Ready', 'h'),
    ];
    expect(clustersMessage(shuffled(rows, 3))).toBe(
      'ErrApplied(1) [Cluster ns/g]; Modified(1) [Cluster ns/f]; NotReady(1) [Cluster ns/e]; ' +
        'OutOfSync(1) [Cluster ns/d]; Pending(1) [Cluster ns/c]; WaitApplied(2) [Cluster ns/a]',
    );
  });

  it('has four of five lines of what was modified', () => {
    const modifiedStatus = ['e', 'd', 'c', 'b', 'dapr-injector'].map((name) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      name,
      patch: '{"metadata":{}}',
    }));
    const local = row('Modified', {
      clusterNamespace: 'fleet-local',
      cluster: 'local',
      status: { modifiedStatus: modifiedStatus.reverse() },
    });
    const line = (name: string): string =>
      `clusterrole.rbac.authorization.k8s.io ${name} modified {"metadata":{}}`;
    expect(clustersMessage([local])).toBe(
      `Modified(1) [Cluster fleet-local/local]; ${line('b')}; ${line('c')}; ${line('d')}; ${line('dapr-injector')}`,
    );
  });

  it('has four lines of what is not ready beside those of what was modified, sorted', () => {
    const nonReadyStatus = ['5', '4', '3', '2', '1'].map((name) => ({ ...ROLLING_OUT, name }));
    const one = of('NotReady', 'a', { nonReadyStatus, modifiedStatus: [CHANGED] });
    const line = (name: string): string =>
      `deployment.apps shop/${name} [progressing] Available: 1/2`;
    expect(clustersMessage([one])).toBe(
      'NotReady(1) [Cluster ns/a]; ' +
        `configmap.v1 shop/settings modified {"data":{"color":"blue"}}; ` +
        ['2', '3', '4', '5'].map(line).join('; '),
    );
  });

  it('keeps the error of a deployment after its heading, although Fleet sorts all together', () => {
    const pod = drift('p', { summary: { transitioning: true } }, 'Pod');
    const rows = [
      of('NotReady', 'b', { nonReadyStatus: [pod] }),
      of('Modified', 'a', { modifiedStatus: [drift('svc', { missing: true }, 'Service')] }),
    ];
    expect(clustersMessage(rows)).toBe(
      'Modified(1) [Cluster ns/a]; service.v1 ns/svc missing; ' +
        'NotReady(1) [Cluster ns/b]; pod.v1 ns/p [progressing]',
    );
  });

  it('has the lines of the deployment that it names, and of no other', () => {
    const rows = ['a', 'b'].map((cluster) =>
      of('Modified', cluster, { modifiedStatus: [drift(cluster, { delete: true })] }),
    );
    expect(clustersMessage(rows)).toBe('Modified(2) [Cluster ns/a]; configmap.v1 ns/a extra');
  });

  it('reports an error after ten that are not ready, which Fleet does not', () => {
    const rows = Array.from({ length: 10 }, (_, index) => of('NotReady', `a${index}`));
    expect(clustersMessage([...rows, of('ErrApplied', 'z', BOOM)])).toBe(
      'ErrApplied(1) [Cluster ns/z: boom]; NotReady(10) [Cluster ns/a0]',
    );
  });

  it('puts what else is wrong between the states, in alphabetical order', () => {
    const part = foldRows(BUNDLE, [of('WaitApplied', 'a'), of('NotReady', 'b')]).byUid;
    const about = { count: 2, kind: 'Cluster', name: 'ns/x', message: '' };
    const more = [
      { ...about, state: 'WaitCheckIn' },
      { ...about, state: 'Offline', message: 'agent last seen T' },
    ];
    expect(readyMessage(part, 'Bundle', more)).toBe(
      'NotReady(1) [Bundle shop]; Offline(2) [Cluster ns/x: agent last seen T]; ' +
        'WaitApplied(1) [Bundle shop]; WaitCheckIn(2) [Cluster ns/x]',
    );
  });
});

describe('the size of a message', () => {
  it('has 512 characters of a patch of 10 KB', () => {
    const modifiedStatus = [drift('cm', { patch: 'x'.repeat(10_000) })];
    expect(clustersMessage([of('Modified', 'a', { modifiedStatus })])).toBe(
      `Modified(1) [Cluster ns/a]; configmap.v1 ns/cm modified ${'x'.repeat(509)}...`,
    );
  });

  it('does not cut a patch twice that ends in a character of two units', () => {
    const patch = `${'x'.repeat(508)}${'😀'.repeat(50)}`;
    const message = clustersMessage([
      of('Modified', 'a', { modifiedStatus: [drift('cm', { patch })] }),
    ]);
    expect(message).toMatch(/[^.]\.\.\.$/);
    expect(message.isWellFormed()).toBe(true);
  });

  it('is 4096 characters at most: every state is named, and what is wrong as far as there is room', () => {
    const entries = Array.from({ length: 10 }, (_, index) =>
      drift(`cm${index}`, { patch: 'y'.repeat(10_000) }),
    );
    const states = ['ErrApplied', 'Modified', 'NotReady', 'OutOfSync', 'WaitApplied'] as const;
    const rows = states.map((state, index) =>
      of(state, `c${index}`, { modifiedStatus: entries, nonReadyStatus: entries }),
    );
    const message = clustersMessage(rows);
    expect(message.length).toBeLessThanOrEqual(4096);
    expect(message.length).toBeGreaterThan(3500);
    for (const [index, state] of states.entries())
      expect(message).toContain(`${state}(1) [Cluster ns/c${index}]`);
    expect(message).toMatch(/^ErrApplied\(1\) \[Cluster ns\/c0\]; .*y\.\.\.; /);
    expect(clustersMessage(rows.toReversed())).toBe(message);
  });

  it('is cut if the headings alone are longer', () => {
    const rows = (['ErrApplied', 'NotReady', 'WaitApplied'] as const).map((state) => ({
      ...of(state, 'c'),
      cluster: `ns/${state.toLowerCase()}-${'c'.repeat(2000)}`,
    }));
    const message = clustersMessage(rows);
    expect(message).toHaveLength(4096);
    expect(message.endsWith('...')).toBe(true);
  });

  it('is the same whatever the order of 4,000 clusters', () => {
    const states = ['Ready', 'NotReady', 'Modified', 'ErrApplied'] as const;
    const like = states.map((state) => of(state, 'c'));
    const rows = Array.from({ length: 4000 }, (_, index) => ({
      ...(like[index % 4] ?? of('Ready', 'c')),
      namespace: `cluster-${index}`,
      cluster: `ns/c${10_000 + index}`,
    }));
    const message =
      'ErrApplied(1000) [Cluster ns/c10003]; Modified(1000) [Cluster ns/c10002]; ' +
      'NotReady(1000) [Cluster ns/c10001]';
    for (const seed of [1, 2, 3]) expect(clustersMessage(shuffled(rows, seed))).toBe(message);
  });
});
