import { describe, expect, it } from 'vitest';
import { at, type JsonValue } from '#shared/core/json.ts';
import { AskedApi, names, ROOT, status, type Told, WEB } from './ask.ts';

const SHOP = `${ROOT}/namespaces/shop/wecstatuses`;
const LARGE = 'x'.repeat(10_000);
const FOREVER = Number.POSITIVE_INFINITY;

/** An API of so many statuses, of which each has more than 10 kB. */
function bounded(count: number, bounds: { maxBytes: number; maxMs: number }): AskedApi {
  const asked = new AskedApi({ bounds });
  for (let wec = 0; wec < count; wec += 1)
    asked.source.put(status(WEB, `edge-${String(wec).padStart(4, '0')}`, { status: { LARGE } }));
  return asked;
}

/** All pages of a list. */
async function pagesOf(asked: AskedApi, query = ''): Promise<readonly Told[]> {
  const pages: Told[] = [];
  for (let token: JsonValue | undefined = ''; token !== undefined; ) {
    const told: Told = await asked.ask(`${SHOP}?continue=${String(token)}${query}`);
    pages.push(told);
    token = at(told.body, 'metadata', 'continue');
  }
  return pages;
}

const sizesOf = (pages: readonly Told[]): readonly number[] =>
  pages.map((page) => names(page).length);

describe('a list with bounds', () => {
  it('without a limit is continued where the next object would not fit', async () => {
    const asked = bounded(25, { maxBytes: 110_000, maxMs: FOREVER });
    const pages = await pagesOf(asked);
    expect(sizesOf(pages)).toEqual([10, 10, 5]);
    const all = pages.flatMap(names);
    expect(new Set(all).size).toBe(25);
    expect(all).toEqual([...all].sort());
    for (const { text } of pages) expect(text.length).toBeLessThan(112_000);
  });

  it('has at least one object, however large', async () => {
    expect(sizesOf(await pagesOf(bounded(3, { maxBytes: 10, maxMs: FOREVER })))).toEqual([1, 1, 1]);
  });

  it('with a limit has no more than that, and less if it does not fit', async () => {
    const asked = bounded(25, { maxBytes: 110_000, maxMs: FOREVER });
    expect(sizesOf(await pagesOf(asked, '&limit=7'))).toEqual([7, 7, 7, 4]);
    expect(sizesOf(await pagesOf(asked, '&limit=15'))).toEqual([10, 10, 5]);
  });

  it('is whole if it fits', async () => {
    const asked = bounded(700, { maxBytes: 20_000_000, maxMs: FOREVER });
    expect(sizesOf(await pagesOf(asked))).toEqual([700]);
  });

  it('reads no page that would probably not fit', async () => {
    const asked = bounded(1_200, { maxBytes: 6_000_000, maxMs: FOREVER });
    expect(sizesOf(await pagesOf(asked))).toEqual([500, 500, 200]);
    expect(asked.source.reads).toHaveLength(1_200);
  });

  it('ends after its time, with what it has', async () => {
    const asked = bounded(1_200, { maxBytes: FOREVER, maxMs: 1_000 });
    const { wecStatuses } = asked.source;
    asked.source.wecStatuses = async (...request) => {
      asked.nowMs += 600;
      return wecStatuses.apply(asked.source, request);
    };
    expect(sizesOf(await pagesOf(asked))).toEqual([1_000, 200]);
  });
});
