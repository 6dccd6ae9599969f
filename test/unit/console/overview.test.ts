import { describe, expect, it } from 'vitest';
import type { WecObject } from '#console/model/api-objects.ts';
import {
  behind,
  filterWorkloads,
  forwarderVersions,
  mostUnhealthy,
  placedVerdicts,
  sentence,
  silentWecs,
  sortedVerdicts,
  spectrumText,
  workloadRow,
  worstWorkloadFirst,
} from '#console/model/overview.ts';
import { orderWecs } from '#console/model/spectrum.ts';
import { wecRow } from '#console/model/wec-row.ts';
import { explanation, named, wecStatus } from './objects.ts';

const HEALTHY = { status: 'Healthy', message: '', decidedBy: [], others: { Healthy: 3 } } as const;
const DEGRADED = {
  status: 'Degraded',
  message: 'broken',
  decidedBy: ['edge-1', 'edge-2'],
  others: {},
} as const;

function saidOf(...rows: Parameters<typeof sentence>[0][number][]): string {
  return sentence(rows)
    .map(({ text }) => text)
    .join(' | ');
}

describe('the sentence while rows are still being read', () => {
  it.each([
    [[named('a', { verdict: DEGRADED })], '1 of the 1 workload read so far is broken'],
    [
      [named('a', { verdict: DEGRADED }), named('b'), named('c', { verdict: HEALTHY })],
      '1 of the 3 workloads read so far is broken | 1 is on its way | 1 is as asked.',
    ],
    [[named('a', { verdict: HEALTHY })], 'The workload read so far is as asked.'],
    [
      [named('a', { verdict: HEALTHY }), named('b', { verdict: HEALTHY })],
      'All 2 workloads read so far are as asked.',
    ],
  ])('says what was read so far: %#', (rows, text) => {
    const said = sentence(rows, false).map((phrase) => phrase.text);
    expect(said.join(' | ')).toBe(text);
  });
});

describe('the row of a workload object', () => {
  it('names the WEC that decides, and what it says', () => {
    expect(workloadRow(explanation())).toMatchObject({
      place: { resource: 'deployments.apps', namespace: 'shop', name: 'web' },
      verdict: 'Progressing',
      reported: [3, 3],
      ready: [1, 3],
      decidedBy: 'edge-2',
      more: 0,
      message: '1 of 3 are available',
      since: '2026-11-22T16:58:14Z',
    });
  });

  it('is too large where a status could not be kept, although the others are healthy', () => {
    const wecs = { qualified: 3, reported: 2, silent: [], missing: [], tooLarge: ['edge-3'] };
    const row = workloadRow(explanation({ verdict: HEALTHY, wecs }));
    expect(row).toMatchObject({ verdict: 'TooLarge', decidedBy: 'edge-3', reported: [2, 3] });
  });

  it('is refused where the API server has rejected a status, and says why', () => {
    const row = workloadRow(explanation({ verdict: HEALTHY, refused: ['status: Invalid value'] }));
    expect(row).toMatchObject({ verdict: 'Refused', message: 'status: Invalid value' });
  });

  it('is not worse because a WEC is silent: what it last said still counts', () => {
    const wecs = { qualified: 3, reported: 3, silent: ['edge-1'], missing: [], tooLarge: [] };
    expect(workloadRow(explanation({ verdict: HEALTHY, wecs })).verdict).toBe('Healthy');
  });

  it('has no count of what is ready if the status has none', () => {
    expect(workloadRow(explanation({ fields: [] })).ready).toBeUndefined();
  });
});

describe('the sentence', () => {
  it('begins with what is broken', () => {
    const rows = [
      named('a', { verdict: DEGRADED }),
      named('b'),
      named('c', { verdict: HEALTHY }),
      named('d', { verdict: HEALTHY }),
    ];
    expect(saidOf(...rows)).toBe('1 workload is broken | 1 is on its way | 2 are as asked.');
  });

  it('says that all is as asked', () => {
    expect(saidOf(named('a', { verdict: HEALTHY }))).toBe('The workload is as asked.');
    expect(saidOf(named('a', { verdict: HEALTHY }), named('b', { verdict: HEALTHY }))).toBe(
      'All 2 workloads are as asked.',
    );
  });

  it('leaves out what is as asked if nothing is', () => {
    expect(saidOf(named('a', { verdict: DEGRADED }))).toBe('1 workload is broken');
  });

  it('says that there is nothing', () => {
    expect(saidOf()).toContain('No Binding');
  });
});

