import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explanationText } from '#local/cli/explain/explanation-text.ts';
import { targetsReported, waitingTargets, worstState } from '#local/cli/explain/fleet-messages.ts';
import {
  asIfGone,
  decidedBy,
  fieldWithoutStatus,
  healthIs,
  NAMED_WECS,
  unknownField,
  unknownWec,
  wecsReported,
} from '#local/cli/explain/messages.ts';
import { printedExplanation } from '#local/cli/explain/print-explanation.ts';
import { notAName, notGiven, severalObjects } from '#local/cli/input/object-messages.ts';
import { columnsText } from '#local/cli/terminal/columns-text.ts';
import { SEE_HELP } from '#local/cli/terminal/option-messages.ts';
import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { at, parseJson } from '#shared/core/json.ts';
import { decisionReason, FLEET_LEFT } from '#shared/core/status-api/messages.ts';
import { ALL, file, fixture, starfold } from '#test/unit/local/cli/command.ts';

function explain(...args: readonly string[]) {
  return starfold(['explain', ...args, ...ALL]);
}

const TABLE = `Deployment shop/web
Aggregate: ${decisionReason({ singleton: 0, multiWEC: 1 }, 2)}
${wecsReported(2, 2)}
${healthIs('Degraded', 'Deployment "web" exceeded its progress deadline')}
${decidedBy(['wec2'], ['1 Healthy'])}

FIELD                    VALUE                       RULE               DECIDED
                                                                        BY
availableReplicas        1                           lowest             wec2 (1)
conditions[Available]    False                       condition          wec2
                         MinimumReplicasUnavailable                     (False)
`;

