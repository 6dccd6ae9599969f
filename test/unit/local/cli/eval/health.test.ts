import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { silentSince } from '#local/cli/eval/health-messages.ts';
import { noDeployment, nothingBelow } from '#local/cli/input/fleet-messages.ts';
import { judgedAsGiven } from '#local/cli/input/messages.ts';
import { isArray, parseJson } from '#shared/core/json.ts';
import { NOT_REPORTED, OBJECT_MISSING } from '#shared/core/status-api/messages.ts';
import { ALL, file, fixture, starfold } from '#test/unit/local/cli/command.ts';

const FAILED = 'Deployment "web" exceeded its progress deadline';
const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.demo.example.com }
spec: { group: demo.example.com, names: { kind: Widget, plural: widgets } }
status: { conditions: [{ type: Established, status: "True" }] }
`;
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: gpu, namespace: shop, creationTimestamp: "2026-11-21T11:59:50Z" }
status:
  phase: Pending
  conditions: [{ type: PodScheduled, status: "False", reason: Unschedulable }]
`;

function health(...args: string[]) {
  const { code, out, err } = starfold(['health', '-o', 'json', ...args]);
  const results = parseJson(out);
  const list = isArray(results) ? results : [];
  return {
    code,
    err,
    results,
    web: list.find((one) => JSON.stringify(one).includes('Deployment')),
  };
}