describe('the list of workload objects', () => {
  const rows = [named('a', { verdict: HEALTHY }), named('b'), named('c', { verdict: DEGRADED })];

  it('is in the order of verdicts, worst first', () => {
    const names = rows.toSorted(worstWorkloadFirst).map(({ place }) => place.name);
    expect(names).toEqual(['c', 'b', 'a']);
  });

  it('can be limited to what is as bad as a verdict', () => {
    const names = filterWorkloads(rows, { verdict: 'TooLarge' }).map(({ place }) => place.name);
    expect(names).toEqual(['c']);
  });

  it('can be limited to a label', () => {
    expect(filterWorkloads(rows, { label: 'app=web' })).toHaveLength(3);
    expect(filterWorkloads(rows, { label: 'app=other' })).toEqual([]);
    expect(filterWorkloads(rows, { label: 'app' })).toHaveLength(3);
    expect(filterWorkloads(rows, { label: 'toString' })).toEqual([]);
  });
});

describe('the spectrum of an object', () => {
  const order = orderWecs(['edge-1', 'edge-2', 'edge-3'].map((name) => ({ name, labels: {} })));

  it('has each WEC at its place, and none where the object is not sent', () => {
    const placed = placedVerdicts(order, new Map([['edge-3', 'Degraded']]));
    expect(placed).toEqual([undefined, undefined, 'Degraded']);
  });

  it('has the counts in order if places are not known', () => {
    expect(sortedVerdicts(explanation())).toEqual(['Progressing', 'Healthy', 'Healthy']);
    const { verdict: _verdict, ...unjudged } = explanation();
    expect(sortedVerdicts(unjudged)).toEqual(['Reported', 'Reported', 'Reported']);
  });

  it('never counts a WEC without a status as healthy', () => {
    const wecs = { qualified: 3, reported: 2, silent: [], missing: ['edge-3'], tooLarge: [] };
    const verdict = { ...HEALTHY, decidedBy: ['edge-3'], others: { Healthy: 2 } };
    expect(sortedVerdicts(explanation({ wecs, verdict }))).toEqual([
      'Missing',
      'Healthy',
      'Healthy',
    ]);
  });

  it('is told in words', () => {
    expect(spectrumText(['Healthy', undefined, 'Degraded', 'Healthy'])).toBe(
      '1 Degraded, 2 Healthy',
    );
  });
});

describe('what stands beside', () => {
  it('has the longest silence first', () => {
    const silent = silentWecs([
      { metadata: { name: 'a' } },
      { metadata: { name: 'b' }, silentSince: '2026-11-22T17:00:00Z' },
      {
        metadata: { name: 'c' },
        silentSince: '2026-11-22T16:00:00Z',
        lastContact: '2026-11-22T15:55:00Z',
      },
    ]);
    expect(silent).toEqual([{ name: 'c', lastContact: '2026-11-22T15:55:00Z' }, { name: 'b' }]);
  });

  it('has the unhealthy objects of each WEC as the API counts them, most first', () => {
    const wec = (name: string, counts: Partial<WecObject>): WecObject => ({
      metadata: { name },
      ...counts,
    });
    const wecs = [
      wec('edge-1', { objects: 4, unhealthyObjects: 1 }),
      wec('edge-2', { objects: 9, unhealthyObjects: 0 }),
      wec('edge-3', { objects: 9, unhealthyObjects: 3 }),
      wec('edge-4', { objects: 9 }),
      wec('edge-5', { objects: 2, unhealthyObjects: 1 }),
    ];
    expect(mostUnhealthy(wecs)).toEqual([
      { name: 'edge-3', count: 3, of: 9 },
      { name: 'edge-1', count: 1, of: 4 },
      { name: 'edge-5', count: 1, of: 2 },
    ]);
  });

  it('counts the versions of the forwarder, the most frequent first', () => {
    const wec = (name: string, version?: string): WecObject => ({
      metadata: { name },
      ...(version === undefined ? {} : { forwarderVersion: version }),
    });
    expect(
      forwarderVersions([wec('a', '1.7'), wec('b', '1.8'), wec('c', '1.8'), wec('d')]),
    ).toEqual([
      { name: '1.8', count: 2 },
      { name: '1.7', count: 1 },
    ]);
  });

  it('finds the WECs that have an older generation than others', () => {
    const order = orderWecs([
      { name: 'edge-1', labels: { region: 'eu' } },
      { name: 'edge-2', labels: { region: 'us' } },
    ]);
    const rows = [
      wecStatus(),
      wecStatus({ wec: 'edge-2', generation: { wec: 6, source: 11, observed: 6 } }),
    ].map(wecRow);
    expect(behind(rows, order)).toEqual([{ name: 'us', count: 1, of: 1 }]);
    expect(behind(rows, { ...order, groups: [] })).toEqual([{ name: 'edge-2', count: 1, of: 1 }]);
  });
});
