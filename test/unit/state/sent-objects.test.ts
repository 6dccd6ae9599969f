import { beforeEach, describe, expect, it } from 'vitest';
import { subjectPartition } from '#shared/core/subject.ts';
import { putHead, readHead } from '#shared/state/head.ts';
import { RANGE, reportedKey, SORT } from '#shared/state/keys.ts';
import { createDestinationStore } from '#shared/state/membership.ts';
import { findSentObjects } from '#shared/state/status-source/sent-objects.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const WDS = 'wds1';
const OBJECT = 'apps/deployments/shop/web';

let store: ReturnType<typeof createMemoryItemStore>;
let destinations: ReturnType<typeof createDestinationStore>;

beforeEach(() => {
  store = createMemoryItemStore();
  destinations = createDestinationStore(store);
});

/** Stores Bindings that send one object to some WECs; to none if they were deleted. */
async function bind(from: number, count: number, wecs: readonly string[]): Promise<void> {
  for (let index = from; index < from + count; index += 1) {
    const pk = subjectPartition({ type: 'binding', wds: WDS, name: `b${index}` });
    const source = { type: 'wds', name: WDS } as const;
    const inputs = [SORT.spec, SORT.policy];
    const list = await destinations.put(pk, wecs, { before: undefined, revision: 1 });
    await store.put([
      ...inputs.map((sk) => ({ item: reportedKey(source, { pk, sk }) })),
      ...(wecs.length === 0 ? [] : [{ item: { pk, sk: `${RANGE.member}${OBJECT}` } }]),
    ]);
    await putHead(store, pk, { ...(await readHead(store, pk)), revision: 1, destinations: list });
  }
}

/** How many lists send the object to `east`. Undefined if nothing is counted. */
async function lists(): Promise<number | undefined> {
  const found = await findSentObjects({ store, wds: WDS, destinations }, ['east'], 10);
  return found?.map((one) => one.lists.length).reduce((sum, one) => sum + one, 0);
}

describe('the objects that are sent to a WEC', () => {
  it('are found by the Bindings that have destinations, however many were deleted', async () => {
    await bind(0, 2_500, []);
    await bind(2_500, 3, ['east', 'west']);
    await bind(2_503, 1, ['west']);
    expect(await lists()).toBe(3);
  });

  it('are found by 2,000 Bindings, and not counted with more', async () => {
    await bind(0, 2_000, ['east']);
    expect(await lists()).toBe(2_000);
    await bind(2_000, 1, ['west']);
    expect(await lists()).toBeUndefined();
  });
});
