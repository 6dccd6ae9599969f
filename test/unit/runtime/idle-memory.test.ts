import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { collectAtRest } from '#shared/runtime/idle-memory.ts';

const LOOK_MS = 10_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A thread that is busy for these parts of its looks, one after the other. */
function threadOf(utilizations: readonly number[]) {
  const left = [...utilizations];
  return { utilization: () => left.shift() ?? 0 };
}

/** How often garbage was collected after each look. */
function collectedAfter(utilizations: readonly number[]): readonly number[] {
  const collect = vi.fn();
  const end = collectAtRest(threadOf(utilizations), collect);
  const counts = utilizations.map(() => {
    vi.advanceTimersByTime(LOOK_MS);
    return collect.mock.calls.length;
  });
  end();
  return counts;
}

it('collects once when the thread rests, and again after it was busy', () => {
  expect(collectedAfter([0.9, 0.05, 0.01, 0, 0.5, 0.02, 0.3, 0.3])).toEqual([
    0, 1, 1, 1, 1, 2, 2, 2,
  ]);
});

it('collects after the start', () => {
  expect(collectedAfter([0.01, 0.01])).toEqual([1, 1]);
});

it('does nothing after its end', () => {
  const collect = vi.fn();
  collectAtRest(threadOf([]), collect)();
  vi.advanceTimersByTime(2 * LOOK_MS);
  expect(collect).not.toHaveBeenCalled();
});

it('takes garbage away that V8 has kept', async () => {
  vi.useRealTimers();
  const garbage: WeakRef<object>[] = [];
  await turn();
  garbage.push(new WeakRef({}));
  // What a WeakRef was made of is kept until the end of the turn.
  await turn();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const end = collectAtRest(threadOf([]));
  vi.advanceTimersByTime(LOOK_MS);
  end();
  expect(garbage[0]?.deref()).toBeUndefined();
});
