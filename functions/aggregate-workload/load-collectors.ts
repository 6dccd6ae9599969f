import type {
  CompiledCollector,
  UncompiledCollector,
} from '#shared/core/collector/compiled-collector.ts';
import { type CollectorNaming, CompiledShares } from '#shared/core/collector/compiled-share.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { SORT } from '#shared/state/keys.ts';
import { type Observed, readObserved } from '#shared/state/observed.ts';
import { compileOnce, createSizes } from './compile-once.ts';
import type { AggregateDeps } from './deps.ts';

/** So many StatusCollectors are read at a time: each may take more than a megabyte, and a Binding may name a thousand. */
const PAGE_SIZE = 25;

/** Reads StatusCollectors of a WDS, in the order of the names; `undefined` for one of which nothing has been said. */
export async function* readCollectors(
  store: ItemStore,
  wds: string,
  names: readonly string[],
): AsyncGenerator<readonly [name: string, collector: Observed | undefined]> {
  for (let start = 0; start < names.length; start += PAGE_SIZE) {
    const page = names.slice(start, start + PAGE_SIZE);
    const keys = page.map((name) => ({
      pk: subjectPartition({ type: 'collector', wds, name }),
      sk: SORT.spec,
    }));
    const observed = await readObserved(store, keys);
    for (const [index, name] of page.entries()) yield [name, observed[index]];
  }
}

/** What names the content of a StatusCollector, without it. */
type ContentName = Pick<Observed, 'contentHash' | 'contentVersion'>;

function withoutContent({ contentHash, contentVersion }: Observed): ContentName {
  return { contentHash, contentVersion };
}

/** The StatusCollectors that Bindings name for one thing. */
export interface LoadedCollectors {
  /** What was read, in the order of the names; `undefined`: nothing has been said of it. */
  readonly observed: ReadonlyMap<string, ContentName | undefined>;
  /** The valid ones; those that no Binding has room for are not kept compiled. */
  readonly collectors: ReadonlyMap<string, CompiledCollector | UncompiledCollector>;
  /** Names of those that exist and are not valid, sorted. */
  readonly invalid: readonly string[];
}

/**
 * Reads the collectors that Bindings name, and compiles those that a Binding has room for (`CompiledShares`). What the
 * others take is remembered, so a later try goes on where this one has ended.
 *
 * @param what names the work in the error
 * @throws CompilingError
 */
export async function loadCollectors(
  { store, clock }: Pick<AggregateDeps, 'store' | 'clock'>,
  { wds, what }: { readonly wds: string; readonly what: string },
  namings: readonly CollectorNaming[],
): Promise<LoadedCollectors> {
  const names = new Set(namings.flatMap(({ modulation }) => modulation.statusCollectors));
  const sizeOf = createSizes(what, clock);
  const shares = new CompiledShares(namings);
  const observed = new Map<string, ContentName | undefined>();
  const collectors = new Map<string, CompiledCollector | UncompiledCollector>();
  const invalid: string[] = [];
  for await (const [name, collector] of readCollectors(store, wds, [...names].sort())) {
    observed.set(name, collector && withoutContent(collector));
    if (collector?.content === undefined) continue;
    const bytes = sizeOf(collector);
    if (bytes === undefined) {
      invalid.push(name);
      continue;
    }
    const compiled = shares.offer(name, bytes) ? compileOnce(collector) : undefined;
    collectors.set(name, compiled ?? { kind: 'uncompiled', bytes });
  }
  return { observed, collectors, invalid };
}
