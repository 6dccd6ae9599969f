import { beforeEach, describe, expect, it } from 'vitest';
import { ThreadTurn } from '#shared/adapters/kubernetes/thread-turn.ts';

describe('a turn in the thread', () => {
  let now = 0;

  beforeEach(() => {
    now = 0;
  });

  /** Whether a pause is over after the promises that are settled now. */
  async function isOver(pause: Promise<void>): Promise<boolean> {
    const open = Symbol('open');
    const later = new Promise((resolve) => setImmediate(() => resolve(open)));
    return (await Promise.race([pause.then(() => true), later])) === true;
  }

  it('has no pause after short work', async () => {
    const turn = new ThreadTurn(undefined, () => now);
    now = 20;
    expect(await isOver(turn.pause())).toBe(true);
    // The same turn goes on: many short pieces of work are long work together.
    now = 21;
    expect(await isOver(turn.pause())).toBe(false);
  });

  it('has a pause after long work, and a new turn after the pause', async () => {
    const turn = new ThreadTurn(undefined, () => now);
    now = 21;
    const pause = turn.pause();
    expect(await isOver(pause)).toBe(false);
    now = 100;
    await pause;
    now = 120;
    expect(await isOver(turn.pause())).toBe(true);
  });

  it('begins anew after a wait, and its pause ends with the signal', async () => {
    const stop = new AbortController();
    const turn = new ThreadTurn(stop.signal, () => now);
    now = 1_000_000;
    turn.begin();
    expect(await isOver(turn.pause())).toBe(true);
    now = 2_000_000;
    const pause = turn.pause();
    stop.abort();
    expect(await isOver(pause)).toBe(true);
  });
});
