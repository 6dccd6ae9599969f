import { describe, expect, it, test } from 'vitest';
import {
  KIND_NOT_SERVED,
  missingBefore,
  NO_ANSWER_YET,
  NOT_READ_HERE,
  NOT_READABLE,
  silentSince,
  unreachableSince,
} from '#local/start/display-messages.ts';
import { absenceText, nextSight, type Sight, stalenessText } from '#local/start/sight.ts';
import { OBJECT_MISSING } from '#shared/core/status-api/messages.ts';
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
    [[], NO_ANSWER_YET],
    [['listing'], NO_ANSWER_YET],
    [['listing', 'waiting', 'waiting'], unreachableSince('10:00:01')],
    [['listing', 'connecting'], OBJECT_MISSING],
    [['listing', 'connecting', 'watching'], OBJECT_MISSING],
    [['listing', 'connecting', 'waiting'], missingBefore('10:00:02')],
    [['listing', 'waiting', 'connecting'], OBJECT_MISSING],
    [['listing', 'not-served'], KIND_NOT_SERVED],
    [['listing', 'forbidden'], NOT_READABLE],
  ])('after %j is %s', (phases, text) => {
    expect(absenceText(after(...phases))).toBe(text);
  });
});

test('a WEC that is not read from here says since when it is silent', () => {
  const sight = { state: 'elsewhere', silentSince: '2026-11-25T10:00:05.000Z' } as const;
  expect(absenceText({ state: 'elsewhere' })).toBe(NOT_READ_HERE);
  expect(absenceText(sight)).toBe(silentSince('10:00:05'));
});

test('an object that was seen is shown with since when its cluster does not answer', () => {
  expect(stalenessText(LOST)).toBe(unreachableSince('10:00:05'));
  expect(stalenessText({ state: 'seen' })).toBe('');
});
