import { describe, expect, it } from 'vitest';
import type { ExplanationObject } from '#console/model/api-objects.ts';
import { isExplanationChanged } from '#console/model/overview.ts';
import { search } from '#console/model/search.ts';
import {
  groupStarts,
  orderWecs,
  shortNames,
  spectrumTicks,
  WIDTH,
  wecAt,
} from '#console/model/spectrum.ts';
import { othersText, verdictShares } from '#console/model/verdict-shares.ts';
import { isRowChanged, NO_HEARTBEAT, wecRow } from '#console/model/wec-row.ts';
import {
  decidersOf,
  fieldRows,
  NOT_SAID,
  noFieldsText,
  noVerdictText,
  valueGroups,
} from '#console/model/why.ts';
import {
  calmText,
  factsOf,
  filterRows,
  nextSort,
  selectorOf,
  sortRows,
} from '#console/model/workload.ts';
import { type Verdict, worstOf } from '#shared/core/explanation/shown-verdict.ts';
import { MAX_TICKS } from '#shared/core/explanation/spectrum.ts';
import { explanation, named, wecStatus } from './objects.ts';

const STATUS = { replicas: 3, readyReplicas: 1 };

describe('the row of a WEC', () => {
  it('counts what Kubernetes leaves out as 0', () => {
    expect(wecRow(wecStatus({ status: STATUS }))).toMatchObject({
      verdict: 'Healthy',
      ready: [1, 3],
      updated: [0, 3],
      available: [0, 3],
      observed: [7, 7],
    });
  });

  it('has no counts of a kind that does not count', () => {
    const row = wecRow(wecStatus({ status: { loadBalancer: {} } }));
    expect([row.ready, row.updated, row.available]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['Silent', 'no heartbeat; last said Healthy'],
    ['TooLarge', 'its status is too large to keep; it counts as not returned'],
    ['Missing', 'the WEC has no such object any more'],
    ['NotReported', 'nothing reported yet'],
  ] as const)('of state %s has that verdict, and says what it means', (state, message) => {
    expect(wecRow(wecStatus({ state }))).toMatchObject({ verdict: state, message });
  });

  it('is only reported if Argo CD has no rule for the kind', () => {
    const { health: _health, ...rest } = wecStatus();
    expect(wecRow(rest).verdict).toBe('Reported');
    expect(worstOf([])).toBe('Reported');
  });
});

it('the row of a WEC is changed by what it says, and not by a heartbeat', () => {
  const before = wecRow(wecStatus({ lastContact: '2026-11-22T17:00:00Z' }));
  const heard = wecRow(wecStatus({ lastContact: '2026-11-22T17:05:00Z' }));
  expect(isRowChanged(before, heard)).toBe(false);
  expect(isRowChanged(before, wecRow(wecStatus({ state: 'Silent' })))).toBe(true);
});

it('an explanation is changed by what it says, and not by another revision', () => {
  const read = (resourceVersion: string, more = {}) =>
    explanation({ metadata: { name: 'w', resourceVersion }, ...more });
  expect(isExplanationChanged(read('1'), read('2'))).toBe(false);
  expect(isExplanationChanged(read('1'), read('1', { refused: ['no'] }))).toBe(true);
});

describe('the table of WECs', () => {
  const rows = [
    wecStatus({ wec: 'b', health: { status: 'Degraded' }, status: STATUS }),
    wecStatus({ wec: 'a', lastUpdate: '2026-11-22T17:00:00Z' }),
    wecStatus({ wec: 'c', state: 'Missing', status: { loadBalancer: {} } }),
  ].map(wecRow);
  const order = (sort: string | undefined) => sortRows(rows, sort).map(({ wec }) => wec);

  it.each([
    [undefined, ['b', 'c', 'a']],
    ['-verdict', ['a', 'c', 'b']],
    ['wec', ['a', 'b', 'c']],
    ['-wec', ['c', 'b', 'a']],
    ['ready', ['b', 'a', 'c']],
    ['changed', ['a', 'b', 'c']],
    ['no such column', ['b', 'c', 'a']],
  ])('by %s', (sort, wecs) => {
    expect(order(sort)).toEqual(wecs);
  });

  it('is turned round by the second click on a head, and is as before by the third', () => {
    expect(nextSort(undefined, 'wec')).toBe('wec');
    expect(nextSort('wec', 'wec')).toBe('-wec');
    expect(nextSort('-wec', 'wec')).toBe('wec');
    expect(nextSort(undefined, 'verdict')).toBe('-verdict');
    expect(nextSort('-verdict', 'verdict')).toBeUndefined();
    expect(nextSort('wec', 'verdict')).toBeUndefined();
  });

  it('has the rows of a verdict, of part of a name, or of a label', () => {
    const labelsOf = (wec: string) => ({ region: wec === 'a' ? 'eu' : 'us' });
    const wecs = (asked: Parameters<typeof filterRows>[1]) =>
      filterRows(rows, asked, labelsOf).map(({ wec }) => wec);
    expect(wecs({})).toEqual(['b', 'a', 'c']);
    expect(wecs({ verdict: 'Degraded' })).toEqual(['b']);
    expect(wecs({ text: 'c' })).toEqual(['c']);
    expect(wecs({ text: 'region=us' })).toEqual(['b', 'c']);
  });

  it('is read by the exact fields of the object', () => {
    expect(
      selectorOf({ resource: 'certificates.cert-manager.io', namespace: 'x', name: 'tls' }),
    ).toBe('workload.name=tls,workload.resource=certificates,workload.group=cert-manager.io');
    expect(selectorOf({ resource: 'clusterroles', namespace: '', name: 'a=b,wec=c\\d' })).toBe(
      'workload.name=a\\=b\\,wec\\=c\\\\d,workload.resource=clusterroles,workload.group=',
    );
    expect(selectorOf({ resource: 'services', namespace: 'x', name: 'web' })).toBe(
      'workload.name=web,workload.resource=services,workload.group=',
    );
  });
});

describe('what the WDS says', () => {
  it('has numbers and conditions, each with who decides', () => {
    const { fields, conditions } = factsOf(explanation());
    expect(fields.map(({ path, value }) => [path, value])).toEqual([
      ['readyReplicas', '1'],
      ['replicas', '3'],
    ]);
    expect(conditions).toMatchObject([
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'no' },
    ]);
    expect(conditions[0]?.field.decidedBy).toEqual([{ wec: 'edge-2', value: 'False' }]);
  });
});

