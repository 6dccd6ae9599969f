import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentIn, STANDARD_INPUT } from '#local/cli/input/document-messages.ts';
import {
  aboutObject,
  emptyReport,
  missingObject,
  NO_UID,
  noReport,
  notSent,
  reportedTwice,
  STRAY,
  UNUSED_KIND,
} from '#local/cli/input/messages.ts';
import { severalOrigins } from '#local/cli/input/report-messages.ts';
import { invalidCollectors } from '#shared/core/binding/messages.ts';
import { namesText } from '#shared/core/fold/named-wecs.ts';
import { at } from '#shared/core/json.ts';
import { ALL, file, find, fixture, items, starfold } from '#test/unit/local/cli/command.ts';

const COMBINED = '6c0c5d0e-6a3a-4c9e-9d51-0d8d5b1f7a01.0b7a3c55-0f0e-4f5e-8f7e-5a8a4c1d2b0f';

describe('starfold eval, of a WDS and two WECs', () => {
  const run = starfold(['eval', ...ALL, '-o', 'json']);

  it('exits with 0 and says nothing besides', () => {
    expect(run).toMatchObject({ code: 0, err: '' });
  });

  it('prints every object that Starfold owns something of, by group, kind, namespace and name', () => {
    const names = items(run.out).map((one) => `${one['kind']} ${at(one, 'metadata', 'name')}`);
    expect(names).toEqual([
      'Namespace shop',
      'Service web',
      'Deployment web',
      'Binding shop',
      'BindingPolicy shop',
      `CombinedStatus ${COMBINED}`,
      'StatusCollector broken',
      'StatusCollector totals',
    ]);
  });

  it('aggregates the status and labels the object, and keeps everything else as given', () => {
    const web = find(run.out, 'Deployment', 'web');
    expect(web).toMatchObject({
      metadata: {
        resourceVersion: '811',
        labels: { 'managed-by.kubestellar.io/multiwecstatus': 'true' },
        managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
      },
      status: { observedGeneration: 2, readyReplicas: 1, updatedReplicas: 3 },
    });
  });

  it('clears the status that Starfold wrote if no Binding asks for it anymore', () => {
    expect(find(run.out, 'Service', 'web')).toMatchObject({
      metadata: { labels: { app: 'web' } },
      status: {},
    });
    expect(at(find(run.out, 'Service', 'web'), 'metadata', 'labels')).toEqual({ app: 'web' });
  });

  it('leaves a Namespace untouched', () => {
    expect(find(run.out, 'Namespace', 'shop')).toMatchObject({ status: { phase: 'Active' } });
  });

  it('names the CombinedStatus after the policy, repairs its labels and keeps its annotations', () => {
    expect(find(run.out, 'CombinedStatus', COMBINED)).toEqual({
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'CombinedStatus',
      metadata: {
        name: COMBINED,
        namespace: 'shop',
        annotations: { team: 'shop' },
        labels: {
          'status.kubestellar.io/api-group': 'apps',
          'status.kubestellar.io/binding-policy': 'shop',
          'status.kubestellar.io/name': 'web',
          'status.kubestellar.io/namespace': 'shop',
          'status.kubestellar.io/resource': 'deployments',
        },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'web',
            uid: '6c0c5d0e-6a3a-4c9e-9d51-0d8d5b1f7a01',
          },
        ],
      },
      results: [
        {
          name: 'totals',
          columnNames: ['wecs', 'ready'],
          rows: [
            {
              columns: [
                { type: 'Number', float: '2' },
                { type: 'Number', float: '4' },
              ],
            },
          ],
        },
      ],
    });
  });

  it('reports in the Binding which collector is invalid, at --now, and keeps other errors', () => {
    expect(at(find(run.out, 'Binding', 'shop'), 'status')).toEqual({
      observedGeneration: 4,
      conditions: [
        {
          type: 'StatusCollectorsAvailable',
          status: 'False',
          lastTransitionTime: '2026-11-21T12:00:00Z',
          reason: 'ReconcileError',
          message: invalidCollectors('broken'),
        },
        {
          type: 'WECsReporting',
          status: 'True',
          lastTransitionTime: '2026-11-21T12:00:00Z',
          reason: 'AllReporting',
          message: '2 WECs reporting',
          observedGeneration: 4,
        },
      ],
      errors: ['transport: template of ConfigMap shop/settings'],
    });
    expect(find(run.out, 'BindingPolicy', 'shop')).toMatchObject({
      status: { observedGeneration: 1, conditions: [{ status: 'False' }, { status: 'True' }] },
    });
  });

  it('gives an invalid StatusCollector its errors, and a valid one only its generation', () => {
    expect(find(run.out, 'StatusCollector', 'broken')).toMatchObject({
      status: {
        observedGeneration: 6,
        errors: [expect.stringContaining('spec.select[0].def, line 1, column')],
      },
    });
    expect(at(find(run.out, 'StatusCollector', 'totals'), 'status')).toEqual({
      observedGeneration: 1,
    });
  });

  it('evaluates its own output to the same bytes', () => {
    const again = starfold(['eval', '-f', '-', ...ALL.slice(2), '-o', 'json'], run.out);
    expect(again).toEqual(run);
  });

  it('prints the same in YAML', () => {
    const yaml = starfold(['eval', ...ALL, '-o', 'yaml']);
    expect(starfold(['eval', '-f', '-', ...ALL.slice(2), '-o', 'json'], yaml.out)).toEqual(run);
  });
});

