import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentIn, STANDARD_INPUT } from '#local/cli/input/document-messages.ts';
import {
  FLEET_FAULTS,
  NO_FLEET_NAMESPACE,
  noDeployment,
  nothingBelow,
  notListed,
  STATUS_KEPT,
} from '#local/cli/input/fleet-messages.ts';
import { wrongVersion } from '#local/cli/input/messages.ts';
import { emptyCluster } from '#local/cli/input/report-messages.ts';
import { misspeltField } from '#shared/core/field-messages.ts';
import { at, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { file, find, items, starfold } from '#test/unit/local/cli/command.ts';

const EXAMPLES = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  '..',
  'docs',
  'examples',
  'fleet',
);
const UPSTREAM = join(EXAMPLES, 'upstream.yaml');
const DOWNSTREAM = `fleet-default/downstream1=${join(EXAMPLES, 'downstream1.yaml')}`;
const NOW = ['--now', '2026-11-21T12:00:00Z'] as const;

function evaluate(...args: readonly string[]) {
  return starfold(['eval', '-f', UPSTREAM, ...NOW, '-o', 'json', ...args]);
}

function statusOf(out: string, kind: string, name: string): JsonObject {
  return at(find(out, kind, name), 'status') as JsonObject;
}

function readyOf(status: JsonObject): JsonObject | undefined {
  const conditions = status['conditions'] as readonly JsonObject[];
  return conditions.find(({ type }) => type === 'Ready');
}

const PLAIN = evaluate();
const OBSERVED = evaluate('--wec', DOWNSTREAM);

