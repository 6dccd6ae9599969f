import { describe, expect, it } from 'vitest';
import { remarksOf, sentenceOf } from '#extensions/argocd/sentence.ts';
import type { DecidingWec } from '#shared/core/explanation/deciding-wecs.ts';
import type { Explanation } from '#shared/core/explanation/explanation.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import { NOT_NAMED } from '#shared/core/status-api/messages.ts';

const EXPLANATION: Explanation = {
  apiVersion: 'status.starfold.dev/v1alpha1',
  kind: 'Explanation',
  metadata: { name: 'deployments.apps:web', namespace: 'shop' },
  workload: { ...{ group: 'apps', resource: 'deployments', kind: 'Deployment' }, name: 'web' },
  decision: { action: 'Aggregate', reason: '1 Binding asks', bindings: [] },
  wecs: { qualified: 40, reported: 40, silent: [], missing: [], tooLarge: [] },
  verdict: { status: 'Healthy', message: '', decidedBy: ['a'], others: { Healthy: 39 } },
  fields: [],
  deciders: [],
};

function said(change: Partial<Explanation>, deciders: readonly DecidingWec[] = []): string {
  return sentenceOf({ ...EXPLANATION, deciders, ...change })
    .map((piece) => Object.values(piece).join())
    .join('');
}

function verdict(
  status: 'Degraded' | 'Progressing' | 'Missing',
  decidedBy: readonly string[],
  others = {},
) {
  return { verdict: { status, message: '', decidedBy, others } };
}

describe('the sentence of an object', () => {
  it('is short if everything is Healthy', () => {
    expect(said({})).toBe('Healthy in all 40 WECs.');
    const wecs = { ...EXPLANATION.wecs, qualified: 1 };
    expect(said({ wecs })).toBe('Healthy in its WEC.');
  });

  it('says why Healthy may not be the whole truth', () => {
    const wecs = { ...EXPLANATION.wecs, silent: ['a', 'b'], missing: ['c'], tooLarge: ['d'] };
    expect(said({ wecs })).toBe(
      'Healthy, but 2 WECs are silent, 1 WEC has no status that counts and 1 WEC has a status that is too large.',
    );
  });

  it.each<[DecidingWec, string]>([
    [{ wec: 'a', state: 'Reported', health: { status: 'Degraded' } }, 'a is Degraded'],
    [{ wec: 'a', state: 'Silent', health: { status: 'Healthy' } }, 'a is silent'],
    [{ wec: 'a', state: 'Silent' }, 'a is silent'],
    [{ wec: 'a', state: 'Missing', health: { status: 'Missing' } }, 'a does not have the object'],
    [{ wec: 'a', state: 'NotReported', health: { status: 'Missing' } }, 'a has not reported'],
    [
      { wec: 'a', state: 'TooLarge', health: { status: 'Missing' } },
      'a has a status that is too large',
    ],
  ])('names what the WEC is that is to blame: %j', (row, words) => {
    expect(said(verdict('Degraded', ['a']), [row])).toBe(`Degraded, because ${words}.`);
  });

  it.each<[ArgoCdStatus, string]>([
    ['Degraded', 'because of a (silent, last said Degraded)'],
    ['Progressing', 'because of a (silent, last said Progressing)'],
    // It has never reported the object.
    ['Missing', 'because a is silent'],
  ])('says what a silent WEC that is to blame said last: %s', (health, words) => {
    const rows: readonly DecidingWec[] = [
      { wec: 'a', state: 'Silent', health: { status: health } },
    ];
    expect(said(verdict('Degraded', ['a']), rows)).toBe(`Degraded, ${words}.`);
  });

  it('counts the other WECs that are to blame, also those that the explanation does not name', () => {
    const rows: readonly DecidingWec[] = [
      { wec: 'a', state: 'Reported', health: { status: 'Degraded' } },
    ];
    const two = verdict('Degraded', ['a', 'b'], { Healthy: 8 });
    expect(said(two, rows)).toBe('Degraded, because a and 1 other WEC are Degraded.');
    const many = verdict('Degraded', ['a', 'b'], { Degraded: 1_500, Healthy: 8 });
    expect(said(many, rows)).toBe('Degraded, because a and 1,501 other WECs are Degraded.');
  });

  it('claims nothing of a WEC that it does not know, or that seems to be fine', () => {
    expect(said(verdict('Progressing', ['a']))).toBe('Progressing, because of a.');
    const rows: readonly DecidingWec[] = [
      { wec: 'a', state: 'Reported', health: { status: 'Healthy' } },
    ];
    expect(said(verdict('Progressing', ['a']), rows)).toBe('Progressing, because of a.');
    expect(said(verdict('Progressing', []))).toBe('Progressing.');
  });

  it('says what happens to a status on which there is no verdict', () => {
    const { verdict: _verdict, ...bare } = EXPLANATION;
    const ask = (change: Partial<Explanation>) =>
      sentenceOf({ ...bare, ...change }).map((piece) => Object.values(piece).join());
    const decision = { reason: NOT_NAMED, bindings: [] };
    expect(ask({})).toEqual([
      '40 WECs of 40 have reported. Argo CD has no health rule for Deployment.',
    ]);
    expect(ask({ decision: { ...decision, action: 'Clear' } })).toEqual([
      `Starfold writes no status: ${NOT_NAMED}.`,
    ]);
    expect(ask({ decision: { ...decision, action: 'Leave' } })).toEqual([
      `Starfold does not change the status: ${NOT_NAMED}.`,
    ]);
  });
});

describe('the remarks', () => {
  it('are what Argo CD says, what stands in the way, and what is rejected', () => {
    expect(remarksOf(EXPLANATION)).toEqual([]);
    expect(
      remarksOf({
        ...EXPLANATION,
        verdict: { status: 'Degraded', message: 'too late', decidedBy: [], others: {} },
        applied: { upToDate: false, problem: 'the WDS does not answer' },
        refused: ['status: no'],
      }),
    ).toEqual([
      'too late',
      'The WDS does not have this status yet: the WDS does not answer.',
      'The WDS rejects a part: status: no',
    ]);
    const behind = { ...EXPLANATION, applied: { upToDate: false } };
    expect(remarksOf(behind)).toEqual([
      'The WDS does not have this status yet: the reason is not known.',
    ]);
    expect(remarksOf({ ...EXPLANATION, applied: { upToDate: true } })).toEqual([]);
  });
});
