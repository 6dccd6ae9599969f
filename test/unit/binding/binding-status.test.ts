import { describe, expect, it } from 'vitest';
import {
  type BindingReport,
  bindingStatus,
  heldStatus,
  isReported,
} from '#shared/core/binding/binding-status.ts';
import { ALL_AVAILABLE, invalidCollectors } from '#shared/core/binding/messages.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOW = '2026-01-01T00:00:00Z';
const BEFORE = '2025-01-01T00:00:00Z';
const AVAILABLE = {
  type: 'StatusCollectorsAvailable',
  status: 'True',
  lastTransitionTime: BEFORE,
  reason: 'ReconcileSuccess',
  message: ALL_AVAILABLE,
};
const MISSING = {
  type: 'StatusCollectorsAvailable',
  status: 'False',
  lastTransitionTime: NOW,
  reason: 'ReconcileError',
  message: 'Missing StatusCollector(s) [a b]',
};
const SYNCED = { type: 'Synced', status: 'True' };

function binding(status?: JsonObject): JsonObject {
  return { metadata: { generation: 4 }, ...(status === undefined ? {} : { status }) };
}

const FINE = { missingCollectors: [], errors: [] };
const AMISS = { missingCollectors: ['a', 'b'], errors: ['bad row'] };

describe('bindingStatus', () => {
  it('of a Binding without status reports that the collectors are there', () => {
    expect(bindingStatus(binding(), FINE, NOW)).toEqual({
      observedGeneration: 4,
      conditions: [{ ...AVAILABLE, lastTransitionTime: NOW }],
    });
  });

  it('takes 0 for the generation of an object that has none', () => {
    expect(bindingStatus({}, FINE, NOW)['observedGeneration']).toBe(0);
  });

  it('keeps the time of a condition whose status stays, and its place among the others', () => {
    const before = binding({ conditions: [AVAILABLE, SYNCED] });
    expect(bindingStatus(before, FINE, NOW)['conditions']).toEqual([AVAILABLE, SYNCED]);
  });

  it('names missing collectors, with the time of the transition, after the conditions of others', () => {
    const before = binding({ conditions: [SYNCED, AVAILABLE] });
    expect(bindingStatus(before, AMISS, NOW)['conditions']).toEqual([SYNCED, MISSING]);
    expect(bindingStatus(binding({ conditions: [SYNCED] }), AMISS, NOW)['conditions']).toEqual([
      SYNCED,
      MISSING,
    ]);
  });

  it.each([
    [['b'], `Missing StatusCollector(s) [a]; ${invalidCollectors('b')}`],
    [['a', 'b'], invalidCollectors('a b')],
    [[], 'Missing StatusCollector(s) [a b]'],
  ])(
    'distinguishes the invalid ones among them, %j, from those that do not exist',
    (invalid, message) => {
      const report = { ...AMISS, invalidCollectors: invalid };
      expect(bindingStatus(binding(), report, NOW)['conditions']).toEqual([
        { ...MISSING, message },
      ]);
    },
  );

  describe('with what is known of its WECs', () => {
    const reporting = { status: 'False', reason: 'WECsSilent', message: '1 of 2' } as const;
    const REPORTING = { type: 'WECsReporting', ...reporting, observedGeneration: 4 };
    const conditions = (before: readonly JsonObject[], report: BindingReport): JsonValue =>
      bindingStatus(binding({ conditions: [...before] }), report, NOW)['conditions'] ?? null;

    it('reports whether they report, for the generation that it has', () => {
      expect(conditions([AVAILABLE], { ...FINE, reporting })).toEqual([
        AVAILABLE,
        { ...REPORTING, lastTransitionTime: NOW },
      ]);
    });

    it('keeps the time of the transition while other WECs are silent', () => {
      const before = { ...REPORTING, message: '2 of 2', lastTransitionTime: BEFORE };
      expect(conditions([before, AVAILABLE], { ...FINE, reporting })).toEqual([
        { ...REPORTING, lastTransitionTime: BEFORE },
        AVAILABLE,
      ]);
      const all = { status: 'True', reason: 'AllReporting', message: '2' } as const;
      expect(conditions([before, AVAILABLE], { ...FINE, reporting: all })).toEqual([
        { ...REPORTING, ...all, lastTransitionTime: NOW },
        AVAILABLE,
      ]);
    });

    it('keeps the present status if nothing is known', () => {
      const before = { ...REPORTING, lastTransitionTime: BEFORE };
      expect(conditions([before, AVAILABLE], FINE)).toEqual([before, AVAILABLE]);
    });
  });

  it('keeps the errors and fields of others and replaces its own', () => {
    const before = binding({ errors: ['theirs', 'starfold: old', 7], phase: 'x' });
    const status = bindingStatus(before, AMISS, NOW);
    expect(status['errors']).toEqual(['theirs', 7, 'starfold: bad row']);
    expect(status['phase']).toBe('x');
    expect(bindingStatus(before, FINE, NOW)['errors']).toEqual(['theirs', 7]);
  });

  it('leaves out an empty list of errors', () => {
    const status = bindingStatus(binding({ errors: ['starfold: old'] }), FINE, NOW);
    expect(status).not.toHaveProperty('errors');
  });

  it('replaces a status that is not an object, and lists that are none', () => {
    expect(bindingStatus({ status: 'odd' }, FINE, NOW)).toHaveProperty('conditions');
    const odd = binding({ conditions: 'none', errors: 'none' });
    expect(bindingStatus(odd, FINE, NOW)).toEqual(bindingStatus(binding(), FINE, NOW));
  });
});