describe('starfold health', () => {
  it('judges each object as given if no WEC reports anything', () => {
    const { code, err, results } = health('-f', fixture('wec2.yaml'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(results).toEqual([
      { object: WEB, health: { status: 'Degraded', message: FAILED }, wecs: [], decidedBy: [] },
    ]);
  });

  it('names the destinations of the objects that it judges as given', () => {
    const { code, err, web } = health('-f', fixture('wds.yaml'));
    expect(code).toBe(0);
    expect(err).toContain(judgedAsGiven('wec1, wec2'));
    expect(web).toMatchObject({ object: WEB, wecs: [] });
  });

  it('judges the aggregate and every WEC, and names the WEC that decides', () => {
    expect(health(...ALL).web).toEqual({
      object: WEB,
      health: { status: 'Degraded', message: FAILED },
      wecs: [
        { name: 'wec1', health: { status: 'Healthy', message: '' } },
        { name: 'wec2', health: { status: 'Degraded', message: FAILED } },
      ],
      decidedBy: ['wec2'],
    });
  });

  it('calls an object Missing if its WEC has returned nothing, which then decides', () => {
    const { web } = health('-f', fixture('wds.yaml'), '--wec', `wec1=${fixture('wec1.yaml')}`);
    expect(web).toMatchObject({
      health: { status: 'Progressing' },
      wecs: [
        { name: 'wec1', health: { status: 'Healthy' } },
        { name: 'wec2', health: { status: 'Missing' } },
      ],
      decidedBy: ['wec2'],
    });
  });

  it('judges a WorkStatus on the object of the WDS', () => {
    const { web } = health('-f', fixture('wds.yaml'), '-f', fixture('workstatuses.yaml'));
    expect(web).toMatchObject({
      health: { status: 'Progressing' },
      wecs: [
        { name: 'wec1', health: { status: 'Healthy' } },
        { name: 'wec2', health: { status: 'Progressing' } },
      ],
      decidedBy: ['wec2'],
    });
  });

  it('is null for a kind without a rule', () => {
    const { results } = health(...ALL);
    expect(results).toContainEqual({
      object: { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop' },
      health: null,
      wecs: [],
      decidedBy: [],
    });
  });

  it.each(['2.14', '3'])('takes the rules of Argo CD %s', (version) => {
    expect(health(...ALL, '--argocd-version', version, '--assess', 'argocd').web).toMatchObject({
      health: { status: 'Degraded' },
    });
  });

  it.each([
    ['2.14', null],
    ['3', { status: 'Healthy', message: 'CRD is healthy' }],
  ])('judges a kind that Argo CD has learnt later by the version: %s', (version, verdict) => {
    const definition = file('crd.yaml', CRD);
    expect(health('-f', definition, '--argocd-version', version).results).toMatchObject([
      { health: verdict },
    ]);
  });

  it('prints YAML if the output is not a terminal, and a table on request, without colors', () => {
    expect(starfold(['health', ...ALL]).out).toContain('- decidedBy:\n    - wec2\n');
    const { out } = starfold(['health', ...ALL, '-o', 'table']);
    expect(out).toMatch(/wec2 \* +│ Degraded +│ Deployment "web" exceeded its progress deadline/);
    expect(out).not.toContain('\u001b');
  });
});

describe('starfold health, of Fleet', () => {
  const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, generation: 1, uid: u}
spec: {replicas: 1}
status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1}
---
apiVersion: control.kubestellar.io/v1alpha1
kind: Binding
metadata: {name: b, uid: b}
spec:
  destinations: [{clusterId: w1}]
  workload:
    namespaceScope:
      - {group: apps, version: v1, resource: deployments, namespace: shop, name: web, wantMultiWECReportedState: true}
---
apiVersion: fleet.cattle.io/v1alpha1
kind: Cluster
metadata: {name: c1, namespace: ns}
`;
  const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n';
  const given = (): readonly string[] => ['-f', file('wds.yaml', deployment)];
  const downstream = (): readonly string[] => ['--wec', `ns/c1=${file('cm.yaml', configMap)}`];
  const alone = { object: WEB, health: { status: 'Healthy', message: '' }, wecs: [] };

  it('does not count the objects of a cluster of Fleet as a report of a WEC', () => {
    expect(health(...given()).web).toMatchObject(alone);
    const { code, err, web } = health(...given(), ...downstream());
    expect(code).toBe(0);
    expect(web).toMatchObject(alone);
    expect(err).toContain(noDeployment('ns/c1'));
  });

  it('counts an empty List as the report of a WEC beside that of a cluster', () => {
    const empty = file('empty.yaml', 'apiVersion: v1\nkind: List\nitems: []\n');
    const { web } = health(...given(), ...downstream(), '--wec', `w1=${empty}`);
    expect(web).toMatchObject({ wecs: [{ name: 'w1', health: { status: 'Missing' } }] });
  });

  it('shows the notices of computed statuses, as eval does, and none of Bindings', () => {
    const gitRepo =
      'apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata: {name: x, namespace: ys}\nspec: {repo: r}\n';
    const both = file('both.yaml', `${gitRepo}---\n${configMap}`);
    const { err } = health('-f', both, '--assess', 'fleet');
    expect(err).toContain(`GitRepo ys/x: ${nothingBelow('GitRepo')}`);
    expect(starfold(['eval', '-f', both]).err).toBe(err);
    const unsent = file('unsent.yaml', deployment.replace('name: web, w', 'name: gone, w'));
    expect(health('-f', unsent)).toMatchObject({ code: 0, err: '' });
  });
});

const LATE = {
  status: 'Failed',
  message: 'Progress deadline exceeded',
  conditions: [
    {
      type: 'Stalled',
      status: 'True',
      reason: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "web-6d4cf56db6" has timed out progressing.',
    },
  ],
};

describe('starfold health --assess kstatus', () => {
  const KSTATUS = ['--assess', 'kstatus'] as const;

  it('judges the aggregate and every WEC, with conditions, and names the WEC that decides', () => {
    const available = {
      status: 'Current',
      message: 'Deployment is available. Replicas: 3',
      conditions: [],
    };
    expect(health(...ALL, ...KSTATUS).web).toEqual({
      object: WEB,
      health: LATE,
      wecs: [
        { name: 'wec1', health: available },
        { name: 'wec2', health: LATE },
      ],
      decidedBy: ['wec2'],
    });
  });

  it.each(['argocd', 'kstatus', 'fleet'])(
    'by %s distinguishes a WEC that has not reported from one without the object, and missing objects decide',
    (assessor) => {
      const other = file(
        'other.yaml',
        '{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}',
      );
      const wec1 = ['--wec', `wec1=${other}`];
      const { web } = health('-f', fixture('wds.yaml'), ...wec1, '--assess', assessor);
      const messages = [OBJECT_MISSING, NOT_REPORTED];
      expect(web).toMatchObject({
        wecs: messages.map((text, index) => ({
          name: `wec${index + 1}`,
          health: { message: assessor === 'fleet' ? [text] : text },
        })),
        decidedBy: ['wec1', 'wec2'],
      });
    },
  );

  it('does not find an object if its WEC has returned nothing, which then decides', () => {
    const wec1 = `wec1=${fixture('wec1.yaml')}`;
    const { web } = health('-f', fixture('wds.yaml'), '--wec', wec1, ...KSTATUS);
    expect(web).toMatchObject({
      health: { status: 'InProgress' },
      wecs: [
        { name: 'wec1', health: { status: 'Current' } },
        {
          name: 'wec2',
          health: { status: 'NotFound', message: NOT_REPORTED, conditions: [] },
        },
      ],
      decidedBy: ['wec2'],
    });
  });

  describe('of a WEC that is silent', () => {
    const SINCE = '2026-11-21T11:50:00Z';
    const both = ALL.slice(2);
    /** The WDS, in which wec1 is not available any more, and with another annotation of the Deployment. */
    const wds = (annotations = '{}', time = SINCE) => {
      const condition = `{ type: ManagedClusterConditionAvailable, status: Unknown, lastTransitionTime: "${time}" }`;
      const text = readFileSync(fixture('wds.yaml'), 'utf8')
        .replace(
          'labels: { location: edge }\n',
          `labels: { location: edge }\nstatus: { conditions: [${condition}] }\n`,
        )
        .replace('  generation: 2\n', `  generation: 2\n  annotations: ${annotations}\n`);
      return ['-f', file('wds.yaml', text), ...both];
    };
    const healthy = { status: 'Healthy', message: '' };
    /** The cells of the row of a WEC. */
    const rowOf = (table: string, wec: string): readonly string[] => {
      const rows = table.split('\n').map((line) => line.split('│').map((cell) => cell.trim()));
      return rows.find((cells) => cells.includes(wec))?.filter((cell) => cell !== '') ?? [];
    };

    it('says since when, beside the verdict on its last report', () => {
      expect(health(...wds()).web).toMatchObject({
        wecs: [{ name: 'wec1', health: healthy, silentSince: SINCE }, { name: 'wec2' }],
        decidedBy: ['wec2'],
      });
      const { out } = starfold(['health', ...wds(), '-o', 'table']);
      expect(rowOf(out, 'wec1')).toEqual(['wec1', 'Healthy', silentSince(SINCE)]);
    });

    it('says so without a time if none is known', () => {
      const odd = wds('{}', 'yesterday');
      expect(health(...odd).web).toMatchObject({ wecs: [{ silentSince: '' }, {}] });
      const { out } = starfold(['health', ...odd, '-o', 'table']);
      expect(rowOf(out, 'wec1')).toEqual(['wec1', 'Healthy', silentSince('')]);
    });

    it('lets it decide if its report no longer counts, also by a time below the limit of its ManagedCluster', () => {
      const fine = [
        '--wec',
        `wec1=${fixture('wec1.yaml')}`,
        '--wec',
        `wec2=${fixture('wec1.yaml')}`,
      ];
      const late = wds('{ starfold.dev/silent-after: 3m }', '2026-11-21T11:56:00Z').slice(0, 2);
      const { web } = health(...late, ...fine, '--now', '2026-11-21T12:00:00Z');
      expect(web).toMatchObject({
        health: { status: 'Progressing' },
        wecs: [{ name: 'wec1', silentSince: '2026-11-21T11:56:00Z' }, { name: 'wec2' }],
        decidedBy: ['wec1'],
      });
    });
  });

  it('names no deciding WEC if Starfold writes no status', () => {
    const text = readFileSync(fixture('wds.yaml'), 'utf8').replaceAll(
      'wantMultiWECReportedState',
      'wantSingletonReportedState',
    );
    const both = ['--wec', `wec1=${fixture('wec1.yaml')}`, '--wec', `wec2=${fixture('wec2.yaml')}`];
    const { web } = health('-f', file('wds.yaml', text), ...both);
    expect(web).toMatchObject({ wecs: [{ name: 'wec1' }, { name: 'wec2' }], decidedBy: [] });
  });

  it('has a verdict on every kind', () => {
    expect(health(...ALL, ...KSTATUS).results).toContainEqual({
      object: { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop' },
      health: { status: 'Current', message: 'Resource is current', conditions: [] },
      wecs: [],
      decidedBy: [],
    });
  });

  it.each([
    ['InProgress', '2026-11-21T12:00:00Z'],
    ['Failed', '2026-11-21T12:01:00Z'],
  ])('calls a pod without a node %s when it is %s', (status, now) => {
    const { results } = health('-f', file('pod.yaml', POD), ...KSTATUS, '--now', now);
    expect(results).toMatchObject([{ health: { status } }]);
  });

  it('shows the reasons of conditions in a table', () => {
    const { out } = starfold(['health', ...ALL, ...KSTATUS, '-o', 'table']);
    expect(out).toMatch(/OBJECT +│ WEC +│ HEALTH +│ REASON +│ MESSAGE/);
    expect(out).toMatch(
      /wec2 \* +│ Failed +│ ProgressDeadlineExceeded +│ Progress deadline exceeded/,
    );
    expect(out).toMatch(/wec1 +│ Current +│ +│ Deployment is available/);
  });
});
