import { afterAll, afterEach, beforeAll, vi } from 'vitest';

/**
 * No timer ends in the histories of this file: time is the scheduler's alone. An invocation that is dead waits for its
 * deadline, and would keep its world in memory for half a minute.
 */
export function freezeTimers(): void {
  beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.clearAllTimers());
  afterAll(() => void vi.useRealTimers());
}
