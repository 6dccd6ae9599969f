import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nothingReceived, WATCH_NOT_ENDED } from '#shared/adapters/kubernetes/messages.ts';
import { WatchGuard } from '#shared/adapters/kubernetes/watch-guard.ts';

const TIMES = {
  minSeconds: 300,
  maxSeconds: 600,
  graceMs: 30_000,
  idleMs: 150_000,
  random: () => 0.5,
};

let guard: WatchGuard;

beforeEach(() => {
  vi.useFakeTimers();
  guard = new WatchGuard(TIMES);
});

afterEach(() => void vi.useRealTimers());

it('a guard considers a watch dead after the idle time, and hardly later', () => {
  guard.start();
  vi.advanceTimersByTime(150_000);
  expect(guard.signal.aborted).toBe(false);
  vi.advanceTimersByTime(15_000);
  expect(guard.signal.reason).toBe(nothingReceived(150));
});

it('a guard counts the idle time from the last word', () => {
  guard.start();
  vi.advanceTimersByTime(149_000);
  guard.heard();
  vi.advanceTimersByTime(150_000);
  expect(guard.signal.aborted).toBe(false);
  vi.advanceTimersByTime(15_000);
  expect(guard.signal.aborted).toBe(true);
});

it('a guard considers a watch dead that continues after its end, however much it says', () => {
  guard.start();
  expect(guard.timeoutSeconds).toBe(450);
  for (let second = 0; second < 479; second += 1) {
    vi.advanceTimersByTime(1000);
    guard.heard();
  }
  expect(guard.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(guard.signal.reason).toBe(WATCH_NOT_ENDED);
});

it('a guard leaves a watch alone that is not accepted yet, and one that has ended', () => {
  vi.advanceTimersByTime(3_600_000);
  guard.start();
  guard.stop();
  expect(vi.getTimerCount()).toBe(0);
  expect(guard.signal.aborted).toBe(false);
});
