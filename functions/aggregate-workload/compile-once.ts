import {
  type CollectorCompilation,
  compileStatusCollector,
} from '#shared/core/collector/status-collector.ts';
import { member } from '#shared/core/json.ts';
import type { Observed } from '#shared/state/observed.ts';

const compiled = new Map<string, CollectorCompilation>();
const MAX_COMPILED = 1000;

/** Compiles a stored StatusCollector; the same content gives the same compilation. */
export function compileOnce(collector: Observed): CollectorCompilation {
  let compilation = compiled.get(collector.contentHash);
  if (compilation === undefined) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compilation = compileStatusCollector(member(collector.content, 'spec') ?? {});
    compiled.set(collector.contentHash, compilation);
  }
  return compilation;
}
