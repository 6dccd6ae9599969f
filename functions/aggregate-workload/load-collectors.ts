import { CheckShares, checkCost } from '#shared/core/collector/check-share.ts';
import type { NamedCollector } from '#shared/core/collector/compiled-collector.ts';
import { type CollectorNaming, CompiledShares } from '#shared/core/collector/compiled-share.ts';
import { member } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { CollectorCheck } from '#shared/state/collector-checks.ts';
import { SORT } from '#shared/state/keys.ts';
import { type Observed, readObserved } from '#shared/state/observed.ts';
import type { StoredCollector } from './collector-checks.ts';
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

/** The StatusCollectors that are not checked yet. */
export interface UncheckedCollectors {
  /** Names of all of them, sorted. */
  readonly names: readonly string[];
  /** Those of them that are left to their own aggregation, because checking them may end the process. */
  readonly left: readonly string[];
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
  /** The collectors that are not checked yet. The caller passes them to `checkLater` after it has stored its result. */
  readonly unchecked: UncheckedCollectors;
}

type Existing = ReadCollector & StoredCollector;

function exists(collector: ReadCollector): collector is Existing {
  return collector.observed?.content !== undefined;
}

type CheckingDeps = Pick<
  AggregateDeps,
  'store' | 'collectors' | 'maxCheckCost' | 'clock' | 'isTrial'
>;

/** What is known of the collectors of a page. */
interface PageChecks {
  /** Their checks, in their order. */
  readonly checks: readonly (CollectorCheck | undefined)[];
  /** Names of those that are left to their own aggregation. */
  readonly left: readonly string[];
}

/** Longer than any invocation. A check that began longer ago has ended its process, or the process has ended otherwise. */
const CHECK_MS = 60_000;

/**
 * The partitions of the collectors that are left to their own aggregation. If the messages were received before, these are all that
 * are not checked, because one of them may be the reason. Otherwise a check that began a moment ago does not count: two processes
 * that check the same collector harm nobody, and no result lacks its columns for a moment.
 */
async function leftToThemselves(
  { collectors, clock, isTrial = false }: CheckingDeps,
  unchecked: readonly Existing[],
): Promise<ReadonlySet<string>> {
  if (isTrial) return new Set(unchecked.map(({ pk }) => pk));
  return collectors.begun(unchecked, clock() - CHECK_MS);
}

/**
 * The checks of the collectors of a page. Checks that are not stored yet are made and stored, up to the shares. A collector may
 * end the process, so it is noted before that its check begins.
 */
async function checksOf(
  deps: CheckingDeps,
  shares: CheckShares,
  page: readonly Existing[],
): Promise<PageChecks> {
  const { collectors: checks, clock } = deps;
  const stored = await checks.find(page);
  const unchecked = page.filter((_one, index) => stored[index] === undefined);
  const left = await leftToThemselves(deps, unchecked);
  const costOf = ({ observed }: Existing) => checkCost(member(observed.content, 'spec'));
  const ours = unchecked.filter((one) => !left.has(one.pk) && shares.take(one.name, costOf(one)));
  await checks.begin(ours, clock());
  const made = new Map(ours.map((one) => [one.name, checks.check(one).made]));
  await checks.store([...made.values()]);
  return {
    checks: page.map(({ name }, index) => stored[index] ?? made.get(name)?.[1]),
    left: unchecked.filter(({ pk }) => left.has(pk)).map(({ name }) => name),
  };
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
  deps: CheckingDeps,
  wds: string,
  namings: readonly CollectorNaming[],
): Promise<LoadedCollectors> {
  const names = new Set(namings.flatMap(({ modulation }) => modulation.statusCollectors));
  const checkShares = new CheckShares(namings, deps.maxCheckCost);
  const shares = new CompiledShares(namings);
  const observed = new Map<string, ContentName | undefined>();
  const collectors = new Map<string, NamedCollector>();
  const invalid: string[] = [];
  const left: string[] = [];
  for await (const page of readCollectors(deps.store, wds, [...names].sort())) {
    for (const { name, observed: one } of page) observed.set(name, one && withoutContent(one));
    const existing = page.filter(exists);
    const { checks, left: others } = await checksOf(deps, checkShares, existing);
    left.push(...others);
    for (const [index, one] of existing.entries()) {
      const collector = namedCollector(deps, shares, { one, check: checks[index] });
      if (collector === undefined) invalid.push(one.name);
      else collectors.set(one.name, collector);
    }
  }
  const unchecked = [...collectors].flatMap(([name, { kind }]) =>
    kind === 'unchecked' ? [name] : [],
  );
  return { observed, collectors, invalid, unchecked: { names: unchecked, left } };
}
