import { describe, expect, it } from 'vitest';
import { PAUSE_MS, Poller } from '#extensions/argocd/poller.ts';

/** A clock, and readings that end when the test says so. */
class World {
  nowMs = 0;
  readings = 0;
  signal: AbortSignal | undefined;
  readonly timers = new Map<() => void, number>();
  #end: () => void = () => undefined;

  readonly poller = new Poller({
    read: (signal) => {
      this.readings += 1;
      this.signal = signal;
      return new Promise((resolve) => {
        this.#end = resolve;
      });
    },
    now: () => this.nowMs,
    after: (ms, callback) => {
      this.timers.set(callback, ms);
      return () => this.timers.delete(callback);
    },
  });

  /** The reading that goes on ends after some time. */
  async answer(tookMs = 10): Promise<void> {
    this.nowMs += tookMs;
    this.#end();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }

  pauses(): readonly number[] {
    return [...this.timers.values()];
  }

  fire(): void {
    const [callback] = this.timers.keys();
    if (callback === undefined) throw new Error('no timer runs');
    this.timers.delete(callback);
    callback();
  }
}

describe('reading now and then', () => {
  it('begins when the page is seen, and goes on after a pause', async () => {
    const world = new World();
    world.poller.refresh();
    expect(world.readings).toBe(0);
    world.poller.setVisible(true);
    await world.answer();
    expect(world.pauses()).toEqual([PAUSE_MS]);
    world.fire();
    expect(world.readings).toBe(2);
  });

  it('takes longer pauses if a reading takes long, up to two minutes', async () => {
    const world = new World();
    world.poller.setVisible(true);
    await world.answer(2_000);
    expect(world.pauses()).toEqual([40_000]);
    world.fire();
    await world.answer(60_000);
    expect(world.pauses()).toEqual([120_000]);
  });

  it('reads one at a time, and once more if something has changed meanwhile', async () => {
    const world = new World();
    world.poller.setVisible(true);
    world.poller.refresh();
    world.poller.refresh();
    expect(world.readings).toBe(1);
    await world.answer();
    expect(world.readings).toBe(2);
    await world.answer();
    expect(world.readings).toBe(2);
    expect(world.pauses()).toHaveLength(1);
  });

  it('reads at once if something changes in a pause, and does not pause twice', async () => {
    const world = new World();
    world.poller.setVisible(true);
    await world.answer();
    world.poller.refresh();
    expect([world.readings, world.pauses()]).toEqual([2, []]);
    await world.answer();
    expect(world.pauses()).toHaveLength(1);
  });

  it('does nothing while the page is not seen, also after a reading that has begun before', async () => {
    const world = new World();
    world.poller.setVisible(true);
    world.poller.setVisible(false);
    await world.answer();
    expect([world.readings, world.pauses()]).toEqual([1, []]);
    world.poller.setVisible(true);
    expect(world.readings).toBe(2);
    await world.answer();
    world.poller.setVisible(false);
    expect(world.pauses()).toEqual([]);
  });

  it('ends', async () => {
    const world = new World();
    world.poller.setVisible(true);
    world.poller.stop();
    expect(world.signal?.aborted).toBe(true);
    await world.answer();
    world.poller.refresh();
    expect([world.readings, world.pauses()]).toEqual([1, []]);
  });
});