describe('starfold eval, reports of WECs', () => {
  const statusOf = (...args: string[]) => {
    const { out } = starfold(['eval', '-f', fixture('wds.yaml'), '-o', 'json', ...args]);
    return at(find(out, 'Deployment', 'web'), 'status');
  };

  it('uses WorkStatuses of every WDS without --wds, and notifies the user', () => {
    const run = starfold(['eval', '-f', fixture('wds.yaml'), '-f', fixture('workstatuses.yaml')]);
    expect(run.err).toContain(severalOrigins(['wds1', 'wds2']));
    expect(statusOf('-f', fixture('workstatuses.yaml'))).toMatchObject({
      observedGeneration: 2,
      readyReplicas: 2,
    });
  });

  it('leaves out a WorkStatus whose label names a different WDS than --wds', () => {
    const status = statusOf('-f', fixture('workstatuses.yaml'), '--wds', 'wds1');
    expect(status).not.toHaveProperty('readyReplicas');
    expect(status).toMatchObject({ observedGeneration: 1 });
  });

  it("prefers a WEC's own object to a WorkStatus of it, and notifies the user", () => {
    const args = ['-f', fixture('workstatuses.yaml'), '--wec', `wec2=${fixture('wec2.yaml')}`];
    expect(statusOf(...args)).toMatchObject({ readyReplicas: 1 });
    const { err } = starfold(['eval', '-f', fixture('wds.yaml'), ...args, '--wds', 'wds2']);
    expect(err).toContain(reportedTwice('wec2', documentIn(fixture('wec2.yaml'), 1)));
  });

  it('prefers the newer of two WorkStatuses, regardless of the zones of their times', () => {
    const workStatus = (name: string, time: string): string =>
      `apiVersion: control.kubestellar.io/v1alpha1
kind: WorkStatus
metadata:
  name: ${name}
  namespace: wec1
  managedFields: [{time: "${time}", fieldsV1: {"f:status": {}}}]
spec: {sourceRef: {group: apps, resource: deployments, namespace: shop, name: web}}
status: {readyReplicas: 1}
`;
    const both = [
      workStatus('old', '2026-11-21T10:30:00+05:00'),
      workStatus('new', '2026-11-21T09:00:00Z'),
    ];
    const { err } = starfold(['eval', '-f', fixture('wds.yaml'), '-f', '-'], both.join('---\n'));
    expect(err).toContain(
      aboutObject(
        { location: documentIn(STANDARD_INPUT, 1), title: 'WorkStatus wec1/old' },
        reportedTwice('wec1', documentIn(STANDARD_INPUT, 2)),
      ),
    );
  });

  it('accepts several files for one WEC', () => {
    const other = file(
      'config.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n',
    );
    const { code, err } = starfold(['eval', ...ALL, '--wec', `wec1=${other}`]);
    expect(code).toBe(0);
    expect(err).toContain(`ConfigMap shop/c: ${notSent('wec1')}`);
  });

  it('counts a WEC without a given report as one that has not reported', () => {
    const { code, out, err } = starfold(['eval', '-f', fixture('wds.yaml'), '-o', 'json']);
    expect(code).toBe(0);
    expect(err).toBe(`starfold: ${noReport('wec1, wec2')}\n`);
    expect(find(out, 'Deployment', 'web')).not.toHaveProperty('status');
  });

  it.each([
    ['', 'an empty file'],
    ['{apiVersion: v1, kind: List, items: []}', 'an empty List'],
  ])('names a destination with %j: %s', (text) => {
    const empty = file('empty.yaml', text);
    const wec2 = `wec2=${fixture('wec2.yaml')}`;
    const wecs = ['--wec', `wec1=${empty}`, '--wec', wec2];
    const { code, err } = starfold(['eval', '-f', fixture('wds.yaml'), ...wecs]);
    expect({ code, err }).toEqual({
      code: 0,
      err: `starfold: ${emptyReport('wec1', empty)}\n`,
    });
  });

  it('names ten destinations without a file, and counts the others', () => {
    const names = Array.from({ length: 12 }, (_, n) => `c${n + 10}`);
    const destinations = names.map((name) => `{clusterId: ${name}}`);
    const object = '{version: v1, resource: configmaps, namespace: shop, name: a, group: ""}';
    const binding = file(
      'many.yaml',
      `{apiVersion: control.kubestellar.io/v1alpha1, kind: Binding, metadata: {name: b, uid: b}, spec: {destinations: [${destinations}], workload: {namespaceScope: [${object}]}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}`,
    );
    expect(starfold(['eval', '-f', binding]).err).toBe(
      `starfold: ${noReport(namesText(names.slice(0, 10), 12))}\n`,
    );
  });
});

