import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ThreadPool } from '#local/stack/thread-pool.ts';

const IDLE_MS = 60_000;
const WAIT_MS = 50;

/** A thread in name only. */
class NamedThread {
  readonly name: string;
  isAlive = true;
  constructor(name: string) {
    this.name = name;
  }
  async stop(): Promise<void> {
    this.isAlive = false;
  }
}

let started: NamedThread[];
function pool(kept = 0, waitMs = 0): ThreadPool<NamedThread> {
  return new ThreadPool(
    () => {
      const thread = new NamedThread(`thread ${started.length}`);
      started.push(thread);
      return thread;
    },
    { idleMs: IDLE_MS, kept, waitMs },
  );
}
const nameOf = async ({ name }: NamedThread): Promise<string> => name;
const alive = (): readonly string[] =>
  started.filter(({ isAlive }) => isAlive).map(({ name }) => name);

beforeEach(() => {
  started = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

describe('a pool of threads', () => {
  it('starts a thread when all others do something, and uses first the one that was used last', async () => {
    const threads = pool();
    const held = Promise.withResolvers<void>();
    const busy = threads.use(() => held.promise);
    expect(await threads.use(nameOf)).toBe('thread 1');
    expect(await threads.use(nameOf)).toBe('thread 1');
    held.resolve();
    await busy;
    expect(await threads.use(nameOf)).toBe('thread 0');
    expect(started).toHaveLength(2);
  });

  it('starts one before it is needed', async () => {
    const threads = pool();
    threads.warm();
    expect(started).toHaveLength(1);
    expect(await threads.use(nameOf)).toBe('thread 0');
    expect(started).toHaveLength(1);
  });

  it.each([0, 1])('replaces one that has ended, if %s are kept', async (kept) => {
    const threads = pool(kept);
    const failure = threads.use(async (thread) => {
      await thread.stop();
      throw new Error('it has ended');
    });
    await expect(failure).rejects.toThrow('it has ended');
    expect(await threads.use(nameOf)).toBe('thread 1');
    await started[1]?.stop();
    expect(await threads.use(nameOf)).toBe('thread 2');
  });

  it('ends a thread that has done nothing for its idle time, and no other', async () => {
    const threads = pool();
    const held = Promise.withResolvers<void>();
    const busy = threads.use(() => held.promise);
    await threads.use(nameOf);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    await threads.use(nameOf);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(alive()).toEqual(['thread 0', 'thread 1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(alive()).toEqual(['thread 0']);
    held.resolve();
    await busy;
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(alive()).toEqual([]);
    expect(await threads.use(nameOf)).toBe('thread 2');
  });

  it('keeps as many as it shall, of those that have done nothing for their idle time', async () => {
    const threads = pool(1);
    threads.warm();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    const three = Array.from({ length: 3 }, () => threads.use(async () => undefined));
    await Promise.all(three);
    expect(alive()).toEqual(['thread 0', 'thread 1', 'thread 2']);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(alive()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(alive()).toHaveLength(1);
    expect(await threads.use(nameOf)).toBe(alive()[0]);
    expect(started).toHaveLength(3);
  });

  it('counts those that do something as kept', async () => {
    const threads = pool(1);
    void threads.use(() => new Promise<void>(() => undefined));
    await threads.use(nameOf);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(alive()).toEqual(['thread 0']);
  });

  it('starts no other one if a busy one is free in time', async () => {
    const threads = pool(1, WAIT_MS);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const busy = threads.use(() => first.promise);
    const next = threads.use(() => second.promise);
    const last = threads.use(nameOf);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    first.resolve();
    await busy;
    // The job before it needs the thread for as long again.
    second.resolve();
    await next;
    expect(await last).toBe('thread 0');
    expect(started).toHaveLength(1);
    expect(alive()).toEqual(['thread 0']);
  });

  it('starts another one for a job that has waited for so long', async () => {
    const threads = pool(1, WAIT_MS);
    const held = Promise.withResolvers<void>();
    const busy = threads.use(() => held.promise);
    const next = threads.use(nameOf);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await next).toBe('thread 1');
    // Both run now, so nothing waits.
    expect(await threads.use(nameOf)).toBe('thread 1');
    held.resolve();
    await busy;
  });

  it('starts another one if it is always busy, though no job waits for so long', async () => {
    const threads = pool(1, WAIT_MS);
    const job = (): Promise<void> =>
      threads.use(() => new Promise((resolve) => setTimeout(resolve, WAIT_MS - 10)));
    const loop = async (): Promise<void> => {
      for (let turn = 0; turn < 5; turn += 1) await job();
    };
    const loops = Promise.all([loop(), loop()]);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(started).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(10 * WAIT_MS);
    await loops;
    expect(started).toHaveLength(2);
  });

  it('starts another one for the next job, if none waits at the moment when it may', async () => {
    const threads = pool(1, WAIT_MS);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const busy = threads.use(() => first.promise);
    const next = threads.use(() => second.promise);
    first.resolve();
    await busy;
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    expect(started).toHaveLength(1);
    expect(await threads.use(nameOf)).toBe('thread 1');
    second.resolve();
    await next;
  });

  it('waits again for so long once a job has found one that is free', async () => {
    const threads = pool(1, WAIT_MS);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const busy = threads.use(() => first.promise);
    const next = threads.use(nameOf);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    first.resolve();
    await Promise.all([busy, next]);
    const again = threads.use(() => second.promise);
    const last = threads.use(nameOf);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await last).toBe('thread 1');
    second.resolve();
    await again;
  });

  it('gives a thread to the job that has waited for it, and not to one that comes in that moment', async () => {
    const threads = pool(1, WAIT_MS);
    const held = Promise.withResolvers<void>();
    const order: string[] = [];
    const job = (name: string) => (): Promise<void> => {
      order.push(name);
      return held.promise;
    };
    const first = Promise.withResolvers<void>();
    const busy = threads.use(() => first.promise);
    const waiting = ['second', 'third'].map((name) => threads.use(job(name)));
    // A job of the same turn in which the thread is free again.
    const late = first.promise.then(() => threads.use(job('late')));
    await vi.advanceTimersByTimeAsync(10);
    first.resolve();
    await busy;
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['second']);
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 10);
    expect(order).toEqual(['second', 'third']);
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    expect(order).toEqual(['second', 'third', 'late']);
    held.resolve();
    await Promise.all([...waiting, late]);
  });

  it('forgets that it was full when a thread ends that was not needed', async () => {
    const threads = pool(1, WAIT_MS);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const third = Promise.withResolvers<void>();
    const long = threads.use(() => first.promise);
    const next = threads.use(() => second.promise);
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    expect(started).toHaveLength(2);
    const early = threads.use(() => third.promise);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    second.resolve();
    await next;
    await vi.advanceTimersByTimeAsync(1);
    third.resolve();
    await early;
    await vi.advanceTimersByTimeAsync(IDLE_MS + 1);
    expect(alive()).toEqual(['thread 0']);
    const last = threads.use(nameOf);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    expect(started).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await last).toBe('thread 2');
    first.resolve();
    await long;
  });

  it('starts another one at once if the busy one ends', async () => {
    const threads = pool(1, WAIT_MS);
    const failure = threads.use(async (thread) => {
      await thread.stop();
      throw new Error('it has ended');
    });
    const next = threads.use(nameOf);
    await expect(failure).rejects.toThrow('it has ended');
    expect(await next).toBe('thread 1');
  });

  it('does not start one for a job that waits when it is stopped, or that comes later', async () => {
    const threads = pool(1, WAIT_MS);
    void threads.use(() => new Promise<void>(() => undefined));
    const next = threads.use(nameOf);
    const refused = expect(next).rejects.toThrow('the test is over');
    await threads.stop('the test is over');
    await refused;
    await expect(threads.use(nameOf)).rejects.toThrow('the test is over');
    expect(started).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends those that do something and those that do not, and waits for nothing more', async () => {
    const threads = pool();
    void threads.use(() => new Promise<void>(() => undefined));
    await threads.use(nameOf);
    await threads.stop('the test is over');
    expect(started).toHaveLength(2);
    expect(alive()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
