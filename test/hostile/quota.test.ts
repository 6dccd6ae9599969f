import { beforeEach, describe, expect, it } from 'vitest';
import { rememberState } from '#functions/aggregate-workload/deps.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { epochAt } from '#shared/core/epoch.ts';
import type { EventContent } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import { removeWec } from '#shared/outbox/remove-wec.ts';
import { RANGE, range, rowKey, SORT, versionText } from '#shared/state/keys.ts';
import { markWdsListed } from '#shared/state/listings.ts';
import { pages } from '#shared/state/pages.ts';
import { objectCounts } from '#shared/state/quota.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { NOW_MS, RecordBench, type Recording } from './record-bench.ts';

const EPOCH = epochAt(NOW_MS);
const QUOTA = 250;
/** More than a page of a sweep has. */
const FLOOD = 1_000;
const BAD = { type: 'wec', name: 'bad' } as const;

let bench: RecordBench;
let sequence: number;

beforeEach(() => {
  bench = new RecordBench(['wec/good', 'wec/bad'], { objectsPerWec: QUOTA });
  sequence = 0;
});

function eventOf(wec: string, content: EventContent): string {
  sequence += 1;
  const source = { type: 'wec', name: wec } as const;
  const time = '2026-08-01T10:00:00Z';
  return encodeEvent({ source, version: { epoch: EPOCH, sequence }, time, content });
}

type Said = Extract<EventContent, { type: 'wec-object' }>;

/** What a WEC says of an object. */
function objectEvent(wec: string, name: string, how: 'first' | 'later' | 'deleted'): string {
  const subject = { group: 'apps', resource: 'deployments', namespace: 'shop', name };
  const content: Said = { type: 'wec-object', wds: 'wds1', subject, first: how === 'first' };
  const returned = { uid: name, generation: 1, status: { at: sequence } };
  return eventOf(wec, how === 'deleted' ? content : { ...content, returned });
}

function names(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_name, index) => `web${from + index}`);
}

function tell(sender: string, events: readonly string[]): Promise<Recording> {
  return bench.run([{ sender, body: encodeBatch(events) }]);
}

function tellOf(
  wec: string,
  objects: readonly string[],
  how: 'first' | 'later' | 'deleted' = 'first',
): Promise<Recording> {
  return tell(
    wec,
    objects.map((name) => objectEvent(wec, name, how)),
  );
}

async function entriesOf(prefix: string): Promise<number> {
  let count = 0;
  for await (const items of pages(bench.store, range(sourcePartition(BAD), prefix)))
    count += items.length;
  return count;
}

function workloadOf(name: string): WorkloadRef {
  return { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name };
}

/** The WECs that have an object, as far as that is recorded. */
async function wecsOf(name: string): Promise<readonly string[]> {
  const rows = await bench.rows(rowKey(workloadOf(name), '').pk);
  return rows.filter(({ deleted }) => deleted !== true).map(({ wec }) => wec);
}

/** Lets aggregations and sweeps, and those that follow from them, run to their end. */
async function settle(): Promise<void> {
  const { store, telemetry, dirty } = bench;
  const deps = { store, ...rememberState(store), schemas: createBuiltInSchemas(), telemetry };
  const rest = { dirty, hints: new SentMessages(), clock: () => bench.nowMs };
  for (let bodies = dirty.bodies.splice(0); bodies.length > 0; bodies = dirty.bodies.splice(0))
    for (const body of bodies) await handleDirty({ ...deps, ...rest }, [parseDirty(body)]);
}

/** The bad WEC lists everything anew: these objects stand. */
async function relist(objects: readonly string[]): Promise<Recording> {
  const since = { epoch: EPOCH, sequence };
  const recorded = await tellOf('bad', objects);
  await tell('bad', [eventOf('bad', { type: 'snapshot', since })]);
  await settle();
  return recorded;
}

const FLOODS = ['first', 'later', 'deleted'] as const;

/** How many tombstones stand of objects of these names. */
async function tombstonesOf(objects: readonly string[]): Promise<number> {
  const keys = objects.map((name) => rowKey(workloadOf(name), 'bad'));
  const items = await bench.store.get(keys);
  return items.filter((item) => item?.expiresAt !== undefined).length;
}

