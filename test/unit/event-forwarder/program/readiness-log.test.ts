import { beforeEach, expect, it } from 'vitest';
import { NOT_EVERYTHING } from '#functions/event-forwarder/program/check-messages.ts';
import type { Check } from '#functions/event-forwarder/program/checks.ts';
import { ReadinessLog } from '#functions/event-forwarder/program/readiness-log.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

type Line = readonly [message: string, fields: Readonly<Record<string, unknown>>];

let lines: Line[];
let log: ReadinessLog;
let time: VirtualTime;
let stopping: AbortController;

beforeEach(() => {
  lines = [];
  const write = (...line: Line): void => void lines.push(line);
  const ignored = (): void => undefined;
  const logger = { info: write, warn: write, error: ignored, setEpoch: ignored };
  time = new VirtualTime();
  stopping = new AbortController();
  log = new ReadinessLog(logger, time.sleep, stopping.signal);
});

function notice(name: string, text: string): Check {
  return { name, ok: true, text, notice: true };
}

const LEFT_OUT = 'leases.coordination.k8s.io/v1';

/** Ends the time for which changes are gathered. */
const GATHERED_MS = 5_000;

it('a notice is logged once, when it appears, also if nothing fails', async () => {
  const work = notice('notice', 'ManifestWork a: no WDS');
  log.note([work]);
  log.note([work]);
  log.note([]);
  log.note([work, notice('notice', 'ManifestWork b: no WDS')]);
  expect(lines).toHaveLength(2);
  await time.advance(GATHERED_MS);
  expect(lines).toEqual([
    ['ready', {}],
    [NOT_EVERYTHING, { notices: [{ name: 'notice', text: 'ManifestWork a: no WDS' }], count: 1 }],
    [NOT_EVERYTHING, { notices: [{ name: 'notice', text: 'ManifestWork b: no WDS' }], count: 1 }],
  ]);
});

it('a resource that is left out is logged once, regardless of the text of the rejection', () => {
  log.note([notice(LEFT_OUT, 'forbidden')]);
  log.note([notice(LEFT_OUT, 'forbidden, try later')]);
  expect(lines.slice(1)).toHaveLength(1);
});

it('of very many notices only some are in a line, and how many there are', () => {
  const many = Array.from({ length: 50 }, (_one, index) => notice('notice', `work ${index}`));
  log.note(many);
  const { notices, count } = lines[1]?.[1] ?? {};
  expect([notices, count]).toEqual([expect.objectContaining({ length: 20 }), 50]);
});

it('notices beyond a thousand do not stay in memory: the first of them is reported again', async () => {
  for (let index = 0; index <= 1_000; index += 1) {
    log.note([notice('notice', `work ${index}`)]);
    await time.advance(GATHERED_MS);
  }
  log.note([notice('notice', 'work 0')]);
  expect(lines.at(-1)?.[1]).toMatchObject({ notices: [{ text: 'work 0' }] });
});

it('the checks that fail are logged when others than before do', () => {
  const queue = (text: string): Check => ({ name: 'queue', ok: false, text });
  log.note([queue('refused')]);
  log.note([queue('no answer')]);
  log.note([]);
  expect(lines).toEqual([
    ['not ready', { checks: [queue('refused')], failing: 1 }],
    ['ready', {}],
  ]);
});

function waiting(name: string): Check {
  return { name, ok: false, text: 'cannot be listed' };
}

it('many resources that are rejected and given up one after the other are one line each time', async () => {
  const source = waiting('source');
  const names = Array.from({ length: 30 }, (_one, index) => `r${index}.example.com/v1`);
  log.note([source]);
  for (let index = 0; index <= names.length; index += 1)
    log.note([source, ...names.slice(0, index).map(waiting)]);
  for (let index = 0; index < names.length; index += 1)
    log.note([
      source,
      ...names.slice(0, index).map((name) => notice(name, 'left out')),
      ...names.slice(index).map(waiting),
    ]);
  log.note(names.map((name) => notice(name, 'left out')));
  await time.advance(10 * GATHERED_MS);
  expect(lines.map(([message]) => message)).toEqual([...['not ready', 'ready', NOT_EVERYTHING]]);
  expect(lines[2]?.[1]).toMatchObject({ count: 30 });
});

it('checks that fail one after the other are logged when they last', async () => {
  log.note([waiting('a')]);
  log.note([waiting('a'), waiting('b')]);
  log.note([waiting('b')]);
  await time.advance(GATHERED_MS - 1);
  expect(lines).toHaveLength(1);
  await time.advance(1);
  expect(lines.slice(1)).toEqual([['not ready', { checks: [waiting('b')], failing: 1 }]]);
  await time.advance(GATHERED_MS);
  expect(lines).toHaveLength(2);
});

it('nothing is logged after the process was asked to stop', async () => {
  log.note([waiting('a')]);
  log.note([waiting('b')]);
  stopping.abort();
  await time.advance(GATHERED_MS);
  expect(lines).toHaveLength(1);
});
