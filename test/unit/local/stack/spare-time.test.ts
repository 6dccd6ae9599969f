import { beforeEach, describe, expect, it } from 'vitest';
import { spareTimeClock } from '#local/stack/spare-time.ts';

let now = 0;
let busy = 0;
const thread = { now: () => now, utilization: () => busy };
let clock: () => number;
beforeEach(() => {
  [now, busy] = [5_000, 0];
  clock = spareTimeClock(thread);
});

/** Lets time pass, with ten looks a second. Returns how much of it the clock shows. */
function pass(seconds: number): number {
  const before = clock();
  for (let look = 0; look < seconds * 10; look += 1) {
    now += 100;
    clock();
  }
  return clock() - before;
}

describe('the clock of the time to spare', () => {
  it('goes as fast as time while the thread is idle, or busy for most of it', () => {
    expect(pass(10)).toBe(10_000);
    busy = 0.8;
    expect(pass(10)).toBe(10_000);
  });

  it('goes at half the speed, a quarter, and so on down to an eighth, while the thread has no time to spare', () => {
    busy = 0.81;
    expect([1, 1, 1, 1, 1, 1].map(() => pass(0.1))).toEqual([100, 50, 25, 12.5, 12.5, 12.5]);
    busy = 1;
    expect(pass(10)).toBe(1_250);
  });

  it('goes faster and faster when the thread has time again, and as fast as time after four seconds', () => {
    busy = 1;
    pass(10);
    busy = 0.5;
    const first = pass(1);
    expect(first).toBeLessThan(300);
    expect(pass(1)).toBeGreaterThan(first + 200);
    pass(2);
    expect(pass(1)).toBe(1_000);
  });

  it('goes as fast as time after a long time in which nobody asked, if the thread was idle', () => {
    busy = 1;
    pass(10);
    busy = 0.1;
    now += 60_000;
    clock();
    expect(pass(1)).toBe(1_000);
  });

  it('looks at the thread no more than ten times a second', () => {
    let looks = 0;
    const ask = spareTimeClock({ now: () => now, utilization: () => (looks += 1) });
    for (let ms = 0; ms < 1_000; ms += 10) {
      now += 10;
      ask();
    }
    expect(looks).toBe(10);
  });
});

describe('the clock of this thread', () => {
  it('begins at no time, and goes forward', async () => {
    const ask = spareTimeClock();
    const first = ask();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ask()).toBeGreaterThan(first);
  });
});
