import { beforeEach, describe, expect, it } from 'vitest';
import type { EventSource } from '#shared/core/event.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type Head, putHead, readHead } from '#shared/state/head.ts';
import { reportedKey, SORT, versionText } from '#shared/state/keys.ts';
import { createListings, markFollowed, markWdsListed } from '#shared/state/listings.ts';
import { writeObserved } from '#shared/state/observed.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const WDS: EventSource = { type: 'wds', name: 'wds1' };
const EDGE: EventSource = { type: 'wec', name: 'edge' };
const OTHER: EventSource = { type: 'wec', name: 'other' };

let memory: ItemStore;
let store: ItemStore;
let gets: number;
beforeEach(() => {
  gets = 0;
  memory = createMemoryItemStore();
  store = {
    ...memory,
    get: (keys) => {
      gets += 1;
      return memory.get(keys);
    },
  };
});

function version(sequence: number): string {
  return versionText({ epoch: 1, sequence });
}

/** The end of a listing that began at a version. */
async function endListing(source: EventSource, sequence = 0): Promise<void> {
  const item = { pk: sourcePartition(source), sk: SORT.snapshot, version: version(sequence) };
  await memory.put([{ item }]);
}

type BindingSubject = Extract<Subject, { type: 'binding' }>;

function binding(name: string, wds = 'wds1'): BindingSubject {
  return { type: 'binding', wds, name };
}

type Input = typeof SORT.spec | typeof SORT.policy;

/** The WDS says of a Binding, or of the BindingPolicy of its name, at a version. */
async function say(
  subject: BindingSubject,
  sequence: number,
  { content = sequence, sk = SORT.spec }: { content?: number; sk?: Input } = {},
): Promise<void> {
  const key = { pk: subjectPartition(subject), sk };
  const source: EventSource = { type: 'wds', name: subject.wds };
  await memory.put([{ item: { ...reportedKey(source, key), version: version(sequence) } }]);
  await writeObserved(memory, { key, version: version(sequence), content: { content } });
}

/** An aggregation of a Binding that has read what was said at a version, of its policy too if there is a version. */
async function aggregate(
  subject: BindingSubject,
  sequence: number,
  policy?: number,
): Promise<Head> {
  const pk = subjectPartition(subject);
  const before = await readHead(memory, pk);
  const consumed = {
    [SORT.spec]: version(sequence),
    [SORT.policy]: policy === undefined ? '' : version(policy),
  };
  const head = { ...before, revision: before.revision + 1, consumed };
  expect(await putHead(memory, pk, head)).toBe(true);
  return head;
}

describe('the sources that have reported everything', () => {
  it('are those of which a listing has ended; the others are missing, in the order given', async () => {
    const listings = createListings(store);
    expect(await listings.missing([OTHER, EDGE])).toEqual([OTHER, EDGE]);
    await endListing(OTHER);
    expect(await listings.missing([OTHER, EDGE])).toEqual([EDGE]);
  });

  it('are not asked again, the others each time', async () => {
    const listings = createListings(store);
    await endListing(EDGE);
    expect(await listings.missing([EDGE])).toEqual([]);
    gets = 0;
    expect(await listings.missing([EDGE])).toEqual([]);
    expect(await listings.missing([])).toEqual([]);
    expect(gets).toBe(0);
    expect(await listings.missing([EDGE, OTHER])).toEqual([OTHER]);
    expect(await listings.missing([OTHER])).toEqual([OTHER]);
    expect(gets).toBe(2);
  });

  it('do not have a WDS among them by the end of its listing alone', async () => {
    await endListing(WDS);
    expect(await createListings(store).missing([WDS])).toEqual([WDS]);
    expect(await markWdsListed(store, 'wds1')).toBe(true);
    expect(await createListings(store).missing([WDS])).toEqual([]);
  });
});

describe('a WDS', () => {
  it('has not told everything before a listing has ended', async () => {
    expect(await markWdsListed(store, 'wds1')).toBe(false);
    await endListing({ type: 'wds', name: 'wds2' });
    expect(await markWdsListed(store, 'wds1')).toBe(false);
  });

  it('has reported everything once every present Binding was aggregated and followed', async () => {
    await say(binding('a'), 1);
    await endListing(WDS);
    expect(await markWdsListed(store, 'wds1')).toBe(false);
    const { revision } = await aggregate(binding('a'), 1);
    expect(await markWdsListed(store, 'wds1')).toBe(false);
    await markFollowed(store, binding('a'), revision);
    expect(await markWdsListed(store, 'wds1')).toBe(true);
  });

  it('does not count as complete by a revision of a Binding that another one has followed', async () => {
    await say(binding('a'), 1);
    await endListing(WDS);
    const first = await aggregate(binding('a'), 1);
    await say(binding('a'), 2);
    const second = await aggregate(binding('a'), 2);
    await markFollowed(store, binding('a'), first.revision);
    expect(await markWdsListed(store, 'wds1')).toBe(false);
    await markFollowed(store, binding('a'), second.revision);
    // What comes late does not take it back.
    await markFollowed(store, binding('a'), first.revision);
    expect(await markWdsListed(store, 'wds1')).toBe(true);
  });

  it('waits for a Binding that has changed since it was aggregated, not for one that was reported again', async () => {
    await say(binding('a'), 1);
    await endListing(WDS);
    const { revision } = await aggregate(binding('a'), 1);
    await markFollowed(store, binding('a'), revision);
    await say(binding('a'), 2, { content: 7 });
    expect(await markWdsListed(store, 'wds1')).toBe(false);
    await markFollowed(store, binding('a'), (await aggregate(binding('a'), 2)).revision);
    await say(binding('a'), 3, { content: 7 });
    expect(await markWdsListed(store, 'wds1')).toBe(true);
  });

  it('waits for a Binding until it was aggregated with its BindingPolicy', async () => {
    await say(binding('a'), 1);
    await say(binding('a'), 2, { sk: SORT.policy });
    await endListing(WDS);
    await markFollowed(store, binding('a'), (await aggregate(binding('a'), 1)).revision);
    expect(await markWdsListed(store, 'wds1')).toBe(false);
    await markFollowed(store, binding('a'), (await aggregate(binding('a'), 1, 2)).revision);
    expect(await markWdsListed(store, 'wds1')).toBe(true);
  });

  it('waits for a Binding that it has named in its listing and that is still to be recorded', async () => {
    const key = { pk: subjectPartition(binding('a')), sk: SORT.spec };
    await memory.put([{ item: { ...reportedKey(WDS, key), version: version(5) } }]);
    await endListing(WDS, 4);
    expect(await markWdsListed(store, 'wds1')).toBe(false);
  });

  it('does not wait for one that was named before its listing began, nor for other objects and WDSes', async () => {
    const key = { pk: subjectPartition(binding('gone')), sk: SORT.spec };
    await memory.put([
      { item: { ...reportedKey(WDS, key), version: version(1) } },
      {
        item: {
          ...reportedKey(WDS, { ...key, sk: SORT.spec, pk: 'C#wds1/c' }),
          version: version(5),
        },
      },
    ]);
    await say(binding('a', 'wds10'), 5);
    await endListing(WDS, 4);
    expect(await markWdsListed(store, 'wds1')).toBe(true);
  });

  it('has reported everything permanently', async () => {
    await endListing(WDS);
    expect(await markWdsListed(store, 'wds1')).toBe(true);
    await say(binding('new'), 9);
    expect(await markWdsListed(store, 'wds1')).toBe(true);
  });
});
