import { describe, expect, it, test } from 'vitest';
import { absenceText, nextSight, type Sight, stalenessText } from '#local/start/sight.ts';
import type { ReflectorPhase } from '#shared/watch/reflection.ts';

const ASKED: Sight = { state: 'asked' };
const LOST: Sight = { state: 'unreachable', since: '2026-11-25T10:00:05.000Z', wasSeen: true };

/** How a resource is seen after its reflector went through these phases, a second each. */
function after(...phases: readonly ReflectorPhase[]): Sight {
  return phases.reduce<Sight>((before, phase, index) => {
    const state = { phase, synced: false, listings: 0, watches: 0, failures: 0 };
    return nextSight(before, state, `2026-11-25T10:00:0${index}.000Z`);
  }, ASKED);
}

describe('what is said of an object that is not seen', () => {
  it.each<[readonly ReflectorPhase[], string]>([
    [[], 'has not answered yet'],
    [['listing'], 'has not answered yet'],
    [['listing', 'waiting', 'waiting'], 'unreachable since 10:00:01'],
    [['listing', 'connecting'], 'object missing'],
    [['listing', 'connecting', 'watching'], 'object missing'],
    [
      ['listing', 'connecting', 'waiting'],
      'unreachable since 10:00:02; the object was missing before',
    ],
    [['listing', 'waiting', 'connecting'], 'object missing'],
    [['listing', 'not-served'], 'object missing: its kind is not served there'],
    [['listing', 'forbidden'], 'may not be read'],
  ])('after %j is %s', (phases, text) => {
    expect(absenceText(after(...phases))).toBe(text);
  });
});

test('a WEC that is not read from here says since when it is silent', () => {
  const silentSince = '2026-11-25T10:00:05.000Z';
  expect(absenceText({ state: 'elsewhere' })).toBe('not read from here');
  expect(absenceText({ state: 'elsewhere', silentSince })).toBe(
    'not read from here; silent since 10:00:05',
  );
});

test('an object that was seen is shown with since when its cluster does not answer', () => {
  expect(stalenessText(LOST)).toBe('unreachable since 10:00:05');
  expect(stalenessText({ state: 'seen' })).toBe('');
});
