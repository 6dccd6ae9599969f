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

/** What the collectors that are kept may take: those of two objects at their limit. */
const MAX_BYTES = 2 * MAX_OBJECT_COMPILED_BYTES;
/** Of so many collectors it is remembered what they take. */
const MAX_SIZES = 50_000;
/** So long is compiled in one try: less than an invocation may last, with what comes after it. */
const COMPILING_MS = 8_000;
/** What an invalid collector counts: it is not kept. */
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
 * Says what stored StatusCollectors take in memory, compiled; `undefined` of one that is invalid. The same content is
 * compiled once for that, whether it is kept or not.
 *
 * @param what names the work in the error
 * @param clock milliseconds since the epoch
 * @returns throws a CompilingError once it has compiled for long: what it has found is known to the next one
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

/** Compiles a stored StatusCollector, which may be kept; `undefined` where it is invalid. */
export function compileOnce(collector: Observed): CompiledCollector | undefined {
  const known = compiled.get(collector.contentHash);
  if (known !== undefined) return known;
  const compilation = compile(collector);
  return compilation.ok ? compilation.collector : undefined;
}
