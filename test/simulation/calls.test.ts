import { describe, expect, it } from 'vitest';
import { histories } from '#test/histories.ts';
import { FUNCTION_CALLS } from '#test/unit/infra/function-calls.ts';
import { freezeTimers } from './frozen-timers.ts';
import { play } from './history.ts';
import { silence } from './silence.ts';
import { worldOf } from './worlds.ts';

const HISTORIES = histories({ first: 10, all: 40 });
const ACTIONS = 25;
/** What no history brings about: serve-api answers people. */
const BEYOND: Readonly<Record<string, readonly string[]>> = { 'serve-api': ['get', 'query'] };
const CALL = /^\d+ ([\w-]+): (get|query|put|delete) (?!message)/;

/** The methods of the item store that each function calls in some histories, by the name of the function. */
async function storeCalls(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const calls = new Map<string, Set<string>>();
  for (let seed = 0; seed < HISTORIES; seed += 1) {
    // Receivers are notified in every second history.
    const world = worldOf(seed, seed % 2 === 0 ? { notifications: true } : {});
    await play(world, ACTIONS);
    await world.quiesce();
    await silence(world);
    await world.rest();
    for (const line of world.scheduler.trace) {
      const [, name = '', method = ''] = CALL.exec(line) ?? [];
      const known = calls.get(name) ?? new Set();
      calls.set(name, known.add(method));
    }
  }
  return calls;
}

freezeTimers();

describe('the functions, simulated', () => {
  it('call the methods of the store that their roles allow, and each of them', async () => {
    const calls = await storeCalls();
    for (const [name, { store }] of Object.entries(FUNCTION_CALLS))
      expect({ name, calls: [...(calls.get(name) ?? [])].sort() }).toEqual({
        name,
        calls: store.filter((method) => BEYOND[name]?.includes(method) !== true).sort(),
      });
  });
});
