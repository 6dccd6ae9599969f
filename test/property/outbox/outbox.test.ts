import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { deliver } from '#shared/outbox/deliver.ts';
import { deliverRows } from '#shared/outbox/noted-rows.ts';
import { decodeNote, markNotesSent, putNotes } from '#shared/outbox/notes.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec, decodeText } from '#shared/state/body.ts';
import { markErrorsNotified, putErrors } from '#shared/state/error-entries.ts';
import { decodeHead, putHead, readHead } from '#shared/state/head.ts';
import { RANGE, range, sortableNumber } from '#shared/state/keys.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const PK = 'W#wds1/apps/deployments/shop/web';
const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];
/** What each receiver is to read; absent: nothing. */
type Wanted = Partial<Record<Name, string>>;
type Fault = 'none' | 'before' | 'after';

class Crash extends Error {}

/** A store and receivers. Each receiver reads what is stored for it when a message arrives, and only then. */
class World {
  readonly stored = createMemoryItemStore();
  /** The latest input. Each message is sent after its input was stored. */
  wanted: Wanted = {};
  #recorded = 0;
  /** What each receiver read last. */
  readonly received = new Map<string, string | undefined>();
  readonly #scheduler: fc.Scheduler;
  readonly #faults: Fault[];

  constructor(scheduler: fc.Scheduler, faults: readonly Fault[]) {
    this.#scheduler = scheduler;
    this.#faults = [...faults];
  }

  /** A call that waits for its turn, and may fail before or after it takes effect. */
  async call<T>(label: string, run: () => Promise<T>): Promise<T> {
    await this.#scheduler.schedule(Promise.resolve(), label);
    const fault = this.#faults.shift() ?? 'none';
    if (fault === 'before') throw new Crash();
    const result = await run();
    if (fault === 'after') throw new Crash();
    return result;
  }

  record(revision: number, wanted: Wanted): void {
    if (revision < this.#recorded) return;
    this.#recorded = revision;
    this.wanted = wanted;
  }

  get store(): ItemStore {
    const { stored } = this;
    return {
      get: (keys) => this.call('get', () => stored.get(keys)),
      query: (query) => this.call('query', () => stored.query(query)),
      put: (puts) => this.call('put', () => stored.put(puts)),
      delete: (deletes) => this.call('delete', () => stored.delete(deletes)),
    } as ItemStore;
  }

