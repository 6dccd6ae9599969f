import { describe, expect, it } from 'vitest';
import {
  allReporting,
  NO_WECS,
  neverReportedWec,
  notReporting,
  silentSince,
} from '#shared/core/binding/messages.ts';
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
      message: allReporting(2),
    });
    expect(reporting(['a']).message).toBe(allReporting(1));
  });

  it('report if there is none', () => {
    expect(reporting([])).toEqual({
      status: 'True',
      reason: 'NoWECs',
      message: NO_WECS,
    });
  });

  it('that are silent are named, with when they were last heard of, the longest silence first', () => {
    expect(reporting(['a', 'b', 'c'], { silent: { a: SINCE, b: BEFORE, other: SINCE } })).toEqual({
      status: 'False',
      reason: 'WECsSilent',
      message: notReporting(2, 3, `${silentSince('b', BEFORE)}, ${silentSince('a', SINCE)}`),
    });
  });

  it('that are silent since the same time are in the order of their names, and those first of which the time is missing', () => {
    const { message } = reporting(['d', 'c', 'b', 'a'], {
      silent: { d: undefined, c: undefined, b: SINCE, a: SINCE },
    });
    expect(message).toContain(
      `: ${silentSince('c')}, ${silentSince('d')}, ${silentSince('a', SINCE)}, ${silentSince('b', SINCE)}`,
    );
  });

  it('that have never reported are named after them', () => {
    expect(reporting(['a', 'b'], { never: ['a'] })).toEqual({
      status: 'False',
      reason: 'WECsNeverReported',
      message: notReporting(1, 2, neverReportedWec('a')),
    });
    const both = reporting(['a', 'b'], { never: ['a'], silent: { b: SINCE } });
    expect(both.reason).toBe('WECsSilent');
    expect(both.message).toContain(`: ${silentSince('b', SINCE)}, ${neverReportedWec('a')}`);
  });

  it('of which both is known have never reported: what was known before they left is no more', () => {
    const { message } = reporting(['a'], { never: ['a'], silent: { a: SINCE } });
    expect(message).toBe(notReporting(1, 1, neverReportedWec('a')));
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
