import { LRUCache } from 'lru-cache';
import {
  type CompiledCollector,
  compiledBytes,
} from '#shared/core/collector/compiled-collector.ts';
import {
  type CollectorCompilation,
  compileStatusCollector,
} from '#shared/core/collector/status-collector.ts';
import { member } from '#shared/core/json.ts';
import { MAX_OBJECT_COMPILED_BYTES } from '#shared/core/limits.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  type CollectorCheck,
  putBegun,
  putChecks,
  readBegun,
  readChecks,
  removeBegun,
} from '#shared/state/collector-checks.ts';
import type { Observed } from '#shared/state/observed.ts';

/** The maximum size of the cached collectors: those of two objects at their limit. */
const MAX_BYTES = 2 * MAX_OBJECT_COMPILED_BYTES;
/** The maximum number of collectors whose checks are remembered. */
const MAX_CHECKS = 50_000;

/** A StatusCollector that exists: its partition, and its content. */
export interface StoredCollector {
  readonly pk: string;
  readonly observed: Observed;
}

/** A check of the present content of a StatusCollector, and its partition. */
export type MadeCheck = readonly [pk: string, check: CollectorCheck];

/**
 * The checks and the compilations of StatusCollectors. A check says whether a collector is valid, and how much memory it takes
 * if compiled. It only depends on the content, and is stored beside it. So one process checks, and all others only read.
 */
export interface CollectorChecks {
  /** The checks that are known, in the order of the collectors. */
  find(collectors: readonly StoredCollector[]): Promise<readonly (CollectorCheck | undefined)[]>;
  /**
   * The partitions of those collectors of which a check has begun before a time and not ended. The process that began it may have
   * ended because of the collector. So only the aggregation of the collector itself may check it, which is set aside if that ends
   * it twice.
   */
  begun(collectors: readonly StoredCollector[], beforeMs: number): Promise<ReadonlySet<string>>;
  /** Notes that the checks of these collectors begin. */
  begin(collectors: readonly StoredCollector[], nowMs: number): Promise<void>;
  /** Compiles a collector, also if its check is known. The caller stores the check with {@link store}. */
  check(collector: StoredCollector): {
    readonly made: MadeCheck;
    readonly compilation: CollectorCompilation;
  };
  /** Stores checks, notes that they have ended, and remembers them. */
  store(made: readonly MadeCheck[]): Promise<void>;
  /** Compiles a collector, or returns the cached one. Returns `undefined` if it is invalid. */
  compiled(collector: StoredCollector): CompiledCollector | undefined;
}

/** Creates the checks of a process. `compile` compiles the spec of a StatusCollector. */
export function createCollectorChecks(
  store: ItemStore,
  compile: typeof compileStatusCollector = compileStatusCollector,
): CollectorChecks {
  const cached = new LRUCache<string, CompiledCollector>({
    maxSize: MAX_BYTES,
    sizeCalculation: compiledBytes,
  });
  const checked = new LRUCache<string, CollectorCheck>({
    maxSize: MAX_CHECKS,
    sizeCalculation: () => 1,
  });

  function compileContent({ content, contentHash }: Observed): CollectorCompilation {
    const compilation = compile(member(content, 'spec') ?? {});
    if (compilation.ok) cached.set(contentHash, compilation.collector);
    return compilation;
  }

  return {
    async find(collectors) {
      const unknown = collectors.filter(({ observed }) => !checked.has(observed.contentHash));
      const pks = unknown.map(({ pk }) => pk);
      for (const check of await readChecks(store, pks))
        if (check) checked.set(check.contentHash, check);
      return collectors.map(({ observed }) => checked.get(observed.contentHash));
    },
    async begun(collectors, beforeMs) {
      const pks = collectors.map(({ pk }) => pk);
      const begun = await readBegun(store, pks);
      return new Set(
        pks.filter((_pk, index) => (begun[index] ?? Number.POSITIVE_INFINITY) <= beforeMs),
      );
    },
    begin: (collectors, nowMs) =>
      putBegun(
        store,
        collectors.map(({ pk }) => pk),
        nowMs,
      ),
    check({ pk, observed }) {
      const compilation = compileContent(observed);
      const size = compilation.ok ? { bytes: compiledBytes(compilation.collector) } : {};
      return { compilation, made: [pk, { contentHash: observed.contentHash, ...size }] };
    },
    async store(made) {
      await putChecks(store, made);
      await removeBegun(
        store,
        made.map(([pk]) => pk),
      );
      for (const [, check] of made) checked.set(check.contentHash, check);
    },
    compiled({ observed }) {
      const one = cached.get(observed.contentHash);
      if (one !== undefined) return one;
      const compilation = compileContent(observed);
      return compilation.ok ? compilation.collector : undefined;
    },
  };
}