describe('heldStatus', () => {
  const two = { sources: ['wds/w', 'wec/a'], count: 2, since: NOW };

  it('adds one error to what stands, and leaves all else of it, its own errors too', () => {
    const before = { phase: 'x', conditions: [MISSING], errors: ['theirs', 'starfold: old', 7] };
    const { errors, ...rest } = heldStatus(binding(before), two);
    expect(rest).toEqual({ phase: 'x', conditions: [MISSING] });
    expect(errors).toEqual([
      'theirs',
      'starfold: old',
      7,
      expect.stringMatching(
        `^starfold: held since ${NOW}: .* 2 sources have .* \\(wds/w, wec/a\\);`,
      ),
    ]);
  });

  it('replaces an older one, and goes with the next status', () => {
    const before = binding(heldStatus(binding({ errors: ['theirs'] }), two));
    const after = heldStatus(before, { ...two, sources: ['wec/a'], count: 1 });
    expect(after['errors']).toEqual(['theirs', expect.stringContaining(' 1 source has ')]);
    expect(bindingStatus(binding(after), FINE, NOW)['errors']).toEqual(['theirs']);
  });

  it('names three of many, and the number of the others', () => {
    const sources = ['wec/a', 'wec/b', 'wec/c', 'wec/d'];
    const { errors } = heldStatus(binding(), { ...two, sources, count: 121 });
    expect(errors).toEqual([expect.stringContaining('(wec/a, wec/b, wec/c and 118 more)')]);
  });
});

describe('isReported', () => {
  it.each<[string, JsonObject | undefined, boolean]>([
    ['has no status', undefined, false],
    ['has a status without conditions', { observedGeneration: 4 }, false],
    ['has the conditions of others alone', { conditions: [SYNCED] }, false],
    ['says that the collectors are there', { conditions: [SYNCED, AVAILABLE] }, true],
    ['says that some are missing', { conditions: [MISSING] }, true],
    ['has something else for conditions', { conditions: 'x' }, false],
    ['has no condition among its conditions', { conditions: ['x', null] }, false],
  ])('of an object that %s', (_what, status, is) => {
    expect(isReported(binding(status))).toBe(is);
  });
});
