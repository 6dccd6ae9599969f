import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVERYTHING, type StatusSelector } from '#shared/core/status-api/selector.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import type { Scope } from '#shared/ports/status-source.ts';
import { checkRows } from '#test/property/status-source/check-rows.ts';
import { histories, SourceWorld } from '#test/property/status-source/source-world.ts';
import type { MadeItemStore } from './item-store.ts';

const SCOPES: readonly Scope[] = ['cluster', 'all-namespaces', { namespace: 'shop' }];
const HISTORIES = 3;
/** `test/property/status-source` plays many on the store in memory. */
const SEED = 7;
const TIMEOUT_MS = 120_000;

async function whole(
  { source }: SourceWorld,
  scope: Scope,
  selector: StatusSelector,
): Promise<readonly WecStatus[]> {
  const found: WecStatus[] = [];
  let after: string | undefined;
  do {
    const rest = after === undefined ? {} : { after };
    const request = { scope, selector, limit: 7, readable: () => true, ...rest };
    const page = await source.wecStatuses(request);
    found.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** Compares what is read of a scope with what a naive look says. Returns the number of statuses. */
async function check(world: SourceWorld, scope: Scope): Promise<number> {
  const expected = world.expected(scope);
  expect(await whole(world, scope, EVERYTHING)).toEqual(expected);
  await checkRows(world, scope, expected);
  const fields = [{ field: 'state', operator: '=', value: 'Reported' }] as const;
  const reported = expected.filter(({ state }) => state === 'Reported');
  expect(await whole(world, scope, { labels: [], fields })).toEqual(reported);
  for (const status of expected.slice(0, 5))
    expect(await world.source.wecStatus(status)).toEqual(status);
  const resources = expected.map(({ workload: { resource } }) => resource);
  const named = await world.source.resourcesIn(scope);
  expect(named.map(({ resource }) => resource)).toEqual(
    expect.arrayContaining([...new Set(resources)]),
  );
  return expected.length;
}

/** What the source of statuses promises of reads, over a store. Of watches, the journal decides (`describeChangeJournal`). */
export function describeStatusSource(name: string, make: () => Promise<MadeItemStore>): void {
  describe(`the source of statuses over ${name}`, () => {
    it(
      'lists and gets what Bindings and reports say',
      async () => {
        const { store, close } = await make();
        const world = new SourceWorld(2, store);
        let statuses = 0;
        for (const history of fc.sample(histories, { numRuns: HISTORIES, seed: SEED })) {
          await world.play(history);
          for (const scope of SCOPES) statuses += await check(world, scope);
        }
        expect(statuses).toBeGreaterThan(20);
        await close?.();
      },
      TIMEOUT_MS,
    );
  });
}