  /** Sends a message to each receiver. */
  send(read: (name: string) => Promise<string | undefined>, names: readonly string[]) {
    return this.call('send', async () => {
      for (const name of names) this.received.set(name, await read(name));
    });
  }
}

/** An outbox under test: what one attempt to deliver a revision does. */
interface Outbox {
  /** @returns false: start again */
  attempt(world: World, revision: number, wanted: Wanted): Promise<boolean>;
  /** What is stored for a receiver. */
  read(world: World, name: string): Promise<string | undefined>;
}

async function textAt(world: World, key: { pk: string; sk: string }) {
  const [item] = await world.stored.get([key]);
  return item?.body === undefined ? undefined : decodeText(item.body);
}

/** Settles a revision as an aggregation does. @returns false if a later revision is settled */
async function settle(store: ItemStore, revision: number): Promise<boolean> {
  for (;;) {
    const head = await readHead(store, PK);
    if (head.revision >= revision) return head.revision === revision;
    await putHead(store, PK, { ...decodeHead(undefined), revision: head.revision + 1 });
  }
}

const DATA = 'DATA#';
const OF_PREFIX = RANGE.member;

/** Notes beside what the receivers read, as for members of a Binding. */
const notesBy = (deliverBy: typeof deliver): Outbox => ({
  async attempt(world, revision, wanted) {
    const { store } = world;
    if (!(await settle(store, revision))) return true;
    const { items } = await store.query(range(PK, OF_PREFIX));
    const noted = new Map(items.map((item) => [item.sk.slice(OF_PREFIX.length), decodeNote(item)]));
    const changes = [...new Set([...noted.keys(), ...Object.keys(wanted)])]
      .map((name) => ({ name, hash: wanted[name as Name] ?? '' }))
      .filter(({ name, hash }) => noted.get(name)?.hash !== hash || !noted.get(name)?.sent);
    if (changes.length === 0) return true;
    const of = { pk: PK, prefix: OF_PREFIX, revision };
    await deliverBy({
      note: async () => ((await putNotes(store, of, changes)) ? changes : 'outdated'),
      put: () =>
        store.put(
          changes.map(({ name, hash }) => ({
            item: { pk: PK, sk: `${DATA}${name}`, version: sortableNumber(revision), body: hash },
            condition: { type: 'newer' },
          })),
        ),
      send: () =>
        world.send(
          (name) => this.read(world, name),
          changes.map(({ name }) => name),
        ),
      markSent: () =>
        markNotesSent(store, of, { notes: changes, isOver: ({ hash }) => hash === '' }),
    });
    return true;
  },
  async read(world, name) {
    return (await textAt(world, { pk: PK, sk: `${DATA}${name}` })) || undefined;
  },
});

/** Entries that are their own notes, as the errors of workload objects in a Binding. */
const ENTRIES: Outbox = {
  async attempt(world, revision, wanted) {
    for (const name of NAMES) {
      const errors = wanted[name] === undefined ? [] : [wanted[name]];
      const report = { bindingPk: PK, workload: name, origin: 'write', revision, errors } as const;
      await deliver({
        note: async () => ((await putErrors(world.store, report)) ? [report] : 'outdated'),
        send: () => world.send((one) => ENTRIES.read(world, one), [name]),
        markSent: () => markErrorsNotified(world.store, report),
      });
    }
    return true;
  },
  async read(world, name) {
    const text = await textAt(world, { pk: PK, sk: `${RANGE.error}${name}#write` });
    return text === undefined ? undefined : JSON.parse(text).errors[0];
  },
};

const LIST = bodyCodec<Record<string, string>>('list', z.record(z.string(), z.string()));

/** Rows below other subjects that one note lists, as what Bundles and Clusters contribute. */
const ROWS: Outbox = {
  async attempt(world) {
    const { store } = world;
    const head = await readHead(store, PK);
    const { wanted } = world;
    const revision = head.revision + 1;
    if (!(await putHead(store, PK, { ...head, revision }))) return false;
    return deliverRows(store, {
      key: { pk: PK, sk: 'LIST' },
      codec: LIST,
      revision,
      nowMs: 0,
      changes(noted = {}) {
        const all = new Set([...Object.keys(noted), ...Object.keys(wanted)]);
        const changed = [...all].filter((name) => noted[name] !== wanted[name as Name]);
        if (changed.length === 0) return 'none';
        return {
          rows: changed.map((name) => ({
            key: { pk: `X#${name}`, sk: 'ROW' },
            body: wanted[name as Name],
          })),
          pending: { ...noted, ...Object.fromEntries(changed.map((name) => [name, ''])) },
          done: wanted as Record<string, string>,
        };
      },
      notify: (keys) =>
        world.send(
          (name) => ROWS.read(world, name),
          keys.map(({ pk }) => pk.slice(2)),
        ),
    });
  },
  async read(world, name) {
    const text = await textAt(world, { pk: `X#${name}`, sk: 'ROW' });
    return text === undefined ? undefined : JSON.parse(text);
  },
};

/** Delivers a message until it is handled, as a queue does. */
async function handle(world: World, outbox: Outbox, [revision, wanted]: [number, Wanted]) {
  await world.store.get([]).catch(() => undefined);
  world.record(revision, wanted);
  for (;;)
    try {
      if (await outbox.attempt(world, revision, wanted)) return;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
}

const WANTED = fc.record(
  Object.fromEntries(NAMES.map((name) => [name, fc.constantFrom('x', 'y', 'z')])),
  { requiredKeys: [] },
) as fc.Arbitrary<Wanted>;

/** Revisions, each delivered once or twice, in any order of calls, some of which fail. */
const HISTORY = fc.record({
  revisions: fc.array(WANTED, { minLength: 1, maxLength: 4 }),
  copies: fc.constantFrom(1, 2),
  scheduler: fc.scheduler(),
  faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'before', 'after'), {
    size: 'large',
    maxLength: 60,
  }),
});

function converges(outbox: Outbox) {
  return fc.asyncProperty(HISTORY, async ({ revisions, copies, scheduler, faults }) => {
    const world = new World(scheduler, faults);
    const messages = revisions.flatMap((wanted, index) =>
      Array.from({ length: copies }, (): [number, Wanted] => [index + 1, wanted]),
    );
    await scheduler.waitFor(Promise.all(messages.map((one) => handle(world, outbox, one))));
    const last = revisions.at(-1) ?? {};
    for (const name of NAMES) {
      expect(await outbox.read(world, name)).toBe(last[name]);
      expect(world.received.get(name)).toBe(last[name]);
    }
  });
}

describe('each receiver has read what the last revision wants, whatever fails, comes twice or overtakes', () => {
  it.each([
    ['notes beside what is read', notesBy(deliver)],
    ['entries that are their own notes', ENTRIES],
    ['rows that one note lists', ROWS],
  ])('%s', async (_what, outbox) => {
    await fc.assert(converges(outbox), { seed: 1, numRuns: 400 });
  });

  it.each<[string, typeof deliver]>([
    [
      'sending before putting',
      (steps) => deliver({ ...steps, put: steps.send, send: async (all) => steps.put?.(all) }),
    ],
    [
      'noting as sent before sending',
      (steps) =>
        deliver({
          note: steps.note,
          async send(all) {
            await steps.put?.(all);
            await steps.markSent(all);
            return steps.send(all);
          },
          markSent: async () => undefined,
        }),
    ],
    [
      'putting before noting',
      (steps) =>
        deliver({
          async note() {
            await steps.put?.([]);
            return steps.note();
          },
          send: steps.send,
          markSent: steps.markSent,
        }),
    ],
  ])('and %s is found to lose something', async (_what, wrong) => {
    const { failed } = await fc.check(converges(notesBy(wrong)), { seed: 1, numRuns: 400 });
    expect(failed).toBe(true);
  });
});