describe('why', () => {
  it('marks the fields that would have another value without a WEC', () => {
    const before = explanation();
    const [available, ready, replicas] = before.fields;
    if (available === undefined || ready === undefined || replicas === undefined)
      throw new Error('3 fields');
    const rows = fieldRows({ fields: [{ ...ready, value: 3 }, replicas] }, before);
    expect(rows.map(({ path, value, before: was }) => [path, value, was])).toEqual([
      ['readyReplicas', '3', '1'],
      ['replicas', '3', undefined],
      ['conditions[Available]', undefined, 'False'],
    ]);
  });

  it('has the WECs that decide a field, worst first, each with its verdict and what it means', () => {
    const deciders: ExplanationObject['deciders'] = [
      { wec: 'a', state: 'Reported', health: { status: 'Healthy' } },
      { wec: 'b', state: 'Reported', health: { status: 'Degraded', message: 'too late' } },
      { wec: 'c', state: 'Silent', health: { status: 'Healthy' } },
      { wec: 'd', state: 'Reported' },
    ];
    const decidedBy = ['a', 'b', 'c'].map((wec) => ({ wec, value: '1' }));
    expect(decidersOf({ deciders }, { decidedBy })).toEqual([
      { wec: 'b', verdict: 'Degraded', message: 'too late' },
      { wec: 'c', verdict: 'Silent', message: `${NO_HEARTBEAT}; last said Healthy` },
      { wec: 'a', verdict: 'Healthy', message: '' },
    ]);
    expect(decidersOf({ deciders }, { decidedBy: [] })).toEqual([]);
  });

  it('gathers what WECs say by value, with those that say nothing at the end', () => {
    const said = [
      { wec: 'a', status: { readyReplicas: 10 } },
      { wec: 'b', status: { readyReplicas: 2 } },
      { wec: 'c', status: { readyReplicas: 10 } },
      { wec: 'd' },
    ];
    const field = { path: 'readyReplicas', decidedBy: [{ wec: 'b', value: '2' }], isByAll: false };
    expect(valueGroups(said, field)).toEqual([
      { value: '2', wecs: ['b'], isDeciding: true },
      { value: '10', wecs: ['a', 'c'], isDeciding: false },
      { value: NOT_SAID, wecs: ['d'], isDeciding: false },
    ]);
  });

  it('have the WECs that decide, also if their statuses were not read', () => {
    const said = [
      { wec: 'a', status: { n: 10 } },
      { wec: 'b', status: { n: 4 } },
    ];
    const decidedBy = [
      { wec: 'x', value: '2' },
      { wec: 'y', value: '' },
      { wec: 'b', value: '4' },
    ];
    expect(valueGroups(said, { path: 'n', decidedBy, isByAll: false })).toEqual([
      { value: '2', wecs: ['x'], isDeciding: true },
      { value: '4', wecs: ['b'], isDeciding: true },
      { value: '10', wecs: ['a'], isDeciding: false },
      { value: NOT_SAID, wecs: ['y'], isDeciding: true },
    ]);
  });

  it('are named by a WEC that decides, if one of them does', () => {
    const said = ['a', 'b'].map((wec) => ({ wec, status: { n: 1 } }));
    const field = { path: 'n', decidedBy: [{ wec: 'b', value: '1' }], isByAll: false };
    expect(valueGroups(said, field)[0]?.wecs).toEqual(['b', 'a']);
  });

  it('reads a condition by its type', () => {
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    const field = { path: 'conditions[Ready]', decidedBy: [], isByAll: true };
    expect(valueGroups([{ wec: 'a', status }], field)).toEqual([
      { value: 'False', wecs: ['a'], isDeciding: true },
    ]);
  });

  it('puts many values together, but never what decides', () => {
    const said = Array.from({ length: 20 }, (_, count) => ({
      wec: `w${count}`,
      status: { n: count },
    }));
    const groups = valueGroups(said, {
      path: 'n',
      decidedBy: [{ wec: 'w19', value: '19' }],
      isByAll: false,
    });
    expect(groups).toHaveLength(6);
    expect(groups.filter(({ isDeciding }) => isDeciding).map(({ value }) => value)).toEqual(['19']);
    expect(groups.at(-1)?.value).toBe('15 other values');
    expect(groups.flatMap(({ wecs }) => wecs)).toHaveLength(20);
  });

  it('counts the verdicts of the WECs, worst first', () => {
    expect(verdictShares(explanation())).toEqual([
      { verdict: 'Progressing', count: 1, named: ['edge-2'] },
      { verdict: 'Healthy', count: 2, named: [] },
    ]);
    const { verdict: _verdict, ...unjudged } = explanation();
    expect(verdictShares(unjudged)).toEqual([]);
  });

  it('counts a WEC without a status as such, whether or not it decides', () => {
    const wecs = { qualified: 6, reported: 3, silent: [], missing: ['b', 'c'], tooLarge: ['d'] };
    const verdict = { message: '', others: { Healthy: 3, Missing: 1 } };
    const shares = verdictShares({
      wecs,
      verdict: { ...verdict, status: 'Healthy', decidedBy: ['b', 'd'] },
    });
    expect(shares).toEqual([
      { verdict: 'TooLarge', count: 1, named: ['d'] },
      { verdict: 'Missing', count: 2, named: ['b', 'c'] },
      { verdict: 'Healthy', count: 3, named: [] },
    ]);
  });

  it('says what those WECs say that do not decide', () => {
    const decided = { verdict: 'Progressing', named: 1 } as const;
    expect(othersText(explanation(), decided)).toBe('2 other WECs are healthy.');
    const verdict = { status: 'Degraded', message: '', decidedBy: ['a', 'b'] } as const;
    const others = { Degraded: 1, Progressing: 8, Healthy: 1 };
    expect(
      othersText(explanation({ verdict: { ...verdict, others } }), {
        verdict: 'Degraded',
        named: 2,
      }),
    ).toBe('1 other WEC is degraded; 8 are progressing; 1 is healthy.');
    expect(
      othersText(explanation({ verdict: { ...verdict, others: {} } }), {
        verdict: 'Degraded',
        named: 2,
      }),
    ).toBe('');
  });

  it.each([
    ['Aggregate', 'Argo CD has no rule for this kind.', 'No status'],
    ['Copy', 'Argo CD has no rule for this kind.', 'No status'],
    ['Clear', 'Starfold writes no status, so there is no verdict.', 'No status'],
    [
      'Leave',
      'Starfold leaves the status as it is, so no WEC decides a verdict.',
      'Starfold leaves the status as it is',
    ],
  ] as const)(
    'says why there is no verdict and no field if the action is %s',
    (action, verdict, fields) => {
      const decision = { action, reason: 'r', bindings: [] };
      expect(noVerdictText({ decision })).toBe(verdict);
      expect(noFieldsText({ decision })).toBe(fields);
    },
  );
});

