import { CheckShares, checkCost } from '#shared/core/collector/check-share.ts';
import type { NamedCollector } from '#shared/core/collector/compiled-collector.ts';
import { type CollectorNaming, CompiledShares } from '#shared/core/collector/compiled-share.ts';
import { member } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { CollectorCheck } from '#shared/state/collector-checks.ts';
import { SORT } from '#shared/state/keys.ts';
import { type Observed, readObserved } from '#shared/state/observed.ts';
import type { MadeCheck, StoredCollector } from './collector-checks.ts';
import type { AggregateDeps } from './deps.ts';

/**
 * The number of StatusCollectors that are read at a time. Each may have more than a megabyte, and a Binding may name a
 * thousand.
 */
const PAGE_SIZE = 25;

/** A StatusCollector that a Binding names. */
interface ReadCollector {
  readonly name: string;
  readonly pk: string;
  /** `undefined`: the collector has never been reported. */
  readonly observed: Observed | undefined;
}

/** Reads StatusCollectors of a WDS page by page, in the order of the names. */
export async function* readCollectors(
  store: ItemStore,
  wds: string,
  names: readonly string[],
): AsyncGenerator<readonly ReadCollector[]> {
  for (let start = 0; start < names.length; start += PAGE_SIZE) {
    const page = names
      .slice(start, start + PAGE_SIZE)
      .map((name) => ({ name, pk: subjectPartition({ type: 'collector', wds, name }) }));
    const observed = await readObserved(
      store,
      page.map(({ pk }) => ({ pk, sk: SORT.spec })),
    );
    yield page.map((one, index) => ({ ...one, observed: observed[index] }));
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
  /**
   * The valid collectors, and those that are not checked yet. Collectors over the limit of every Binding do not stay compiled.
   */
  readonly collectors: ReadonlyMap<string, NamedCollector>;
  /** Names of the collectors that exist but are invalid, sorted. */
  readonly invalid: readonly string[];
  /**
   * Names of the collectors that are not checked yet, sorted. If there are any, the caller sends its subject again after it has
   * stored its result ({@link checkLater}).
   */
  readonly unchecked: readonly string[];
}

type Existing = ReadCollector & StoredCollector;

function exists(collector: ReadCollector): collector is Existing {
  return collector.observed?.content !== undefined;
}

/** The checks of the collectors of a page. Checks that are not stored yet are made and stored, up to the shares. */
async function checksOf(
  { collectors: checks }: Pick<AggregateDeps, 'collectors'>,
  shares: CheckShares,
  page: readonly Existing[],
): Promise<readonly (CollectorCheck | undefined)[]> {
  const cached = await checks.find(page);
  const made = new Map<string, MadeCheck>();
  for (const [index, one] of page.entries()) {
    const cost = () => checkCost(member(one.observed.content, 'spec'));
    if (cached[index] === undefined && shares.take(one.name, cost()))
      made.set(one.name, checks.check(one).made);
  }
  await checks.store([...made.values()]);
  return page.map(({ name }, index) => cached[index] ?? made.get(name)?.[1]);
}

/** A collector in the form in which it is used, or `undefined` if it is invalid. It is compiled if a Binding has room for it. */
function namedCollector(
  { collectors }: Pick<AggregateDeps, 'collectors'>,
  shares: CompiledShares,
  { one, check }: { readonly one: Existing; readonly check: CollectorCheck | undefined },
): NamedCollector | undefined {
  if (check === undefined) return { kind: 'unchecked' };
  const { bytes } = check;
  if (bytes === undefined) return undefined;
  return shares.offer(one.name, bytes) ? collectors.compiled(one) : { kind: 'uncompiled', bytes };
}

/**
 * Reads the collectors that Bindings name, and compiles those within the limit of a Binding (`CompiledShares`). Whether a
 * collector is valid, and its size, is stored when it is aggregated itself. If that is not stored yet, it is checked here,
 * within another limit of the Binding (`CheckShares`). So the work does not grow with the number of collectors.
 */
export async function loadCollectors(
  deps: Pick<AggregateDeps, 'store' | 'collectors' | 'maxCheckCost'>,
  wds: string,
  namings: readonly CollectorNaming[],
): Promise<LoadedCollectors> {
  const names = new Set(namings.flatMap(({ modulation }) => modulation.statusCollectors));
  const checkShares = new CheckShares(namings, deps.maxCheckCost);
  const shares = new CompiledShares(namings);
  const observed = new Map<string, ContentName | undefined>();
  const collectors = new Map<string, NamedCollector>();
  const invalid: string[] = [];
  for await (const page of readCollectors(deps.store, wds, [...names].sort())) {
    for (const { name, observed: one } of page) observed.set(name, one && withoutContent(one));
    const existing = page.filter(exists);
    const checks = await checksOf(deps, checkShares, existing);
    for (const [index, one] of existing.entries()) {
      const collector = namedCollector(deps, shares, { one, check: checks[index] });
      if (collector === undefined) invalid.push(one.name);
      else collectors.set(one.name, collector);
    }
  }
  const unchecked = [...collectors].flatMap(([name, { kind }]) =>
    kind === 'unchecked' ? [name] : [],
  );
  return { observed, collectors, invalid, unchecked };
}
