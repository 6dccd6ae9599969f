import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWakeUps } from '#shared/adapters/sqlite/wake-ups.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Wake-ups of a file whose version a test sets, and what has woken up. */
function watched() {
  const file = { version: 1, looks: 0, fails: false };
  const wakeUps = createWakeUps(() => {
    file.looks += 1;
    if (file.fails) throw new Error('closed');
    return file.version;
  });
  const woken: string[] = [];
  const wait = (name: string, ms = HOUR_MS): void => {
    void wakeUps.wait('queue', ms, { receive: () => undefined }).then(() => woken.push(name));
  };
  return { file, wakeUps, woken, wait };
}

/** Waits until the first look, which wakes everybody. */
async function firstLook({ wait, woken }: ReturnType<typeof watched>): Promise<void> {
  wait('first');
  await vi.advanceTimersByTimeAsync(100);
  expect(woken.splice(0)).toEqual(['first']);
}

describe('a change by another process', () => {
  it('wakes every receiver, and nothing else does', async () => {
    const all = watched();
    await firstLook(all);
    all.wait('a');
    all.wait('b');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(all.woken).toEqual([]);
    all.file.version = 2;
    await vi.advanceTimersByTimeAsync(100);
    expect(all.woken).toEqual(['a', 'b']);
  });

  it('is noticed although nobody waited when it was made', async () => {
    const all = watched();
    await firstLook(all);
    all.file.version = 2;
    all.wait('a');
    await vi.advanceTimersByTimeAsync(100);
    expect(all.woken).toEqual(['a']);
  });

  it('is looked for once for all receivers, and not while nobody waits', async () => {
    const all = watched();
    await firstLook(all);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(all.file.looks).toBe(1);
    for (const name of ['a', 'b', 'c']) all.wait(name, 1_000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(all.woken).toEqual(['a', 'b', 'c']);
    expect(all.file.looks).toBeLessThanOrEqual(11);
  });

  it('wakes the receivers if the file cannot be read, so that they get the error', async () => {
    const all = watched();
    await firstLook(all);
    all.wait('a');
    all.file.fails = true;
    await vi.advanceTimersByTimeAsync(100);
    expect(all.woken).toEqual(['a']);
  });
});
