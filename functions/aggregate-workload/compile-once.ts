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
import { CompilingError } from '#shared/errors.ts';
import type { Observed } from '#shared/state/observed.ts';

/** The maximum size of the cached collectors: those of two objects at their limit. */
const MAX_BYTES = 2 * MAX_OBJECT_COMPILED_BYTES;
/** The maximum number of collectors whose sizes are remembered. */
const MAX_SIZES = 50_000;
/** The maximum time to compile in one try. With the work that follows, it is less than the timeout of an invocation. */
const COMPILING_MS = 8_000;
/** The size of an invalid collector. Invalid collectors are not cached. */
const INVALID = -1;

const compiled = new LRUCache<string, CompiledCollector>({
  maxSize: MAX_BYTES,
  sizeCalculation: compiledBytes,
});
const sizes = new LRUCache<string, number>({ max: MAX_SIZES });

function compile({ content, contentHash }: Observed): CollectorCompilation {
  const compilation = compileStatusCollector(member(content, 'spec') ?? {});
  if (compilation.ok) compiled.set(contentHash, compilation.collector);
  sizes.set(contentHash, compilation.ok ? compiledBytes(compilation.collector) : INVALID);
  return compilation;
}

/**
 * Returns a function that determines the compiled size of a stored StatusCollector in memory, or `undefined` if the collector
 * is invalid. The same content is compiled only once for this, whether or not the collector is cached.
 *
 * @param what names the work in the error
 * @param clock milliseconds since the epoch
 * @returns a function that throws a CompilingError after it has compiled for too long. The next try uses the sizes that were
 *   found.
 */
export function createSizes(
  what: string,
  clock: () => number,
): (collector: Observed) => number | undefined {
  let spentMs = 0;
  return (collector) => {
    const { contentHash } = collector;
    if (!sizes.has(contentHash)) {
      if (spentMs > COMPILING_MS) throw new CompilingError(what);
      const startedMs = clock();
      compile(collector);
      spentMs += clock() - startedMs;
    }
    const size = sizes.get(contentHash);
    return size === INVALID ? undefined : size;
  };
}

/** Compiles a stored StatusCollector, or returns the cached one. Returns `undefined` if the collector is invalid. */
export function compileOnce(collector: Observed): CompiledCollector | undefined {
  const known = compiled.get(collector.contentHash);
  if (known !== undefined) return known;
  const compilation = compile(collector);
  return compilation.ok ? compilation.collector : undefined;
}