describe('names of regions', () => {
  it('are shortened, unless two were the same then', () => {
    expect(shortNames(['us-east', 'ap-southeast', 'edge'])).toEqual(['us-e', 'ap-se', 'edge']);
    expect(shortNames(['us-east', 'us-e'])).toEqual(['us-east', 'us-e']);
  });
});

describe('a spectrum', () => {
  const order = orderWecs([
    { name: 'b', labels: { region: 'us' } },
    { name: 'c', labels: { region: 'eu' } },
    { name: 'a', labels: { region: 'us' } },
  ]);

  it('has the WECs of a region beside each other', () => {
    expect(order).toEqual({
      wecs: ['c', 'a', 'b'],
      groups: [
        { name: 'eu', from: 0 },
        { name: 'us', from: 1 },
      ],
    });
    expect(groupStarts(order).map(({ name }) => name)).toEqual(['eu', 'us']);
  });

  it('shows how bad by height: a silent WEC stays low', () => {
    const heights = spectrumTicks(['Degraded', 'Silent', 'Healthy'], order, 10).map(
      ({ height }) => height,
    );
    expect(heights.map((height) => Math.round(height * 10))).toEqual([100, 34, 30]);
  });

  it('names the WEC at a place', () => {
    expect([0.1, 0.5, 0.9].map((share) => order.wecs[wecAt(order, share)])).toEqual([
      'c',
      'a',
      'b',
    ]);
  });

  it('lets nothing bad drown among 10,000', () => {
    const placed = Array.from(
      { length: 10_000 },
      (_, at): Verdict => (at === 3_117 ? 'Degraded' : 'Healthy'),
    );
    const ticks = spectrumTicks(placed, { groups: [] }, 10);
    const [bad, ...others] = ticks.filter(({ family }) => family === 'bad');
    expect(others).toEqual([]);
    expect(bad?.width).toBeCloseTo(WIDTH / MAX_TICKS / 2);
    expect(ticks.every(({ x, width }) => x >= 0 && x + width <= WIDTH + 1e-6)).toBe(true);
  });
});

