import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { BoardRow, BoardWorkload } from '#local/start/board.ts';
import {
  backlogCount,
  countersText,
  fleetLine,
  moreWorkloads,
  NO_BINDING,
  objectsDiffer,
  objectsRejected,
  withMoreWecs,
} from '#local/start/display-messages.ts';
import { render, type View } from '#local/start/view.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';

function row(cluster: string, available: number, status: ArgoCdStatus): BoardRow {
  return {
    cluster,
    isWds: cluster === 'wds1',
    sight: { state: 'seen' },
    present: true,
    ready: `${available}/3`,
    updated: '3',
    available: String(available),
    seen: '2/2',
    health: { status, message: status === 'Healthy' ? '' : `${available} of 3 are available` },
  };
}

const WEB: BoardWorkload = {
  name: 'deployments.apps rollout/web',
  rows: [
    row('wec1', 3, 'Healthy'),
    row('wec2', 1, 'Progressing'),
    {
      ...row('wec3', 0, 'Healthy'),
      present: false,
      ready: '-',
      updated: '-',
      available: '-',
      seen: '-',
      health: null,
    },
    row('wds1', 0, 'Progressing'),
  ],
  tables: [
    {
      collector: 'histogram',
      columns: ['n', 'wecs'],
      rows: [
        ['1', '1'],
        ['3', '1'],
      ],
      errors: 0,
    },
    { collector: 'late', columns: ['wec'], rows: [], errors: 2 },
  ],
};

const VIEW: View = {
  title: 'Starfold demo',
  progress: '4 s of 24 s',
  workloads: [WEB],
  problems: [{ cluster: 'wec3', problem: 'no answer' }],
  counters: { changesPerSecond: 2.25, backlog: 3, latencyMs: 21.4 },
  hints: ['Ctrl-C ends it'],
  messages: ['one', 'two', 'three', 'four'],
};

const PLAIN = { columns: 80, rows: 24, colors: false };

function lines(view: View, screen = PLAIN): readonly string[] {
  return render(view, screen).split('\n');
}

test('shows each WEC, the WDS, the collectors, the counters, what is wrong and what to do', () => {
  expect(lines(VIEW)).toEqual([
    `Starfold demo${' '.repeat(56)}4 s of 24 s`,
    '',
    'deployments.apps rollout/web',
    'CLUSTER     READY  UP-TO-DATE  AVAILABLE  SEEN  HEALTH',
    'wec1        3/3    3           3          2/2   Healthy',
    'wec2        1/3    3           1          2/2   Progressing',
    'wec3        -      -           -          -     object missing',
    'wds1 (WDS)  0/3    3           0          2/2   Progressing',
    '',
    'histogram   late',
    'N  WECS     (none)',
    '1  1        2 errors',
    '3  1',
    '',
    'wec3: no answer',
    'WEC changes 2.3/s   backlog 3   change → WDS 21 ms',
    '! three',
    '! four',
    'Ctrl-C ends it',
  ]);
});

test('a wide terminal has room for what Argo CD says', () => {
  const [wec2] = lines(VIEW, { ...PLAIN, columns: 120 }).filter((line) => line.startsWith('wec2'));
  expect(wec2).toMatch(/Progressing {3,}1 of 3 are available$/);
});

test('what is wrong gets a second line where it needs one', () => {
  const problem = `API server unavailable: list deployments.apps: ${'connect ECONNREFUSED '.repeat(3)}`;
  const shown = lines({ ...VIEW, problems: [{ cluster: 'wec3', problem }] });
  const at = shown.findIndex((line) => line.startsWith('wec3: '));
  expect(`${shown[at]}${shown[at + 1]?.slice(2)}`).toBe(`wec3: ${problem}`);
});

test('colours are a matter of the terminal, and change nothing else', () => {
  const colored = render(VIEW, { ...PLAIN, colors: true });
  expect(colored).toContain('\u001B[33mProgressing');
  expect(stripVTControlCharacters(colored)).toBe(render(VIEW, PLAIN));
});

describe('whatever the size of the terminal', () => {
  const many: BoardWorkload = {
    ...WEB,
    rows: [
      ...Array.from({ length: 60 }, (_, index) =>
        row(`edge${String(index).padStart(2, '0')}`, 3, index === 40 ? 'Degraded' : 'Healthy'),
      ),
      row('wds1', 0, 'Degraded'),
    ],
  };
  const busy: View = { ...VIEW, workloads: [many, WEB, WEB, WEB] };

  test.each([
    { columns: 80, rows: 24 },
    { columns: 40, rows: 24 },
    { columns: 20, rows: 10 },
    { columns: 200, rows: 60 },
    { columns: 80, rows: 8 },
    { columns: 0, rows: 0 },
  ])('the picture fits $columns x $rows', (size) => {
    for (const view of [VIEW, busy]) {
      const shown = lines(view, { ...size, colors: false });
      expect(shown.length).toBeLessThanOrEqual(Math.max(size.rows - 1, 5));
      for (const line of shown) expect(line.length).toBeLessThanOrEqual(Math.max(size.columns, 20));
    }
  });

  test('of too many WECs the ones that are not well are shown, and always the WDS', () => {
    const shown = lines(busy);
    expect(shown.some((line) => line.startsWith('edge40'))).toBe(true);
    expect(shown.some((line) => line.startsWith('wds1 (WDS)'))).toBe(true);
    const edges = shown.filter((line) => line.startsWith('edge')).length;
    expect(shown).toContain(withMoreWecs(WEB.name, 60 - edges));
  });

  test('of too many workload objects the first are shown, and how many are not', () => {
    const shown = lines(busy).filter((line) => line.startsWith(WEB.name)).length;
    expect(lines(busy)).toContain(moreWorkloads(busy.workloads.length - shown));
  });
});

test('before the first Binding it says what it waits for', () => {
  expect(render({ ...VIEW, workloads: [] }, PLAIN)).toContain(NO_BINDING);
});

const FLEET = { name: 'rancher1', mode: 'compare', connected: true, differing: 3 } as const;

test('the management cluster of Fleet has a line: mode, connection, how many objects differ', () => {
  const shown = lines({ ...VIEW, fleet: FLEET });
  const at = shown.indexOf(fleetLine(FLEET, objectsDiffer(3)));
  expect(shown[at + 1]).toBe(countersText(2.25, 3, 21.4));
});

test.each([
  [{ ...FLEET, differing: 1 }, objectsDiffer(1)],
  [{ ...FLEET, mode: 'write' }, objectsRejected(3)],
  [{ name: 'r', mode: 'compare', connected: false }, '-'],
] as const)('of Fleet it shows %j', (fleet, differing) => {
  expect(lines({ ...VIEW, fleet })).toContain(fleetLine(fleet, differing));
});

test('without a WDS it shows Fleet alone, and waits for no Binding', () => {
  const view = { ...VIEW, workloads: [], problems: [], messages: [], fleet: FLEET, hasWds: false };
  const shown = lines({ ...view, title: 'Starfold: Fleet rancher1', progress: '' });
  expect(shown.map((line) => line.trimEnd())).toEqual([
    'Starfold: Fleet rancher1',
    '',
    fleetLine(FLEET, objectsDiffer(3)),
    backlogCount(3),
    'Ctrl-C ends it',
  ]);
});

test('a problem and a message have no character that controls the terminal', () => {
  const problems = [{ cluster: 'wec3', problem: 'no\u001B[2J answer' }];
  const shown = lines({ ...VIEW, problems, messages: ['a\nb'] });
  expect(shown).toContain('wec3: no [2J answer');
  expect(shown).toContain('! a b');
});
