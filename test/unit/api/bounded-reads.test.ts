import { describe, expect, it } from 'vitest';
import { BoundedReads } from '#shared/api/bounded-reads.ts';
import { EXPLANATIONS } from '#shared/api/explanations.ts';
import type { Reader } from '#shared/api/fair-limit.ts';
import type { ItemRequest } from '#shared/api/served-resource.ts';
import { WEC_STATUSES } from '#shared/api/wec-statuses.ts';
import { EVERYTHING } from '#shared/core/status-api/selector.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { status, WEB } from './ask.ts';

const NEVER = new AbortController().signal;
const READER: Reader = { user: 'alice', signal: NEVER };
const REQUEST: ItemRequest = {
  ...{ scope: { namespace: 'shop' }, selector: EVERYTHING, limit: 500 },
  readable: () => true,
};
const NAME = { namespace: 'shop', name: 'deployments.apps:web:east' };

/** A source whose pages and objects are read when the test says so. */
class SlowSource extends FakeStatusSource {
  readonly #waiting: (() => void)[] = [];
  /** How many reads have begun. */
  begun = 0;

  async #slowly<T>(read: () => Promise<T>): Promise<T> {
    this.begun += 1;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    return read();
  }

  override wecStatuses(request: ItemRequest) {
    return this.#slowly(() => super.wecStatuses(request));
  }

  override workload(...asked: Parameters<FakeStatusSource['workload']>) {
    return this.#slowly(() => super.workload(...asked));
  }

  /** Ends all reads that have begun, and lets others begin. */
  async goOn(): Promise<void> {
    for (const go of this.#waiting.splice(0)) go();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Ends all reads. */
  async goOnTo(begun: number): Promise<void> {
    while (this.begun < begun) await this.goOn();
    await this.goOn();
  }
}

function slow() {
  const source = new SlowSource();
  source.put(status(WEB, 'east'));
  return { source, reads: new BoundedReads(source) };
}

describe('reads of a process', () => {
  it('are 4 pages at a time', async () => {
    const { source, reads } = slow();
    const pages = Array.from({ length: 6 }, () => reads.page(WEC_STATUSES, REQUEST, READER));
    expect(source.begun).toBe(4);
    await source.goOnTo(6);
    expect((await Promise.all(pages)).map(({ items }) => items.length)).toEqual(Array(6).fill(1));
  });

  it('are 2 explanations at a time, alone or in pages', async () => {
    const { source, reads } = slow();
    const name = { namespace: 'shop', name: 'deployments.apps:web' };
    const one = () =>
      reads.item(EXPLANATIONS, (from, signal) => EXPLANATIONS.read(from, name, signal), READER);
    const listed = () => reads.page(EXPLANATIONS, REQUEST, READER);
    const all = [one(), listed(), one(), listed()];
    await new Promise((resolve) => setImmediate(resolve));
    expect(source.begun).toBe(2);
    await source.goOnTo(4);
    await Promise.all(all);
  });

  it('of one user wait for their turn, and not for all reads of another one', async () => {
    const { source, reads } = slow();
    const many = Array.from({ length: 40 }, () => reads.page(WEC_STATUSES, REQUEST, READER));
    const other = reads.page(WEC_STATUSES, REQUEST, { user: 'bob', signal: NEVER });
    await source.goOn();
    await source.goOn();
    await other;
    expect(source.begun).toBe(12);
    await source.goOnTo(41);
    await Promise.all(many);
  });
});

describe('a page that watches share', () => {
  const page = (reads: BoundedReads, since: number, more: Partial<ItemRequest> = {}) =>
    reads.sharedPage(
      WEC_STATUSES,
      { request: { ...REQUEST, ...more }, rights: 'all', since },
      READER,
    );

  it('is read once for all that need it after the same revision or an earlier one', async () => {
    const { source, reads } = slow();
    const pages = [page(reads, 7), page(reads, 7), page(reads, 6)];
    await source.goOn();
    await Promise.all(pages);
    await page(reads, 5);
    expect(source.begun).toBe(1);
  });

  it('is read again for a later revision, unless it has not begun to be read', async () => {
    const { source, reads } = slow();
    const others = [1, 2, 3].map((limit) => page(reads, 1, { limit }));
    const first = page(reads, 7);
    const second = page(reads, 8);
    const third = page(reads, 9);
    expect(source.begun).toBe(4);
    await source.goOn();
    expect(source.begun).toBe(5);
    await source.goOn();
    await Promise.all([...others, first, second, third]);
    await page(reads, 9);
    expect(source.begun).toBe(5);
  });

  it('is not that of another selector, place or reader with other rights', async () => {
    const { source, reads } = slow();
    const pages = [
      page(reads, 7),
      reads.sharedPage(WEC_STATUSES, { request: REQUEST, rights: 'few', since: 7 }, READER),
      page(reads, 7, { scope: 'cluster' }),
      page(reads, 7, {
        selector: { labels: [], fields: [{ field: 'wec', operator: '=', value: 'east' }] },
      }),
    ];
    expect(source.begun).toBe(4);
    await source.goOn();
    await Promise.all(pages);
  });

  it('that cannot be read fails for all of them, and is read again', async () => {
    const { source, reads } = slow();
    source.failure = new StoreUnavailableError('query');
    const outcomes = Promise.allSettled([page(reads, 7), page(reads, 7)]);
    await source.goOn();
    expect((await outcomes).map(({ status: outcome }) => outcome)).toEqual([
      'rejected',
      'rejected',
    ]);
    source.failure = undefined;
    const again = page(reads, 7);
    await source.goOn();
    expect((await again).items).toHaveLength(1);
    expect(source.begun).toBe(2);
  });

  it('is not read if all of them leave, and is for the next one', async () => {
    const { source, reads } = slow();
    const others = [1, 2, 3, 4].map((limit) => page(reads, 1, { limit }));
    const leaving = new AbortController();
    const asked = { request: REQUEST, rights: 'all', since: 7 };
    const left = reads.sharedPage(WEC_STATUSES, asked, { user: 'bob', signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    const next = page(reads, 7);
    await source.goOn();
    await source.goOn();
    await Promise.all([...others, next]);
    expect(source.begun).toBe(5);
  });
});

describe('an object that watches share', () => {
  it('is read again only for a later revision', async () => {
    const source = new FakeStatusSource();
    source.put(status(WEB, 'east'));
    const reads = new BoundedReads(source);
    const read = (since: number) => reads.sharedItem(WEC_STATUSES, { name: NAME, since }, READER);
    const all = await Promise.all([read(7), read(7), read(6)]);
    expect(all.map((item) => item?.wec)).toEqual(['east', 'east', 'east']);
    expect(source.reads).toHaveLength(1);
    await read(8);
    expect(source.reads).toHaveLength(2);
    const none = { name: { ...NAME, name: 'deployments.apps:web:west' }, since: 7 };
    expect(await reads.sharedItem(WEC_STATUSES, none, READER)).toBeUndefined();
  });
});