describe.each(FLOODS)('a thousand objects more than a source may have, told as %s', (how) => {
  it('leave as many entries as it may have, and no rows or messages beyond', async () => {
    const recorded = await tellOf('bad', names(FLOOD + QUOTA), how);
    expect(recorded.failed).toEqual([]);
    // What is gone does not count.
    const count = how === 'deleted' ? 0 : QUOTA;
    expect(await entriesOf(RANGE.reported)).toBe(count);
    const full = how === 'deleted' ? {} : { full: QUOTA };
    expect(await objectCounts(bench.store, [BAD])).toEqual([{ objects: count, ...full }]);
    expect(bench.dirty.bodies).toHaveLength(QUOTA);
    expect(await wecsOf(`web${QUOTA - 1}`)).toEqual(how === 'deleted' ? [] : ['bad']);
    expect(await wecsOf(`web${QUOTA}`)).toEqual([]);
  });

  it('are told in one letter that names source, quota and remedy; a deletion of nothing is not amiss', async () => {
    const { letters } = await tellOf('bad', names(FLOOD + QUOTA), how);
    const { counts } = bench.telemetry;
    if (how === 'deleted') {
      expect(letters).toEqual([]);
      expect(counts).toEqual({ EventsRecorded: FLOOD + QUOTA });
      return;
    }
    expect(letters.map((letter) => letter?.code)).toEqual(['over-quota']);
    expect(letters[0]?.reasons).toEqual([
      'wec/bad has reached its quota of 250 objects: have its forwarder select fewer, or raise objectsPerWec; a later snapshot reports the 1000 events of new ones that were left out, such as of deployments.apps shop/web250',
    ]);
    expect(counts).toEqual({ EventsRecorded: QUOTA, RefusedEvents: FLOOD });
  });

  it('and once more cost no write any more', async () => {
    await tellOf('bad', names(FLOOD), how);
    // Of what is gone as many places come back in an hour, and as many stay.
    if (how === 'deleted') await tellOf('bad', names(FLOOD, 2 * FLOOD), how);
    const { puts } = await tellOf('bad', names(FLOOD, 5 * FLOOD), how);
    // Of events that are not their objects' first it is asked for each row whether one stands.
    expect(puts).toBe(how === 'first' ? 0 : FLOOD);
    expect(await entriesOf(RANGE.reported)).toBe(QUOTA);
  });

  it('leave the rows of another source as they are, beside them and after them', async () => {
    const { letters } = await bench.run([
      {
        sender: 'bad',
        body: encodeBatch(names(FLOOD).map((name) => objectEvent('bad', name, how))),
      },
      { sender: 'good', body: encodeBatch([objectEvent('good', 'web900', 'first')]) },
    ]);
    expect(letters).toHaveLength(how === 'deleted' ? 0 : 1);
    await tellOf('good', ['web901']);
    expect(await wecsOf('web900')).toEqual(['good']);
    expect(await wecsOf('web901')).toEqual(['good']);
  });
});

describe('a source that has reached its quota', () => {
  beforeEach(async () => {
    await tellOf('bad', names(QUOTA + 1));
    bench.dirty.bodies.splice(0);
  });

  it('is heard of the objects that it has, their changes and their deletions', async () => {
    const { letters, puts } = await tellOf('bad', ['web0', 'web1'], 'later');
    expect([letters, puts]).toEqual([[], 2]);
    expect((await tellOf('bad', ['web0'])).letters).toEqual([]);
    await tellOf('bad', ['web1'], 'deleted');
    expect([await wecsOf('web0'), await wecsOf('web1')]).toEqual([['bad'], []]);
  });

  it('has room again when a listing shows that objects have gone; the next one brings what was left out', async () => {
    const standing = [...names(QUOTA).slice(10), `web${QUOTA}`];
    // Its place comes free at the end of this listing.
    expect((await relist(standing)).letters).toHaveLength(1);
    expect(await objectCounts(bench.store, [BAD])).toEqual([{ objects: QUOTA - 10 }]);
    expect(await wecsOf(`web${QUOTA}`)).toEqual([]);
    expect((await relist(standing)).letters).toEqual([]);
    expect(await wecsOf(`web${QUOTA}`)).toEqual(['bad']);
    expect(await objectCounts(bench.store, [BAD])).toEqual([{ objects: QUOTA - 9 }]);
  });

  describe('and tells of many more in many messages', () => {
    const MESSAGES = 50;
    /** Each of so many new objects, in messages of which the last one is the shortest. */
    const flood = (wec: string) =>
      Array.from({ length: MESSAGES }, (_message, index) => {
        const events = names(MESSAGES - index, FLOOD + index * MESSAGES);
        return {
          sender: wec,
          body: encodeBatch(events.map((name) => objectEvent(wec, name, 'first'))),
        };
      });
    const events = (MESSAGES * (MESSAGES + 1)) / 2;

    it('gets one letter and one line of the log, with the number of events and messages, and the shortest of them', async () => {
      const messages = flood('bad');
      const { letters, failed } = await bench.run(messages);
      expect(failed).toEqual([]);
      expect(letters).toMatchObject([
        { code: 'over-quota', senderId: 'AROA-bad:session', body: messages.at(-1)?.body },
      ]);
      expect(letters[0]?.reasons).toEqual([
        expect.stringMatching(`^wec/bad has .* reports the ${events} events of new ones`),
        `the letter is for ${MESSAGES} messages, and has the shortest of them`,
      ]);
      expect(bench.telemetry.counts['RefusedEvents']).toBe(events + 1);
      const told = bench.telemetry.lines.filter(({ message }) => message === 'message rejected');
      // The first is of what went before.
      expect(told.slice(1)).toMatchObject([
        { fields: { messageId: `m${MESSAGES - 1}`, messages: MESSAGES } },
      ]);
    });

    it('takes no letter from another source, nor from its own message that cannot be read', async () => {
      await tellOf('good', names(QUOTA));
      const { letters } = await bench.run([
        ...flood('bad'),
        { sender: 'bad', body: '[' },
        ...flood('good'),
      ]);
      const told = letters.map((letter) => [letter?.code, letter?.senderId]);
      expect(told.toSorted()).toEqual([
        ['over-quota', 'AROA-bad:session'],
        ['over-quota', 'AROA-good:session'],
        ['unreadable', 'AROA-bad:session'],
      ]);
    });

    it('has all of them again, and told then, where the letter cannot be sent', async () => {
      const lost = new SentMessages();
      lost.mode = 'lost';
      const { failed } = await bench.run(flood('bad'), lost);
      expect(failed).toHaveLength(MESSAGES);
      expect((await bench.run(flood('bad'))).letters).toHaveLength(1);
    });
  });

  it('has all of it back when it has been removed', async () => {
    await removeWec(bench, 'bad', NOW_MS);
    await settle();
    expect(await objectCounts(bench.store, [BAD])).toEqual([{ objects: 0 }]);
    expect(await entriesOf(RANGE.reported)).toBe(0);
  });
});

