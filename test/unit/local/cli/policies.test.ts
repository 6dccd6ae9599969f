import { describe, expect, it } from 'vitest';
import { NO_DESTINATION, noReport, outdatedVersion } from '#local/cli/input/messages.ts';
import { outdatedCollection } from '#shared/core/binding/messages.ts';
import { at, isArray, type JsonValue } from '#shared/core/json.ts';
import { file, find, items, starfold } from './command.ts';

const INVENTORY = `
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: wec1, labels: {region: edge, tier: a}}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: wec2, labels: {region: edge}}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: hub, labels: {region: core}}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: web}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u-web, generation: 1, labels: {app: web}}
spec: {replicas: 2}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop, uid: u-settings}
---
apiVersion: v1
kind: Node
metadata: {name: node1, labels: {app: web}}
---
`;

const POLICY = `
apiVersion: control.kubestellar.io/v1alpha1
kind: BindingPolicy
metadata: {name: edge, uid: u-edge, generation: 4}
spec:
  clusterSelectors: [{matchLabels: {region: edge}}]
  downsync:
  - objectSelectors: [{matchLabels: {app: web}}]
    wantMultiWECReportedState: true
    statusCollectors: [missing]
  - resources: [configmaps]
    namespaceSelectors: [{matchExpressions: [{key: team, operator: In, values: [web]}]}]
`;

function evaluated(text: string, ...options: readonly string[]) {
  const { code, out, err } = starfold(['eval', '-f', '-', '-o', 'json', ...options], text);
  expect(code).toBe(0);
  return {
    out,
    err,
    binding: find(out, 'Binding', 'edge'),
    policy: find(out, 'BindingPolicy', 'edge'),
  };
}

function names(value: JsonValue | undefined, field: string): readonly string[] {
  return isArray(value) ? value.map((entry) => String(at(entry, field))) : [];
}

const AVAILABLE = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u-1, generation: 1}
spec: {replicas: 2}
status: {observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2}
`;

describe('starfold eval, of a BindingPolicy', () => {
  it('yields its Binding: where to, which objects, what is asked for each', () => {
    const { binding, err } = evaluated(INVENTORY + POLICY);
    expect(binding).toMatchObject({
      metadata: {
        name: 'edge',
        ownerReferences: [{ kind: 'BindingPolicy', name: 'edge', uid: 'u-edge', controller: true }],
      },
    });
    expect(names(at(binding, 'spec', 'destinations'), 'clusterId')).toEqual(['wec1', 'wec2']);
    expect(at(binding, 'spec', 'workload')).toEqual({
      namespaceScope: [
        {
          group: '',
          version: 'v1',
          resource: 'configmaps',
          namespace: 'shop',
          name: 'settings',
          resourceVersion: '',
        },
        {
          group: 'apps',
          version: 'v1',
          resource: 'deployments',
          namespace: 'shop',
          name: 'web',
          resourceVersion: '',
          statusCollectors: ['missing'],
          wantMultiWECReportedState: true,
        },
      ],
    });
    expect(err).toBe(`starfold: ${noReport('wec1, wec2')}\n`);
  });

  it('gives the object the status, and names CombinedStatuses by the policy', () => {
    const wec = file('wec.yaml', AVAILABLE);
    const reports = ['--wec', `wec1=${wec}`, '--wec', `wec2=${wec}`];
    const { out } = evaluated(INVENTORY + POLICY, ...reports);
    expect(find(out, 'Deployment', 'web')).toMatchObject({
      metadata: { labels: { 'managed-by.kubestellar.io/multiwecstatus': 'true' } },
      status: { availableReplicas: 2 },
    });
    expect(find(out, 'CombinedStatus', 'u-web.u-edge')).toBeDefined();
  });

  it('reports missing collectors in Binding and policy, each with its own generation', () => {
    const { binding, policy } = evaluated(INVENTORY + POLICY);
    const conditions = [
      { type: 'StatusCollectorsAvailable', status: 'False' },
      { type: 'WECsReporting', status: 'False', reason: 'WECsNeverReported' },
    ];
    expect(binding).toMatchObject({ status: { observedGeneration: 0, conditions } });
    expect(policy).toMatchObject({ status: { observedGeneration: 4, conditions } });
  });

  it('leaves a Binding of the same name that is given as it is', () => {
    const given = `---
