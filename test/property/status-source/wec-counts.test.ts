import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVERYTHING } from '#shared/core/status-api/selector.ts';
import { isUnhealthy } from '#shared/core/status-api/wec-counts.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { histories } from '#test/histories.ts';
import { histories as anyHistory, SourceWorld, WECS } from './source-world.ts';

const RUNS = histories({ first: 20, all: 60 });
const EVERY_WEC = WECS.map((_wec, index) => index);

/** What a look at every status says of a WEC. */
function naive(statuses: readonly WecStatus[], wec: string) {
  const own = statuses.filter((status) => status.wec === wec);
  const unhealthy = own.filter(({ health }) => isUnhealthy(health?.status));
  return { objects: own.length, unhealthyObjects: unhealthy.length };
}

describe('the objects of a WEC', () => {
  it('are counted as a look at every status counts them, by get and by list, with and without shards', async () => {
    let [objects, unhealthy] = [0, 0];
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const world = new SourceWorld(history.length % 2 === 0 ? 2 : 128);
        await world.play(history);
        await world.play([{ type: 'silence', speaking: EVERY_WEC }]);
        const statuses = [...world.expected('cluster'), ...world.expected('all-namespaces')];
        const { items } = await world.source.wecs({ selector: EVERYTHING, limit: 100 });
        expect(items.map(({ name }) => name).sort()).toEqual([...WECS].sort());
        for (const listed of items) {
          const expected = naive(statuses, listed.name);
          expect(listed).toMatchObject(expected);
          expect(await world.source.wec(listed.name)).toEqual(listed);
          objects += expected.objects;
          unhealthy += expected.unhealthyObjects;
        }
      }),
      { numRuns: RUNS },
    );
    expect(objects).toBeGreaterThan(8 * RUNS);
    expect(unhealthy).toBeGreaterThan(3 * RUNS);
    expect(unhealthy).toBeLessThan(objects);
  });
});
