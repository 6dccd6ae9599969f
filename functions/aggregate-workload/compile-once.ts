import { LRUCache } from 'lru-cache';
import {
  type CollectorCompilation,
  compileStatusCollector,
} from '#shared/core/collector/status-collector.ts';
import { member } from '#shared/core/json.ts';
import type { Observed } from '#shared/state/observed.ts';

const compiled = new LRUCache<string, CollectorCompilation, Observed>({
  max: 1000,
  memoMethod: (_hash, _stale, { context }) =>
    compileStatusCollector(member(context.content, 'spec') ?? {}),
});

/** Compiles a stored StatusCollector; the same content gives the same compilation. */
export function compileOnce(collector: Observed): CollectorCompilation {
  return compiled.memo(collector.contentHash, { context: collector });
}
