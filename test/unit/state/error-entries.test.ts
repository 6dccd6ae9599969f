import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  type ErrorReport,
  markErrorsNotified,
  putErrors,
  readErrors,
} from '#shared/state/error-entries.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const PK = 'B#wds1/all';

function report(revision: number, errors: readonly string[], workload = 'w1'): ErrorReport {
  return { bindingPk: PK, workload, origin: 'aggregate', revision, errors };
}

describe('error entries', () => {
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });

  it('have to be reported until they are', async () => {
    expect(await putErrors(store, report(1, ['bad']))).toBe(true);
    expect(await putErrors(store, report(1, ['bad']))).toBe(true);
    await markErrorsNotified(store, report(1, ['bad']));
    expect(await putErrors(store, report(1, ['bad']))).toBe(false);
    expect(await readErrors(store, PK)).toEqual(['bad']);
  });

  it('of a later revision have to be reported only if they changed, or never were', async () => {
    await putErrors(store, report(1, ['bad']));
    expect(await putErrors(store, report(2, ['bad']))).toBe(true);
    await markErrorsNotified(store, report(2, ['bad']));
    expect(await putErrors(store, report(3, ['bad']))).toBe(false);
    expect(await putErrors(store, report(4, []))).toBe(true);
    expect(await readErrors(store, PK)).toEqual([]);
  });

  it('give way to nothing older', async () => {
    await putErrors(store, report(5, []));
    expect(await putErrors(store, report(4, ['old']))).toBe(false);
    expect(await readErrors(store, PK)).toEqual([]);
    await markErrorsNotified(store, report(4, ['old']));
    expect(await readErrors(store, PK)).toEqual([]);
  });

  it('are checked again if a newer one was written first', async () => {
    let isFirst = true;
    const racing: ItemStore = {
      ...store,
      async put(puts) {
        if (isFirst) {
          isFirst = false;
          await putErrors(store, report(7, ['newer']));
        }
        return store.put(puts);
      },
    };
    expect(await putErrors(racing, report(6, ['mine']))).toBe(false);
    expect(await readErrors(store, PK)).toEqual(['newer']);
  });

  it('stand apart by origin and by workload, and are read in the order of the workloads', async () => {
    await putErrors(store, report(1, ['second'], 'w2'));
    await putErrors(store, { ...report(9, ['refused']), origin: 'write' });
    await putErrors(store, report(1, ['first']));
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    expect(await readErrors(paged, PK)).toEqual(['first', 'refused', 'second']);
  });

  it.each([
    [100, 100, 'error 99'],
    [101, 101, 'and 1 more errors'],
    [250, 101, 'and 150 more errors'],
  ])('of which there are %i are %i lines, the last "%s"', async (count, lines, last) => {
    const errors = Array.from({ length: count }, (_error, index) => `error ${index}`);
    await putErrors(store, report(1, errors));
    const read = await readErrors(store, PK);
    expect([read.length, read.at(-1)]).toEqual([lines, last]);
  });
});