describe('a search', () => {
  const workloads = [named('web'), named('indexer')];
  const wecs = [
    { metadata: { name: 'eu-west-003', labels: { region: 'eu-west' } } },
    { metadata: { name: 'edge-1', labels: { region: 'eu-north' } } },
    { metadata: { name: 'edge-2' }, silentSince: '2026-11-22T17:00:00Z' },
  ];
  const found = (text: string) => {
    const hits = search(text, { workloads, wecs });
    return [
      ...hits.workloads.map(({ place }) => place.name),
      ...hits.wecs.map(({ metadata }) => metadata.name),
    ];
  };

  it.each([
    ['deployment/web', ['web']],
    ['deploy/web', ['web']],
    ['deployments.apps/web', ['web']],
    ['shop/web', ['web']],
    ['other/web', []],
    ['index', ['indexer']],
    ['west-003', ['eu-west-003']],
    ['region=eu', ['eu-west-003', 'edge-1']],
    ['region=eu-west', ['eu-west-003']],
    ['=eu', []],
    ['toString=', []],
    ['silent', ['edge-2']],
    ['  ', []],
  ])('%s', (text, names) => {
    expect(found(text)).toEqual(names);
  });

  it('counts the objects and the WECs with a label', () => {
    const labelOf = (text: string) => search(text, { workloads, wecs }).label;
    expect(labelOf('app=web')).toEqual({ text: 'app=web', workloads: 2, wecs: 0 });
    expect(labelOf('region=eu-west')).toMatchObject({ workloads: 0, wecs: 1 });
  });

  it('finds objects by the word of a verdict', () => {
    const verdictsOf = (text: string) => search(text, { workloads, wecs }).verdicts;
    expect(verdictsOf('Progress')).toEqual([{ verdict: 'Progressing', count: 2 }]);
    expect(verdictsOf('pr')).toEqual([]);
    expect(verdictsOf('degraded')).toEqual([]);
    expect(verdictsOf('silent')).toEqual([]);
  });
});

describe('what is said of an object that is as asked', () => {
  it.each([
    [3, 0, 'All 3 WECs are as asked.'],
    [3, 1, 'All 3 WECs are as asked. One is silent: what it last said counts.'],
    [3, 2, 'All 3 WECs are as asked. 2 are silent: what they last said counts.'],
    [1, 0, 'The WEC is as asked.'],
    [1, 1, 'The WEC is as asked. It is silent: what it last said counts.'],
  ])('names the silent WECs: %i WECs, %i silent', (qualified, count, text) => {
    const silent = ['edge-1', 'edge-2'].slice(0, count);
    const { wecs } = explanation();
    expect(calmText({ wecs: { ...wecs, qualified, silent } })).toBe(text);
  });
});