describe("starfold eval of Fleet's objects", () => {
  it('prints each with the status that Starfold would write, and nothing else', () => {
    expect(PLAIN).toMatchObject({ code: 0, err: '' });
    expect(items(PLAIN.out).map(({ kind }) => kind)).toEqual([
      'Bundle',
      'BundleDeployment',
      'BundleDeployment',
      'Cluster',
      'Cluster',
      'Cluster',
      'ClusterGroup',
      'GitRepo',
    ]);
    const message =
      'Pending(1) [Cluster fleet-default/downstream3]; WaitApplied(1) [Cluster fleet-default/downstream2]';
    expect(readyOf(statusOf(PLAIN.out, 'Bundle', 'shop-web'))).toEqual({
      type: 'Ready',
      status: 'False',
      message,
      lastUpdateTime: '2026-11-21T12:00:00Z',
    });
    expect(statusOf(PLAIN.out, 'GitRepo', 'shop')).toMatchObject({
      // As Fleet's controller has left them.
      commit: '9d2f6f1c0f4fcb3f3a9cf0f1a8a5a0f7d4d5b6c7',
      gitJobStatus: 'Current',
      observedGeneration: 2,
      readyClusters: 1,
      desiredReadyClusters: 3,
      display: { readyBundleDeployments: '1/3', state: 'WaitApplied' },
    });
    expect(statusOf(PLAIN.out, 'ClusterGroup', 'prod')).toMatchObject({
      display: { readyClusters: '1/3 (downstream2,downstream3)' },
    });
  });

  it('says of a cluster what its resources are downstream', () => {
    expect(OBSERVED).toMatchObject({ code: 0, err: '' });
    const deployment = items(OBSERVED.out).find(
      (one) => at(one, 'metadata', 'labels', 'fleet.cattle.io/cluster') === 'downstream1',
    );
    expect(at(deployment, 'status')).toMatchObject({
      display: { state: 'NotReady' },
      modifiedStatus: [{ kind: 'Service', name: 'web', missing: true }],
      nonReadyStatus: [{ kind: 'Deployment', summary: { state: 'updating', transitioning: true } }],
      resourceCounts: { desiredReady: 2, missing: 1, notReady: 1, ready: 0 },
    });
    expect(readyOf(statusOf(OBSERVED.out, 'Cluster', 'downstream1'))?.['message']).toBe(
      'NotReady(1) [Bundle shop-web]; deployment.apps shop/web [progressing] Deployment does not have minimum availability., Available: 2/3; service.v1 shop/web missing',
    );
  });

  it('finds the Cluster of a BundleDeployment without cluster labels by its namespace', () => {
    const bare = stringifyJson({
      kind: 'List',
      apiVersion: 'v1',
      items: items(PLAIN.out).map((one) =>
        one['kind'] === 'BundleDeployment'
          ? { ...one, metadata: { ...(one['metadata'] as JsonObject), labels: {} } }
          : one,
      ),
    });
    const { err, out } = starfold(
      ['eval', '-f', '-', '--wec', DOWNSTREAM, ...NOW, '-o', 'json'],
      bare,
    );
    expect(err).toBe('');
    expect(statusOf(out, 'Cluster', 'downstream1')).toMatchObject({ summary: { notReady: 1 } });
  });

  it('shows a cluster whose agent has fallen silent', () => {
    const { out } = starfold([
      'eval',
      '-f',
      UPSTREAM,
      '--now',
      '2026-11-21T12:36:00Z',
      '-o',
      'json',
    ]);
    // 45 minutes after the agent of downstream2 was seen, and not yet after the others were.
    expect(statusOf(out, 'Cluster', 'downstream2')).toMatchObject({
      display: { state: 'Offline' },
    });
    expect(readyOf(statusOf(out, 'ClusterGroup', 'prod'))?.['message']).toContain(
      'Offline(1) [Cluster fleet-default/downstream2: agent last seen 2026-11-21T11:50:00Z]',
    );
    expect(statusOf(out, 'Cluster', 'downstream1')).toMatchObject({ summary: { ready: 1 } });
  });

  it('takes the git job of a GitRepo from its Job', () => {
    const job = file(
      'job.yaml',
      [
        'apiVersion: batch/v1',
        'kind: Job',
        'metadata:',
        '  name: shop-7f3e',
        '  namespace: fleet-default',
        '  ownerReferences: [{apiVersion: fleet.cattle.io/v1alpha1, kind: GitRepo, name: shop, uid: u}]',
        'status:',
        '  conditions: [{type: Failed, status: "True", reason: BackoffLimitExceeded}]',
        '  failed: 3',
      ].join('\n'),
    );
    const status = statusOf(evaluate('-f', job).out, 'GitRepo', 'shop');
    expect(status['gitJobStatus']).toBe('Failed');
    expect(readyOf(status)).toMatchObject({ status: 'False', message: 'Job Failed. failed: 3/1' });
  });

  it('reads its own output to the same bytes', () => {
    const again = starfold(['eval', '-f', '-', ...NOW, '-o', 'json'], OBSERVED.out);
    expect(again).toEqual({ code: 0, err: '', out: OBSERVED.out });
  });

  it.each([
    {
      what: 'a downstream object that no BundleDeployment has',
      wec: () =>
        `fleet-default/downstream1=${file('stray.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stray, namespace: shop}\n')}`,
      notice: `ConfigMap shop/stray: ${notListed('fleet-default/downstream1')}`,
    },
    {
      what: 'a downstream cluster that has no BundleDeployment',
      wec: () => `fleet-default/downstream9=${join(EXAMPLES, 'downstream1.yaml')}`,
      notice: noDeployment('fleet-default/downstream9'),
    },
  ])('reports $what', ({ wec, notice }) => {
    const { code, err } = evaluate('--wec', wec());
    expect(code).toBe(0);
    expect(err).toContain(notice);
  });

  it.each([
    {
      what: 'a different version of the API',
      text: 'apiVersion: fleet.cattle.io/v1\nkind: Bundle\nmetadata: {name: x, namespace: yy}\n',
      message: `Bundle yy/x: ${wrongVersion('fleet.cattle.io/v1', 'fleet.cattle.io/v1alpha1')}`,
    },
    {
      what: 'a deploymentID that is not a string',
      text: 'apiVersion: fleet.cattle.io/v1alpha1\nkind: BundleDeployment\nmetadata: {name: x, namespace: yy}\nspec: {deploymentID: 1234567}\n',
      message: `BundleDeployment yy/x: spec.deploymentID ${FLEET_FAULTS.string}`,
    },
    {
      what: 'a condition with a status that is not a string',
      text: 'apiVersion: fleet.cattle.io/v1alpha1\nkind: Bundle\nmetadata: {name: x, namespace: yy}\nstatus: {conditions: [{type: Ready, status: False}]}\n',
      message: `Bundle yy/x: status.conditions[0].status ${FLEET_FAULTS.conditionStatus}`,
    },
    {
      what: 'a lastSeen that is no time',
      text: 'apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster\nmetadata: {name: x, namespace: yy}\nstatus: {agent: {lastSeen: 2026-11-21 11:50:00}}\n',
      message: `Cluster yy/x: status.agent.lastSeen ${FLEET_FAULTS.time}`,
    },
    {
      what: 'labels that are not strings',
      text: 'apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster\nmetadata: {name: x, namespace: yy, labels: {env: 1}}\n',
      message: `Cluster yy/x: metadata.labels.env ${FLEET_FAULTS.string}`,
    },
    {
      what: 'resources that are not objects',
      text: 'apiVersion: fleet.cattle.io/v1alpha1\nkind: BundleDeployment\nmetadata: {name: x, namespace: yy}\nstatus: {resources: [3]}\n',
      message: `BundleDeployment yy/x: status.resources[0] ${FLEET_FAULTS.object}`,
    },
    {
      what: 'an object without a namespace',
      text: 'apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster\nmetadata: {name: x}\n',
      message: `Cluster x: ${NO_FLEET_NAMESPACE}`,
    },
  ])('rejects $what', ({ text, message }) => {
    const { code, out, err } = starfold(['eval', '-f', '-'], text);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
  });
});

