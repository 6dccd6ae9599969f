import { expect, it } from 'vitest';
import { contentHash } from '#shared/content-hash.ts';
import { CHECK_VERSION, compiledBytes } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { HOSTILE_EXPRESSIONS } from '#test/hostile/expressions.ts';

/** The size of a valid StatusCollector, or -1. */
function outcomeOf(expression: string): number {
  const compilation = compileStatusCollector({ select: [{ name: 'c', def: expression }] });
  return compilation.ok ? compiledBytes(compilation.collector) : -1;
}

it('is another one where a StatusCollector has become valid or invalid, or has another size', () => {
  const outcomes = HOSTILE_EXPRESSIONS.map(({ expression }) => outcomeOf(expression));
  const invalid = outcomes.filter((bytes) => bytes === -1).length;
  const hash = contentHash(JSON.stringify(outcomes));
  // If one of these expressions has another outcome, raise CHECK_VERSION, so that this release does not use checks of earlier ones.
  expect({ version: CHECK_VERSION, outcomes: outcomes.length, invalid, hash }).toEqual({
    version: 2,
    outcomes: 72,
    invalid: 10,
    hash: 'b97bf959d1c030470f544a04750d7e03',
  });
});
