import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countVerdicts,
  isAmiss,
  rankOf,
  VERDICTS,
  verdictOfHealth,
  verdictOfReport,
  verdictOfWorkload,
  WORST_FIRST,
  worstOf,
} from '#shared/core/explanation/shown-verdict.ts';
import { ARGO_CD_ORDER } from '#shared/core/health/verdict.ts';
import { WEC_STATES } from '#shared/core/status-api/wec-status.ts';

const FAMILIES = ['bad', 'absent', 'moving', 'rest', 'fine'];

describe('the verdicts', () => {
  it('are all of Argo CD and all states of reports, and refusals', () => {
    expect(new Set(WORST_FIRST)).toEqual(new Set([...ARGO_CD_ORDER, ...WEC_STATES, 'Refused']));
  });

  it('are in the order of their families: what is fine is last', () => {
    const ranks = WORST_FIRST.map((verdict) => FAMILIES.indexOf(VERDICTS[verdict].family));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect(WORST_FIRST.filter((verdict) => !isAmiss(verdict))).toEqual([
      ...['Suspended', 'Reported', 'Healthy'],
    ]);
  });

  it('are in the order of Argo CD, but what is not known is not worse than what is bad', () => {
    const known = ARGO_CD_ORDER.filter((one) => one !== 'Unknown').toReversed();
    expect(known.toSorted((a, b) => rankOf(a) - rankOf(b))).toEqual(known);
    expect(rankOf('Unknown')).toBeGreaterThan(rankOf('Degraded'));
    expect(rankOf('Unknown')).toBeLessThan(rankOf('Missing'));
  });

  it('have a worst one, which is that of the lowest rank', () => {
    expect(worstOf([])).toBe('Reported');
    expect(worstOf(['Healthy', 'Unknown', 'Degraded', 'Missing'])).toBe('Degraded');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORST_FIRST), { minLength: 1 }), (some) => {
        expect(rankOf(worstOf(some))).toBe(Math.min(...some.map(rankOf)));
      }),
    );
  });

  it('are counted worst first, and none is lost', () => {
    expect([...countVerdicts(['Healthy', 'Silent', 'Healthy', 'Degraded'])]).toEqual([
      ['Degraded', 1],
      ['Silent', 1],
      ['Healthy', 2],
    ]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORST_FIRST)), (some) => {
        const counts = [...countVerdicts(some).values()];
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(some.length);
      }),
    );
  });
});

describe('the verdict of a report', () => {
  it.each([
    ['Silent', 'Degraded', 'Silent'],
    ['Silent', undefined, 'Silent'],
    ['TooLarge', 'Missing', 'TooLarge'],
    ['Missing', 'Missing', 'Missing'],
    ['NotReported', 'Missing', 'NotReported'],
    ['Reported', 'Suspended', 'Suspended'],
    ['Reported', undefined, 'Reported'],
    ['Reported', 'Wonderful', 'Unknown'],
    // A state of a later version.
    ['Forgotten', 'Degraded', 'Degraded'],
  ])('in the state %s with the health %s is %s', (state, health, verdict) => {
    expect(verdictOfReport(state, health)).toBe(verdict);
  });

  it('is that of its health, as far as that is known', () => {
    for (const health of ARGO_CD_ORDER) expect(verdictOfHealth(health)).toBe(health);
    expect(verdictOfHealth('Refused')).toBe('Unknown');
  });
});

describe('the verdict of a workload object', () => {
  const wecs = { qualified: 3, reported: 3, silent: [], missing: [], tooLarge: [] };
  const verdict = { status: 'Healthy', message: '', decidedBy: [], others: {} } as const;

  it('is that of Argo CD, if all WECs have reported', () => {
    expect(verdictOfWorkload({ wecs, verdict })).toBe('Healthy');
    expect(verdictOfWorkload({ wecs })).toBe('Reported');
  });

  it('is not made worse by a silent WEC, whose last word counts', () => {
    expect(verdictOfWorkload({ wecs: { ...wecs, silent: ['a'] }, verdict })).toBe('Healthy');
  });

  it('is the worst of what WECs lack and of what the WDS refuses', () => {
    expect(verdictOfWorkload({ wecs: { ...wecs, missing: ['a'] }, verdict })).toBe('Missing');
    const tooLarge = { ...wecs, missing: ['a'], tooLarge: ['b'] };
    expect(verdictOfWorkload({ wecs: tooLarge, verdict })).toBe('TooLarge');
    expect(verdictOfWorkload({ wecs, verdict, refused: ['no'] })).toBe('Refused');
    const degraded = { ...verdict, status: 'Degraded' } as const;
    expect(verdictOfWorkload({ wecs: tooLarge, verdict: degraded, refused: ['no'] })).toBe(
      'Degraded',
    );
  });
});