describe('starfold eval of a part of a fleet', () => {
  const object = (kind: string, spec = ''): string =>
    `apiVersion: fleet.cattle.io/v1alpha1\nkind: ${kind}\nmetadata: {name: x, namespace: yy}\n${spec}`;

  it.each([
    ['Bundle', '', nothingBelow('Bundle')],
    ['GitRepo', 'spec: {repo: https://git.example.com/x}\n', nothingBelow('GitRepo')],
    ['HelmOp', '', nothingBelow('HelmOp')],
    ['ClusterGroup', '', nothingBelow('ClusterGroup')],
    ['GitRepo', 'spec: {repos: x}\n', STATUS_KEPT],
  ])('reports what is missing for a %s alone (%s)', (kind, spec, notice) => {
    const { code, err } = starfold(['eval', '-f', '-'], object(kind, spec));
    expect(code).toBe(0);
    expect(err).toContain(`${kind} yy/x: ${notice}`);
  });

  it.each([
    [
      'Bundle',
      'spec: {targets: [{clusterNmae: a}]}\n',
      `spec.targets[0].clusterNmae: ${misspeltField('clusterName')}`,
    ],
    [
      'BundleDeployment',
      'spec: {deploymentId: a}\n',
      `spec.deploymentId: ${misspeltField('deploymentID')}`,
    ],
  ])('reports which field of a %s is misspelt (%s)', (kind, spec, notice) => {
    const { code, err } = starfold(['eval', '-f', '-'], object(kind, spec));
    expect(code).toBe(0);
    expect(err).toContain(`${documentIn(STANDARD_INPUT, 1)}, ${kind} yy/x: ${notice}`);
  });

  it('reports the error of the selector of a ClusterGroup, not that it selects no Cluster', () => {
    const spec =
      'spec: {selector: {matchExpressions: [{key: env, operator: Inn, values: [prod]}]}}\n';
    const { code, err, out } = starfold(
      ['eval', '-f', '-', '-o', 'json'],
      object('ClusterGroup', spec),
    );
    expect(code).toBe(0);
    const { message } = readyOf(statusOf(out, 'ClusterGroup', 'x')) ?? {};
    expect(message).toContain('spec.selector.matchExpressions[0].operator');
    expect(err).toContain(`ClusterGroup yy/x: ${message}`);
    expect(err).not.toContain(nothingBelow('ClusterGroup'));
  });

  it('treats an empty file as a mistake, and an empty List as an empty cluster', () => {
    const empty = evaluate('--wec', `fleet-default/downstream1=${file('empty.yaml', '')}`);
    expect(empty).toMatchObject({ code: 1, out: '' });
    expect(empty.err).toContain(emptyCluster('fleet-default/downstream1'));
    const list = file('list.yaml', 'apiVersion: v1\nkind: List\nitems: []\n');
    const { out } = evaluate('--wec', `fleet-default/downstream1=${list}`);
    expect(statusOf(out, 'Cluster', 'downstream1')).toMatchObject({ summary: { modified: 1 } });
  });

  it('reports nothing about the objects of a paused BundleDeployment, whose status is kept', () => {
    const paused = stringifyJson({
      ...{ kind: 'List', apiVersion: 'v1' },
      items: items(PLAIN.out).map((one) =>
        one['kind'] === 'BundleDeployment'
          ? { ...one, spec: { ...(one['spec'] as JsonObject), paused: true } }
          : one,
      ),
    });
    const { err, out } = starfold(
      ['eval', '-f', '-', '--wec', DOWNSTREAM, ...NOW, '-o', 'json'],
      paused,
    );
    expect(err).toBe('');
    expect(statusOf(out, 'Cluster', 'downstream1')).toMatchObject({ summary: { ready: 1 } });
  });

  it('belongs to the first of two Clusters that claim a namespace, in any order', () => {
    const clusters = ['a', 'b'].map((name) => ({
      ...{ apiVersion: 'fleet.cattle.io/v1alpha1', kind: 'Cluster' },
      metadata: { name, namespace: 'fleet-default' },
      status: { namespace: 'shared', agent: { lastSeen: '2026-11-21T11:55:00Z' } },
    }));
    const deployment = {
      ...{ apiVersion: 'fleet.cattle.io/v1alpha1', kind: 'BundleDeployment' },
      metadata: { name: 'shop', namespace: 'shared' },
    };
    const given = (all: readonly object[]): string =>
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [...all, deployment] });
    const wec = ['--wec', DOWNSTREAM.replace('downstream1=', 'b=')];
    const [once, again] = [clusters, clusters.toReversed()].map((all) =>
      starfold(['eval', '-f', '-', ...wec, ...NOW], given(all)),
    );
    expect(again?.out).toBe(once?.out);
    expect(once?.err).toContain(noDeployment('fleet-default/b'));
  });
});