describe('a source that makes objects and deletes them without end', () => {
  async function cycle(from: number): Promise<number> {
    const recorded = await tellOf('bad', names(QUOTA, from));
    await tellOf('bad', names(QUOTA, from), 'deleted');
    return recorded.letters.length;
  }

  it('leaves no more tombstones in an hour than twice its quota, however fast it is', async () => {
    const refusals: number[] = [];
    for (let round = 0; round < 6; round += 1) refusals.push(await cycle(round * QUOTA));
    expect(refusals).toEqual([0, 0, 1, 1, 1, 1]);
    expect(await tombstonesOf(names(6 * QUOTA))).toBe(2 * QUOTA);
    await relist([]);
    expect(await objectCounts(bench.store, [BAD])).toEqual([{ objects: 0 }]);
  });

  it('is never refused anything when it deletes no more than its quota in an hour', async () => {
    for (let hour = 0; hour < 30; hour += 1) {
      expect(await cycle(hour * QUOTA)).toBe(0);
      expect(await objectCounts(bench.store, [BAD])).toEqual([{ objects: 0 }]);
      expect(await entriesOf(RANGE.reported)).toBe(0);
      bench.nowMs += 3_600_000;
    }
  });
});

describe('rows that a source has told as if it had told of them before', () => {
  beforeEach(async () => {
    await tellOf('bad', names(150), 'later');
    await tellOf('good', names(150));
  });

  it('are found by the sweep after a listing', async () => {
    await relist(names(10));
    const left = await Promise.all(names(150).map(wecsOf));
    expect(left.flat().filter((wec) => wec === 'bad')).toHaveLength(10);
    expect(left.flat().filter((wec) => wec === 'good')).toHaveLength(150);
  });

  it('are found by the removal of their WEC', async () => {
    await removeWec(bench, 'bad', NOW_MS);
    await settle();
    expect(new Set((await Promise.all(names(150).map(wecsOf))).flat())).toEqual(new Set(['good']));
  });
});

describe('objects that no Binding names', () => {
  const FIFTEEN_DAYS_MS = 15 * 24 * 3_600_000;

  beforeEach(async () => {
    // Of a WDS that has not told everything the Bindings are not known.
    const key = { pk: sourcePartition({ type: 'wds', name: 'wds1' }), sk: SORT.snapshot };
    const version = versionText({ epoch: 1, sequence: 0 });
    await bench.store.put([{ item: { ...key, version }, condition: { type: 'absent' } }]);
    expect(await markWdsListed(bench.store, 'wds1')).toBe(true);
    await tellOf('bad', names(QUOTA + 1));
    await tellOf('good', ['web0']);
    await settle();
    bench.nowMs += FIFTEEN_DAYS_MS;
    await relist(names(QUOTA + 1));
  });

  it('leave their source its whole quota after 15 days, and another source its row', async () => {
    expect(await entriesOf(RANGE.reported)).toBe(0);
    expect(await objectCounts(bench.store, [BAD])).toEqual([{ objects: 0 }]);
    expect(await wecsOf('web0')).toEqual(['good']);
    await tellOf('bad', names(QUOTA, FLOOD));
    expect(await wecsOf(`web${FLOOD}`)).toEqual(['bad']);
  });

  it.each(FLOODS)('cost nothing that stays when they are told again as %s', async (how) => {
    const { letters, puts } = await tellOf('bad', names(QUOTA), how);
    // As above it is asked for each row whether one stands, unless it is said to be the first.
    expect([letters, puts]).toEqual([[], how === 'first' ? 0 : QUOTA]);
    expect(await entriesOf(RANGE.reported)).toBe(0);
    expect(bench.dirty.bodies).toEqual([]);
  });
});