apiVersion: control.kubestellar.io/v1alpha1
kind: Binding
metadata: {name: edge, uid: u-b}
spec: {destinations: [{clusterId: wec9}], workload: {}}
`;
    const { binding } = evaluated(INVENTORY + POLICY + given);
    expect(binding).toMatchObject({
      spec: { destinations: [{ clusterId: 'wec9' }], workload: {} },
    });
  });

  it('takes a policy that is being deleted for one that means nothing, and leaves its status', () => {
    const deleting = POLICY.replace('generation: 4', 'deletionTimestamp: "2026-01-01T00:00:00Z"');
    const { binding, policy, err } = evaluated(INVENTORY + deleting);
    expect(binding).toBeUndefined();
    expect(policy).toBeDefined();
    expect(policy).not.toHaveProperty('status');
    expect(err).toBe('');
  });

  it('names no object that is being deleted, but those in a Namespace and those for a WEC that are', () => {
    const deletion = 'deletionTimestamp: "2026-01-01T00:00:00Z"';
    const text = INVENTORY.replace('name: web,', `name: web, ${deletion},`)
      .replace('{name: shop,', `{name: shop, ${deletion},`)
      .replace('{name: wec1,', `{name: wec1, ${deletion},`);
    const { binding } = evaluated(text + POLICY);
    expect(names(at(binding, 'spec', 'workload', 'namespaceScope'), 'name')).toEqual(['settings']);
    expect(names(at(binding, 'spec', 'destinations'), 'clusterId')).toEqual(['wec1', 'wec2']);
  });

  it('selects the named WECs if no ManagedCluster is given', () => {
    const text = INVENTORY.slice(INVENTORY.indexOf('apiVersion: v1')) + POLICY;
    const every = text.replace('{matchLabels: {region: edge}}', '{}');
    const wec = file('wec.yaml', AVAILABLE);
    const silent = file('silent.yaml', '');
    const { binding } = evaluated(every, '--wec', `edge7=${wec}`, '--wec', `edge8=${silent}`);
    expect(names(at(binding, 'spec', 'destinations'), 'clusterId')).toEqual(['edge7', 'edge8']);
  });

  it('shows its collectors the labels and annotations of the ManagedClusters', () => {
    const collector = `---
apiVersion: control.kubestellar.io/v1alpha1
kind: StatusCollector
metadata: {name: missing}
spec:
  limit: 5
  select:
  - {name: tier, def: '"tier" in inventory.labels ? inventory.labels.tier : "none"'}
  - {name: owner, def: 'inventory.annotations.owner'}
  - {name: silent, def: propagation.silent}
  - {name: contact, def: string(propagation.lastContact)}
`;
    const silent = `, annotations: {owner: a}}
status: {conditions: [{type: ManagedClusterConditionAvailable, status: Unknown, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`;
    const inventory = INVENTORY.replace('tier: a}}', `tier: a}${silent}`);
    const { out } = evaluated(`${inventory}${POLICY}${collector}`);
    const combined = items(out).find(({ kind }) => kind === 'CombinedStatus');
    const [result] = Array.isArray(combined?.['results']) ? combined['results'] : [];
    const rows = at(result, 'rows');
    expect(rows).toMatchObject([
      {
        columns: [
          { string: 'a' },
          { string: 'a' },
          { bool: true },
          { string: '2026-01-01T00:00:00Z' },
        ],
      },
      {
        columns: [{ string: 'none' }, { type: 'Null' }, { bool: false }, { type: 'Null' }],
      },
    ]);
    expect(JSON.stringify(out)).toContain('no such key: owner');
  });

  it('says that it selects no WEC', () => {
    const text = INVENTORY.slice(INVENTORY.indexOf('apiVersion: v1')) + POLICY;
    const { err } = evaluated(text);
    expect(err).toContain(`BindingPolicy edge: ${NO_DESTINATION}`);
  });

  it('reports errors only in the status of the policy, and uses the rest', () => {
    const broken = POLICY.replace('operator: In', 'operator: Is');
    const { binding, policy } = evaluated(INVENTORY + broken);
    expect(names(at(binding, 'spec', 'workload', 'namespaceScope'), 'name')).toEqual(['web']);
    expect(at(binding, 'status', 'errors')).toBeUndefined();
    const errors = at(policy, 'status', 'errors');
    expect(isArray(errors) && errors.length).toBe(1);
    expect(String(isArray(errors) && errors[0])).toMatch(
      /^starfold: spec\.downsync\[1\]\.namespaceSelectors\[0\].*operator/,
    );
  });

  it('reports which objects go to the wrong number of WECs for a singleton status', () => {
    const singleton = POLICY.replace('wantMultiWECReportedState', 'wantSingletonReportedState');
    const { binding, policy } = evaluated(INVENTORY + singleton);
    for (const object of [binding, policy])
      expect(at(object, 'status', 'errors')).toEqual([
        expect.stringMatching(
          /^starfold: Singleton reported status return is requested but .*: deployments\.apps shop\/web \(2\);/,
        ),
      ]);
  });

  it('understands outdated spellings, and names the current ones', () => {
    const outdated = POLICY.replace('control.kubestellar.io', 'policies.kubestellar.io').replace(
      'statusCollectors: [missing]',
      'statusCollection: {statusCollectors: [missing]}',
    );
    const { out, err, binding } = evaluated(INVENTORY + outdated);
    expect(at(binding, 'spec', 'workload', 'namespaceScope')).toMatchObject([
      {},
      { statusCollectors: ['missing'] },
    ]);
    expect(err).toContain(
      outdatedVersion('policies.kubestellar.io/v1alpha1', 'control.kubestellar.io/v1alpha1'),
    );
    expect(err).toContain(outdatedCollection('spec.downsync[0]'));
    expect(items(out).every(({ apiVersion }) => !String(apiVersion).startsWith('policies.'))).toBe(
      true,
    );
  });
});