describe('starfold eval, input', () => {
  it('reads a folder with its folders, but only files of YAML and JSON', () => {
    const folder = mkdtempSync(join(tmpdir(), 'starfold-cli-'));
    mkdirSync(join(folder, 'inner'));
    copyFileSync(fixture('wds.yaml'), join(folder, 'inner', 'wds.yml'));
    writeFileSync(join(folder, 'notes.txt'), 'no: [object');
    const args = ALL.slice(2);
    expect(starfold(['eval', '-f', folder, ...args])).toEqual(starfold(['eval', ...ALL]));
  });

  it('reads standard input', () => {
    const wds = readFileSync(fixture('wds.yaml'), 'utf8');
    const args = ALL.slice(2);
    expect(starfold(['eval', '-f', '-', ...args], wds)).toEqual(starfold(['eval', ...ALL]));
  });

  it('takes the resource name of a kind from its CustomResourceDefinition', () => {
    const given = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: mice.example.com}
spec: {group: example.com, names: {kind: Mouse, plural: mice}}
---
apiVersion: example.com/v1
kind: Mouse
metadata: {name: m, namespace: ns, uid: u1}
---
apiVersion: control.kubestellar.io/v1alpha1
kind: Binding
metadata: {name: b, uid: u2}
spec:
  destinations: [{clusterId: w}]
  workload:
    namespaceScope:
      - {group: example.com, version: v1, resource: mice, namespace: ns, name: m, wantSingletonReportedState: true}
`;
    const mouse = `
apiVersion: example.com/v1
kind: Mouse
metadata: {name: m, namespace: ns}
status: {cheese: 9007199254740993, weight: 3.0, big: 1.5}
`;
    const args = ['eval', '-f', '-', '--wec', `w=${file('w.yaml', mouse)}`];
    const json = starfold([...args, '-o', 'json'], given);
    expect(json).toMatchObject({ code: 0, err: '' });
    expect(json.out).toContain('"cheese": 9007199254740993');
    expect(json.out).toContain('"weight": 3.0');
    const yaml = starfold(args, given).out;
    expect(yaml).toContain('  cheese: 9007199254740993\n');
    expect(yaml).toContain('  weight: 3.0\n');
  });

  it('names CombinedStatuses by a stand-in if objects have no UID, one for each object, and notifies the user', () => {
    const given = readFileSync(fixture('wds.yaml'), 'utf8').replaceAll(/^ {2}uid: .*\n/gm, '');
    const { code, out, err } = starfold(['eval', '-f', '-', '-o', 'json'], given);
    expect(code).toBe(0);
    expect(err).toContain(`Deployment shop/web: ${NO_UID}`);
    expect(err).toContain(`Binding shop: ${NO_UID}`);
    const name = items(out).find((one) => one['kind'] === 'CombinedStatus');
    expect(at(name, 'metadata', 'name')).toMatch(/^[0-9a-f-]{36}\.[0-9a-f-]{36}$/);
    expect(at(find(out, 'Deployment', 'web'), 'metadata', 'uid')).toBeUndefined();
  });

  it('prints an empty List for a List without items', () => {
    const run = starfold(
      ['eval', '-f', '-', '-o', 'json'],
      '{"apiVersion":"v1","kind":"List","items":[]}',
    );
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(items(run.out)).toEqual([]);
  });

  it('adds the fields that the items of a list of one kind omit', () => {
    const list =
      'apiVersion: apps/v1\nkind: DeploymentList\nitems: [{metadata: {name: a, namespace: b}}]\n';
    const { out } = starfold(['eval', '-f', '-', '-o', 'json'], list);
    expect(find(out, 'Deployment', 'a')).toMatchObject({ apiVersion: 'apps/v1' });
  });
});

describe('starfold eval, what has no effect', () => {
  const binding = `
apiVersion: control.kubestellar.io/v1alpha1
kind: Binding
metadata: {name: b, uid: u}
spec:
  destinations: [{clusterId: w}]
  workload: {clusterScope: [{group: rbac.authorization.k8s.io, version: v1, resource: clusterroles, name: r}]}
`;
  const restriction =
    'apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepoRestriction\nmetadata: {name: x, namespace: ys}\n';
  const foreign =
    'apiVersion: control.kubestellar.io/v1alpha1\nkind: CombinedStatus\nmetadata: {name: x, namespace: ys}\nresults: []\n';
  const transform =
    'apiVersion: control.kubestellar.io/v1alpha1\nkind: CustomTransform\nmetadata: {name: t}\n';

  it.each([
    {
      what: 'an object that a Binding names and that is not given',
      text: binding,
      notice: `Binding b: ${missingObject('clusterroles.rbac.authorization.k8s.io r')}`,
      printed: 1,
    },
    {
      what: "one of Fleet's objects without a status of its own",
      text: restriction,
      notice: `GitRepoRestriction ys/x: ${UNUSED_KIND}`,
      printed: 0,
    },
    {
      what: 'a CombinedStatus that belongs to no object',
      text: foreign,
      notice: `CombinedStatus ys/x: ${STRAY}`,
      printed: 0,
    },
    {
      what: 'a CustomTransform',
      text: transform,
      notice: `CustomTransform t: ${UNUSED_KIND}`,
      printed: 0,
    },
  ])('reports $what', ({ text, notice, printed }) => {
    const { code, out, err } = starfold(['eval', '-f', '-', '-o', 'json'], text);
    expect(code).toBe(0);
    expect(err).toContain(`${documentIn(STANDARD_INPUT, 1)}, ${notice}`);
    expect(items(out)).toHaveLength(printed);
  });
});

describe('starfold eval, of statuses that are too large', () => {
  const wds = `
apiVersion: example.org/v1
kind: Thing
metadata: {name: t, namespace: shop, uid: u}
---
apiVersion: control.kubestellar.io/v1alpha1
kind: Binding
metadata: {name: b, uid: v}
spec:
  destinations: [{clusterId: w}]
  workload:
    namespaceScope:
      - {group: example.org, version: v1, resource: things, namespace: shop, name: t, wantSingletonReportedState: true}
`;
  const told = (characters: number): string =>
    file(
      'wec.json',
      JSON.stringify({
        apiVersion: 'example.org/v1',
        kind: 'Thing',
        metadata: { name: 't', namespace: 'shop' },
        status: { text: 'x'.repeat(characters) },
      }),
    );

  it.each([
    [
      'the one that would be written',
      1_000_000,
      /its status takes more than 983040 bytes as JSON, .* \(it is 1000011 bytes\)/,
    ],
    [
      'one that a WEC returns and that is little too large',
      1_200_000,
      /WEC w returned 1200011 bytes, too large to keep: .* \(each at most 1 MiB of JSON/,
    ],
    [
      'one that a WEC returns',
      2_000_000,
      /WEC w returned 2\d{6} bytes, too large to keep: .* \(each at most 1 MiB of JSON/,
    ],
  ])('reports %s on standard error, and in the Binding', (_what, characters, text) => {
    const wec = `w=${told(characters)}`;
    const { code, out, err } = starfold(['eval', '-f', '-', '-o', 'json', '--wec', wec], wds);
    expect(code).toBe(0);
    const lines = err.split('\n').filter((line) => text.test(line));
    expect(lines).toEqual([
      expect.stringContaining(`${documentIn(STANDARD_INPUT, 1)}, things.example.org shop/t: `),
    ]);
    const errors = at(find(out, 'Binding', 'b'), 'status', 'errors');
    expect(errors).toEqual([expect.stringMatching(text)]);
    expect(find(out, 'Thing', 't')).not.toHaveProperty('status.text');
  });
});
