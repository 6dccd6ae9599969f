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

/**
 * The number of StatusCollectors that are read at a time. Each may have more than a megabyte, and a Binding may name a
 * thousand.
 */
const PAGE_SIZE = 25;

/**
 * Reads StatusCollectors of a WDS, in the order of the names. Yields `undefined` for a collector that has never been reported.
 */
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

/** The hash and the version of the content of a StatusCollector, without the content. */
type ContentName = Pick<Observed, 'contentHash' | 'contentVersion'>;

function withoutContent({ contentHash, contentVersion }: Observed): ContentName {
  return { contentHash, contentVersion };
}

/** The StatusCollectors that Bindings name for one object or Binding. */
export interface LoadedCollectors {
  /** The collectors that were read, in the order of the names. `undefined`: the collector has never been reported. */
  readonly observed: ReadonlyMap<string, ContentName | undefined>;
  /** The valid collectors. Collectors over the limit of every Binding do not stay compiled. */
  readonly collectors: ReadonlyMap<string, CompiledCollector | UncompiledCollector>;
  /** Names of the collectors that exist but are invalid, sorted. */
  readonly invalid: readonly string[];
}

/**
 * Reads the collectors that Bindings name, and compiles those within the limit of a Binding (`CompiledShares`). The sizes of
 * the others are remembered, so a later try continues where this one ended.
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