describe('starfold health --assess fleet', () => {
  it("gives Fleet's own summary, in which a Deployment on its way is transitioning", () => {
    const { code, out } = starfold([
      'health',
      '-f',
      join(EXAMPLES, 'downstream1.yaml'),
      '--assess',
      'fleet',
      '-o',
      'json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual([
      {
        object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
        health: {
          state: 'updating',
          error: false,
          transitioning: true,
          message: ['Deployment does not have minimum availability.', 'Available: 2/3'],
        },
        wecs: [],
        decidedBy: [],
      },
    ]);
  });

  it('shows state and flags in a table', () => {
    const { out } = starfold([
      'health',
      '-f',
      join(EXAMPLES, 'downstream1.yaml'),
      '--assess',
      'fleet',
      '-o',
      'table',
    ]);
    expect(out).toMatch(
      /Deployment shop\/web +│ +│ updating +│ transitioning +│ Deployment does not/,
    );
  });

  it("judges Fleet's own objects with the status that Starfold writes", () => {
    const { out } = starfold(['health', '-f', UPSTREAM, '--assess', 'fleet', ...NOW, '-o', 'json']);
    const results = JSON.parse(out) as readonly JsonObject[];
    const gitRepo = results.find((one) => at(one, 'object', 'kind') === 'GitRepo');
    expect(gitRepo).toMatchObject({ health: { state: 'waitapplied' }, wecs: [], decidedBy: [] });
    expect(results).toHaveLength(8);
  });

  it('names the WECs whose objects are in error, and what an absent one is', () => {
    const deployment = (message: string, status: string): string =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, generation: 1, uid: u}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, conditions: [{type: Available, status: "True"}, {type: Progressing, status: "${status}", message: "${message}"}]}\n`;
    const wds = file(
      'wds.yaml',
      `${deployment('', 'True')}---\napiVersion: control.kubestellar.io/v1alpha1\nkind: Binding\nmetadata: {name: b, uid: b}\nspec:\n  destinations: [{clusterId: w1}, {clusterId: w2}, {clusterId: w3}]\n  workload:\n    namespaceScope:\n      - {group: apps, version: v1, resource: deployments, namespace: shop, name: web, wantMultiWECReportedState: true}\n`,
    );
    const wec = (name: string, text: string): readonly string[] => [
      '--wec',
      `${name}=${file('wec.yaml', text)}`,
    ];
    const { out } = starfold([
      ...['health', '-f', wds, '--assess', 'fleet', '-o', 'json'],
      ...wec('w1', deployment('', 'True')),
      ...wec('w2', deployment('quota', 'False')),
    ]);
    const [result] = JSON.parse(out) as readonly JsonObject[];
    expect(at(result, 'wecs')).toMatchObject([
      { name: 'w1', health: { error: false, transitioning: false } },
      { name: 'w2', health: { error: true } },
      { name: 'w3', health: { state: 'missing', error: true } },
    ]);
    expect(at(result, 'decidedBy')).toEqual(['w2']);
  });
});
