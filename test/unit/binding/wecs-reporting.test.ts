import { describe, expect, it } from 'vitest';
import { bindingSilenceMs, wecsReporting } from '#shared/core/binding/wecs-reporting.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';

const SINCE = '2026-11-25T10:00:00Z';
const BEFORE = '2026-11-25T09:00:00Z';

function reporting(
  destinations: readonly string[],
  {
    silent = {},
    never = [],
  }: {
    readonly silent?: Readonly<Record<string, string | undefined>>;
    readonly never?: readonly string[];
  } = {},
) {
  const entries = Object.entries(silent).map(
    ([wec, since]) => [wec, since === undefined ? {} : { since }] as const,
  );
  const hasReported = (wec: string) => !never.includes(wec);
  return wecsReporting({ destinations, silent: new Map(entries), hasReported });
}

function names(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_wec, index) => `${prefix}${index + 10}`);
}

describe('the WECs of a Binding', () => {
  it('report all, and one is one', () => {
    expect(reporting(['a', 'b'])).toEqual({
      status: 'True',
      reason: 'AllReporting',
      message: '2 WECs reporting',
    });
    expect(reporting(['a']).message).toBe('1 WEC reporting');
  });

  it('report if there is none', () => {
    expect(reporting([])).toEqual({
      status: 'True',
      reason: 'NoWECs',
      message: 'The Binding names no WECs',
    });
  });

  it('that are silent are named, with when they were last heard of, the longest silence first', () => {
    expect(reporting(['a', 'b', 'c'], { silent: { a: SINCE, b: BEFORE, other: SINCE } })).toEqual({
      status: 'False',
      reason: 'WECsSilent',
      message: `2 of 3 WECs not reporting: b (silent since ${BEFORE}), a (silent since ${SINCE})`,
    });
  });

  it('that are silent since the same time are in the order of their names, and those first of which the time is missing', () => {
    const { message } = reporting(['d', 'c', 'b', 'a'], {
      silent: { d: undefined, c: undefined, b: SINCE, a: SINCE },
    });
    expect(message).toContain(
      `: c (silent), d (silent), a (silent since ${SINCE}), b (silent since ${SINCE})`,
    );
  });

  it('that have never reported are named after them', () => {
    expect(reporting(['a', 'b'], { never: ['a'] })).toEqual({
      status: 'False',
      reason: 'WECsNeverReported',
      message: '1 of 2 WECs not reporting: a (never reported)',
    });
    const both = reporting(['a', 'b'], { never: ['a'], silent: { b: SINCE } });
    expect(both.reason).toBe('WECsSilent');
    expect(both.message).toContain(`: b (silent since ${SINCE}), a (never reported)`);
  });

  it('of which both is known have never reported: what was known before they left is no more', () => {
    const { message } = reporting(['a'], { never: ['a'], silent: { a: SINCE } });
    expect(message).toBe('1 of 1 WEC not reporting: a (never reported)');
  });

  it('are ten names, and the number of the others', () => {
    const wecs = names('a', 10);
    const silent = Object.fromEntries(wecs.map((wec) => [wec, SINCE]));
    expect(reporting(wecs, { silent }).message).not.toContain('more');
    const never = names('n', 3);
    const { message } = reporting([...wecs, ...never], { silent, never });
    expect(message).toMatch(/^13 of 13 WECs not reporting: a10 /);
    expect(message).toMatch(/a19 \(silent since [^)]*\), and 3 more$/);
  });
});

describe('the WECs of a Binding are silent', () => {
  it.each([
    ['after five minutes', undefined, SILENCE_LIMIT_MS],
    ['after five minutes also where it waits longer', 3_600_000, SILENCE_LIMIT_MS],
    ['after its own time where that is less', 60_000, 60_000],
  ])('%s', (_what, own, silenceMs) => {
    expect(bindingSilenceMs(own)).toBe(silenceMs);
  });
});
