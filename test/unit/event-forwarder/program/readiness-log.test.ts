import { beforeEach, expect, it } from 'vitest';
import type { Check } from '#functions/event-forwarder/program/checks.ts';
import { ReadinessLog } from '#functions/event-forwarder/program/readiness-log.ts';

type Line = readonly [message: string, fields: Readonly<Record<string, unknown>>];

let lines: Line[];
let log: ReadinessLog;

beforeEach(() => {
  lines = [];
  const write = (...line: Line): void => void lines.push(line);
  const ignored = (): void => undefined;
  log = new ReadinessLog({ info: write, warn: write, error: ignored, setEpoch: ignored });
});

function notice(name: string, text: string): Check {
  return { name, ok: true, text, notice: true };
}

const LEFT_OUT = 'leases.coordination.k8s.io/v1';

it('a notice is logged once, when it appears, also where nothing fails', () => {
  const work = notice('notice', 'ManifestWork a: no WDS');
  log.note([work]);
  log.note([work]);
  log.note([]);
  log.note([work, notice('notice', 'ManifestWork b: no WDS')]);
  expect(lines).toEqual([
    ['ready', {}],
    [
      'not everything is forwarded',
      { notices: [{ name: 'notice', text: 'ManifestWork a: no WDS' }], count: 1 },
    ],
    [
      'not everything is forwarded',
      { notices: [{ name: 'notice', text: 'ManifestWork b: no WDS' }], count: 1 },
    ],
  ]);
});

it('a resource that is left out is logged once, whatever the words of the refusal are', () => {
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

it('notices beyond a thousand do not stay in memory: the first of them is told again', () => {
  for (let index = 0; index <= 1_000; index += 1) log.note([notice('notice', `work ${index}`)]);
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
