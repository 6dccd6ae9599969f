import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { BoardRow, BoardWorkload } from '#local/start/board.ts';
import {
  combinedStatusOf,
  countsOf,
  errorCount,
  GONE,
  NO_ROWS,
  NOT_READ_HERE,
  withRemark,
} from '#local/start/display-messages.ts';
import { ChangeLines } from '#local/start/lines.ts';
import { lineOutput } from '#local/start/output.ts';
import type { View } from '#local/start/view.ts';
import { OBJECT_MISSING } from '#shared/core/status-api/messages.ts';

const ROW: BoardRow = {
  cluster: 'wec1',
  isWds: false,
  sight: { state: 'seen' },
  present: true,
  ready: '1/3',
  updated: '3',
  available: '0',
  seen: '1/1',
  health: { status: 'Progressing' },
};
const WDS: BoardRow = { ...ROW, cluster: 'wds1', isWds: true, present: false, health: null };
const WEB: BoardWorkload = {
  name: 'deployments.apps shop/web',
  rows: [ROW, WDS],
  tables: [
    {
      collector: 'n',
      columns: ['a', 'b'],
      rows: [
        ['1', '2'],
        ['3', '4'],
      ],
      errors: 1,
    },
  ],
};

/** The thing that the results of the collector are. */
const RESULT = `wds1 ${combinedStatusOf('n', WEB.name)}`;

const VIEW: View = {
  title: 'Starfold',
  progress: '',
  workloads: [],
  problems: [],
  counters: { changesPerSecond: 0, backlog: 0, latencyMs: undefined },
  hints: [],
  messages: [],
};

test('says of a WEC that is not read here that nothing of it is known', () => {
  const row: BoardRow = { ...ROW, present: false, sight: { state: 'elsewhere' }, health: null };
  const lines = new ChangeLines();
  expect(lines.changes([{ ...WEB, rows: [row], tables: [] }])).toEqual([
    `wec1 ${WEB.name}: ${NOT_READ_HERE}`,
  ]);
});

test('says everything once, then only what has changed', () => {
  const lines = new ChangeLines();
  expect(lines.changes([WEB])).toEqual([
    `wec1 ${WEB.name}: ${countsOf(ROW, 'Progressing')}`,
    `wds1 ${WEB.name}: ${OBJECT_MISSING}`,
    `${RESULT}: ${withRemark('a=1 b=2; a=3 b=4', errorCount(1))}`,
  ]);
  expect(lines.changes([WEB])).toEqual([]);
  const later = { ...ROW, ready: '2/3', health: null };
  expect(lines.changes([{ ...WEB, rows: [later, WDS] }])).toEqual([
    `wec1 ${WEB.name}: ${countsOf(later)}`,
  ]);
});

test('an object that disappears is shown as gone, and shown again when it returns', () => {
  const lines = new ChangeLines();
  lines.changes([WEB]);
  expect(lines.changes([{ ...WEB, tables: [] }])).toEqual([`${RESULT}: ${GONE}`]);
  expect(lines.changes([WEB])).toEqual([
    `${RESULT}: ${withRemark('a=1 b=2; a=3 b=4', errorCount(1))}`,
  ]);
  lines.say('wec1 forwarder', 'connected');
  expect(lines.changes([])).toHaveLength(3);
  expect(lines.say('wec1 forwarder', 'connected')).toEqual([]);
});

test('an empty result is said as such', () => {
  const tables = [{ collector: 'n', columns: ['a'], rows: [], errors: 0 }];
  expect(new ChangeLines().changes([{ ...WEB, rows: [WDS], tables }]).at(-1)).toBe(
    `${RESULT}: ${NO_ROWS}`,
  );
});

test('a single statement is said when it is another than before', () => {
  const lines = new ChangeLines();
  expect(lines.say('wec1 forwarder', 'connected')).toEqual(['wec1 forwarder: connected']);
  expect(lines.say('wec1 forwarder', 'connected')).toEqual([]);
  expect(lines.say('wec1 forwarder', 'down')).toEqual(['wec1 forwarder: down']);
});

test('a line has no character that controls the terminal, and no line break', () => {
  let written = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  const output = lineOutput(stream, () => new Date('2026-01-01T12:00:00Z'));
  output.say('wds1 forwarder\u001B[2J', 'a\r\nb\u0085c');
  const table = { collector: 'n', columns: ['a\n'], rows: [['\u001B]0;x\u0007 1']], errors: 0 };
  const workloads = [{ ...WEB, rows: [WDS], tables: [table] }];
  output.changed(() => ({ ...VIEW, workloads }));
  expect(written.split('\n')).toEqual([
    '12:00:00.000 wds1 forwarder [2J: a b c',
    `12:00:00.000 wds1 ${WEB.name}: ${OBJECT_MISSING}`,
    `12:00:00.000 ${RESULT}: a = ]0;x  1`,
    '',
  ]);
  const before = written;
  output.end(() => VIEW);
  output.say('wds1 forwarder', 'late');
  output.changed(() => ({ ...VIEW, workloads: [] }));
  expect(written).toBe(before);
});