describe('starfold explain', () => {
  it('prints the decision, the WECs, the verdict and a table of fields', () => {
    const { code, out, err } = explain('deployment/web', '-n', 'shop');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.startsWith(TABLE)).toBe(true);
    expect(out).toMatch(/^unavailableReplicas {6}- {27}lowest {13}wec1$/m);
  });

  it('fits the table into 80 columns if there is no terminal', () => {
    const lines = explain('deployment/web').out.split('\n').slice(6);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('prints the explanation for programs', () => {
    const json = parseJson(explain('deployments.apps/web', '-o', 'json').out);
    expect(json).toMatchObject({
      apiVersion: 'status.starfold.dev/v1alpha1',
      kind: 'Explanation',
      metadata: { name: 'deployments.apps:web', namespace: 'shop' },
      verdict: { status: 'Degraded', decidedBy: ['wec2'], others: { Healthy: 1 } },
    });
    expect(explain('Deployment/web', '-o', 'yaml').out).toContain('\nkind: Explanation\n');
  });

  it.each([
    ['availableReplicas', ['availableReplicas']],
    ['conditions', ['conditions[Available]', 'conditions[Progressing]']],
    ['conditions[Available]', ['conditions[Available]']],
  ])('shows only the field %s, and what lies below it', (field, paths) => {
    const json = parseJson(explain('deployment/web', '--field', field, '-o', 'json').out);
    const fields = at(json, 'fields') as unknown as Explanation['fields'];
    expect(fields.map(({ path }) => path)).toEqual(paths);
  });

  it('shows what the status would be without a WEC', () => {
    const { out } = explain('deployment/web', '--without', 'wec2', '--without', 'wec2');
    expect(out).toContain(`\n${asIfGone('WECs', ['wec2'])}\n${wecsReported(1, 1)}\n`);
    expect(out).toContain(`\n${healthIs('Healthy', '')}\n${decidedBy(['wec1'], [])}\n`);
  });

  it('counts a WEC that is silent for longer than the object allows as one that has said nothing', () => {
    const silent = file(
      'clusters.yaml',
      `{ apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: { name: wec2 },
         status: { conditions: [{ type: ManagedClusterConditionAvailable, status: Unknown,
           lastTransitionTime: "2026-11-21T11:00:00Z" }] } }`,
    );
    const wds = readFileSync(fixture('wds.yaml'), 'utf8').replace(
      'name: web\n',
      'name: web\n  annotations: { starfold.dev/silent-after: 10m }\n',
    );
    const rest = [...ALL.slice(2), '-f', silent, '-f', file('wds.yaml', wds)];
    const { out } = starfold(['explain', 'deployment/web', ...rest]);
    expect(out).toContain(`${wecsReported(1, 2)}; ${NAMED_WECS.silent('wec2')}\n`);
  });
});

describe('starfold explain of an object of Fleet', () => {
  const examples = new URL('../../../../../docs/examples/fleet/', import.meta.url).pathname;
  const given = ['-f', `${examples}upstream.yaml`, '--now', '2026-11-21T12:00:00Z'];

  it('prints the worst state with its rank, and the targets that decide', () => {
    const { code, out } = starfold(['explain', 'gitrepo/shop', ...given]);
    expect(code).toBe(0);
    expect(out).toMatch(/^GitRepo fleet-default\/shop\nAggregate: 3 targets: /);
    expect(out).toContain(
      `${targetsReported(2, 3)}; ${waitingTargets('fleet-default/downstream3')}\n`,
    );
    const others = ['1 Pending', '1 Ready'];
    expect(out).toContain(
      `\n${worstState('WaitApplied', 5, '')}\n${decidedBy(['downstream2 (WaitApplied)'], others)}\n`,
    );
    expect(out).toMatch(/^display\.state +WaitApplied +worst-state +downstream2$/m);
  });

  it('names Bundles for a Cluster', () => {
    const { out } = starfold(['explain', 'cluster/downstream2', '-n', 'fleet-default', ...given]);
    expect(out).toContain(`\n${decidedBy(['shop-web (WaitApplied)'], [])}\n`);
  });

  it('prints it without a Cluster, for programs and for a field', () => {
    const without = ['--without', 'fleet-default/downstream2', '--field', 'display', '-o', 'json'];
    const { out } = starfold(['explain', 'clustergroup/prod', ...given, ...without]);
    expect(parseJson(out)).toMatchObject({
      without: ['fleet-default/downstream2'],
      wecs: { qualified: 2 },
      verdict: { status: 'Pending', decidedBy: [{ wec: 'fleet-default/downstream3' }] },
    });
    const table = starfold(['explain', 'clustergroup/prod', ...given, ...without.slice(0, 2)]);
    expect(table.out).toContain(`\n${asIfGone('Clusters', ['fleet-default/downstream2'])}\n`);
  });

  it('has no table for an object that is left alone or has no targets', () => {
    const repo = file(
      'repo.yaml',
      '{ apiVersion: fleet.cattle.io/v1alpha1, kind: GitRepo, metadata: { name: r, namespace: apps }, spec: {} }',
    );
    expect(starfold(['explain', 'gitrepo/r', '-f', repo]).out).toBe(
      `GitRepo apps/r\nLeave: ${FLEET_LEFT}\n${targetsReported(0, 0)}\n`,
    );
  });
});

const GIVEN = 'deployment/web -n shop';
const FIELDS = [
  ...['availableReplicas', 'conditions[Available]', 'conditions[Progressing]'],
  ...['observedGeneration', 'readyReplicas', 'replicas', 'unavailableReplicas', 'updatedReplicas'],
];

describe('starfold explain of something that is not there', () => {
  it.each([
    [['deployment/wbe'], notGiven({ text: 'deployment/wbe' }, [GIVEN], GIVEN)],
    [
      ['deployment/web', '-n', 'shp'],
      notGiven({ text: 'deployment/web', namespace: 'shp' }, [GIVEN], GIVEN),
    ],
    [
      ['deploymnt/web', '-n', 'shop'],
      notGiven({ text: 'deploymnt/web', namespace: 'shop' }, [GIVEN], GIVEN),
    ],
    [['pod/other'], notGiven({ text: 'pod/other' }, [GIVEN], undefined)],
    [
      ['deployment/web', '--field', 'availableReplica'],
      unknownField('availableReplica', FIELDS, 'availableReplicas'),
    ],
    [['deployment/web', '--field', 'x'], unknownField('x', FIELDS, undefined)],
    [['deployment/web', '--without', 'wec3'], unknownWec('wec3', ['wec1', 'wec2'], 'wec1')],
  ])('%j: is an error that helps', (args, message) => {
    const { code, out, err } = explain(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
  });

  it.each(['Leave', 'Clear'] as const)(
    'says of a field what the decision %s means for it',
    (action) => {
      const decision = { action, reason: 'the reason' };
      const printing = { field: 'replicas', output: 'table', columns: 80 } as const;
      expect(() => printedExplanation({ fields: [], decision }, () => '', printing)).toThrow(
        fieldWithoutStatus('replicas', decision),
      );
    },
  );

  it.each(['web', 'deployment/', 'apps/deployment/web'])('%s: is wrong usage', (text) => {
    const { code, err } = explain(text);
    expect({ code, err }).toEqual({
      code: 2,
      err: `starfold: ${notAName(text)} ${SEE_HELP}\n`,
    });
  });

  it('names the objects if a name is not unique, and says if there is none', () => {
    const both = ['a', 'b', 'c'].map(
      (namespace) =>
        `{ apiVersion: v1, kind: Pod, metadata: { name: p, namespace: ${namespace} } }`,
    );
    const pods = file('pods.yaml', both.join('\n---\n'));
    expect(starfold(['explain', 'pod/p', '-f', pods]).err).toContain(
      severalObjects('pod/p', ['pod/p -n a', 'pod/p -n b', 'pod/p -n c']),
    );
    expect(starfold(['explain', 'pod/p', '-n', 'b', '-f', pods]).out).toBe(
      `Pod b/p\nClear: ${decisionReason({ singleton: 0, multiWEC: 0 }, 0)}\n${wecsReported(0, 0)}\n`,
    );
    expect(starfold(['explain', 'pod/p', '-f', pods, '--field', 'phase']).code).toBe(1);
    const none = file('none.yaml', '{ apiVersion: v1, kind: List, items: [] }');
    expect(starfold(['explain', 'pod/p', '-f', none]).err).toContain(
      notGiven({ text: 'pod/p' }, [], undefined),
    );
  });
});

const EXPLANATION: Explanation = {
  apiVersion: 'status.starfold.dev/v1alpha1',
  kind: 'ClusterExplanation',
  metadata: { name: 'widgets:w' },
  workload: { group: '', resource: 'widgets', kind: 'Widget', name: 'w' },
  decision: { action: 'Aggregate', reason: 'because', bindings: [] },
  wecs: {
    ...{ qualified: 20, reported: 7, silent: ['wec1'], tooLarge: ['wec2'] },
    missing: Array.from({ length: 12 }, (_none, index) => `wec${index + 3}`),
  },
  deciders: [
    { wec: 'wec1', state: 'Silent', health: { status: 'Degraded', message: 'too late' } },
    { wec: 'wec\u001b[1m1', state: 'Reported' },
  ],
  fields: [
    {
      ...{ path: 'a', value: 2, rule: 'adapted', documentation: '' },
      ...{
        departs: 'the literal minimum is 1',
        decidedBy: [{ wec: 'wec1', value: 'x'.repeat(90) }],
      },
    },
    {
      ...{
        path: 'conditions[Up]',
        value: { status: 'True' },
        rule: 'condition',
        documentation: '',
      },
      decidedBy: [{ wec: 'wec\u001b[1m1', value: { status: 'False' } }],
    },
    {
      ...{ path: 'list', value: [1, 2], rule: 'union', documentation: '' },
      decidedBy: [{ wec: 'wec1', value: [1] }, { wec: 'wec2' }],
    },
    { path: 'n', omitted: true, rule: 'not-aggregated', documentation: '' },
  ],
};

describe('the text of an explanation', () => {
  it('shortens values, marks departures and names at most ten WECs', () => {
    expect(explanationText(EXPLANATION, 200)).toBe(`Widget w
Aggregate: because
${[
  wecsReported(7, 20),
  NAMED_WECS.missing('wec3, wec4, wec5, wec6, wec7, wec8, wec9, wec10, wec11, wec12, and 2 more'),
  NAMED_WECS.silent('wec1'),
  NAMED_WECS.tooLarge('wec2'),
].join('; ')}

FIELD           VALUE  RULE            DECIDED BY
a               2      adapted *       wec1 (${'x'.repeat(57)}...)
conditions[Up]  True   condition       wec [1m1 (False)
list            [1,2]  union           wec1, wec2
n               -      not-aggregated

* a: the literal minimum is 1
`);
  });
});

describe('the wide text of an explanation', () => {
  const args = [...['explain', 'deployment/web', '-n', 'shop', '-f', 'docs/examples/wds.yaml']];
  const wecs = ['wec1', 'wec2'].flatMap((wec) => ['--wec', `${wec}=docs/examples/${wec}.yaml`]);

  it('has the state and the verdict of each WEC that decides', () => {
    const table = starfold([...args, ...wecs]).out;
    const { out, code } = starfold([...args, ...wecs, '-o', 'wide']);
    expect(code).toBe(0);
    const [head = '', ...rows] = out.slice(out.indexOf('DECIDER')).split('\n');
    expect(head).toMatch(/^DECIDER +STATE +HEALTH +MESSAGE$/);
    expect(out.startsWith(table.trimEnd())).toBe(true);
    const { deciders } = JSON.parse(starfold([...args, ...wecs, '-o', 'json']).out);
    for (const { wec, state, health } of deciders)
      expect(rows).toContainEqual(
        expect.stringMatching(new RegExp(`^${wec} +${state} +${health.status}`)),
      );
  });

  it('has nothing of a WEC that is made for another terminal, and no verdict where there is none', () => {
    expect(explanationText(EXPLANATION, 200, true)).toContain(`
DECIDER   STATE     HEALTH    MESSAGE
wec1      Silent    Degraded  too late
wec [1m1  Reported  -
`);
  });
});

describe('columns', () => {
  const rows = [
    ['A', 'B', 'C'],
    ['some words to wrap', 'x'.repeat(30), 'c'],
  ];

  it.each([40, 60])('fit into %i', (width) => {
    const lines = columnsText(rows, width).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
    expect(lines.join(' ').match(/x/g)).toHaveLength(30);
    for (const word of ['some', 'words', 'to', 'wrap']) expect(lines.join('\n')).toContain(word);
  });

  it('are not narrower than eight characters, unless their words are', () => {
    expect(columnsText(rows, 10).split('\n')[1]).toBe('some   xxxxxxxx  c');
  });
});
