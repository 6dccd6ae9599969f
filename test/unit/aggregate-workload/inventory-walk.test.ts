import { beforeEach, describe, expect, it } from 'vitest';
import { subjectPartition } from '#shared/core/subject.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import { createInventoryStore } from '#shared/state/fleet/inventory.ts';
import { reportedKey, SORT } from '#shared/state/keys.ts';
import {
  FLEET_SOURCE,
  fleetObject,
  NAMESPACE,
  UPSTREAM,
} from '#test/unit/protocol/fleet-events.ts';
import { Pipeline } from '#test/unit/protocol/pipeline.ts';

const PLACE = { upstream: UPSTREAM, namespace: NAMESPACE };
const NAMES = Array.from({ length: 250 }, (_, index) => `b${index + 100}`);

let pipeline: Pipeline;
beforeEach(async () => {
  pipeline = new Pipeline();
  const bundle = fleetObject('bundles', 'other');
  const partitions = [
    ...NAMES.map((name) => subjectPartition(fleetObject('bundles', name))),
    subjectPartition(fleetObject('clusters', 'c1')),
    subjectPartition({ ...bundle, namespace: `${NAMESPACE}-2` }),
    subjectPartition({ ...bundle, upstream: `${UPSTREAM}2` }),
  ];
  await pipeline.store.put(
    partitions.map((pk) => ({ item: { ...reportedKey(FLEET_SOURCE, { pk, sk: SORT.object }) } })),
  );
});

const changed = (): Promise<string> =>
  createInventoryStore(pipeline.store).changed({
    ...PLACE,
    changed: ['clusters'],
    notify: ['bundles'],
  });

function walk(token: string): Promise<void> {
  const type = 'fleet-inventory';
  return pipeline.aggregate({ type, ...PLACE, resource: 'bundles', token, changedMs: 7 });
}

/** What has been told since the last call: the names of Bundles, and the next page, if there is one. */
function taken(): { readonly names: readonly string[]; readonly next: DirtyMessage | undefined } {
  const messages = pipeline.takeDirty();
  for (const message of messages) expect(message).toMatchObject({ changedMs: 7 });
  const names = messages.flatMap((message) => {
    if (message.type !== 'subject' || message.subject.type !== 'fleet') return [];
    expect(message.subject).toMatchObject({ ...PLACE, resource: 'bundles' });
    return [message.subject.name];
  });
  return { names, next: messages.find(({ type }) => type === 'fleet-inventory') };
}

describe('a walk over the Bundles of a namespace', () => {
  it('notifies each once, page by page, to the end', async () => {
    await walk(await changed());
    const [first, pages] = [taken(), [] as (readonly string[])[]];
    pages.push(first.names);
    for (let { next } = first; next !== undefined; ) {
      await pipeline.aggregate(next);
      const page = taken();
      pages.push(page.names);
      ({ next } = page);
    }
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(pages.flat()).toEqual(NAMES);
  });

  it('that another change has replaced before it began does nothing', async () => {
    const token = await changed();
    await changed();
    await walk(token);
    expect(taken()).toEqual({ names: [], next: undefined });
  });

  it('that a change replaces which others are to look at continues', async () => {
    const token = await changed();
    await createInventoryStore(pipeline.store).changed({
      ...PLACE,
      changed: ['gitrepos'],
      notify: ['clusters'],
    });
    await walk(token);
    expect(taken().names).toHaveLength(100);
  });

  it('that has begun continues to its end when another change comes', async () => {
    await walk(await changed());
    const { next } = taken();
    if (next === undefined) throw new Error('there is no next page');
    await changed();
    await pipeline.aggregate(next);
    expect(taken().names).toEqual(NAMES.slice(100, 200));
  });

  it('and the walk after it report the same Bundles twice', async () => {
    await walk(await changed());
    expect(taken().names).toEqual(NAMES.slice(0, 100));
    await walk(await changed());
    expect(taken().names).toEqual(NAMES.slice(0, 100));
  });

  it('notifies no subject if nothing was ever seen', async () => {
    pipeline = new Pipeline();
    await walk(await changed());
    expect(taken()).toEqual({ names: [], next: undefined });
  });

  it('goes past an entry that cannot be read', async () => {
    const pk = `${subjectPartition(fleetObject('bundles', 'a'))}/b`;
    await pipeline.store.put([{ item: reportedKey(FLEET_SOURCE, { pk, sk: SORT.object }) }]);
    await walk(await changed());
    expect(taken().names).toEqual(NAMES.slice(0, 99));
  });
});
