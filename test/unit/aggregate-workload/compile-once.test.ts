import { beforeEach, describe, expect, it } from 'vitest';
import { compileOnce, createSizes } from '#functions/aggregate-workload/compile-once.ts';
import { compiledBytes } from '#shared/core/collector/compiled-collector.ts';
import { MAX_OBJECT_COMPILED_BYTES } from '#shared/core/limits.ts';
import type { Observed } from '#shared/state/observed.ts';

let contents = 0;
/** A StatusCollector that no other test has. */
function observed(...defs: readonly string[]): Observed {
  contents += 1;
  const select = defs.map((def, index) => ({ name: `c${index}`, def }));
  const content = { spec: { select } };
  return { version: '1', contentVersion: '1', contentHash: `content ${contents}`, content };
}

/** Takes a sixth of what an object may take. */
function large(): Observed {
  const patterns = Array.from({ length: 90 }, (_c, i) => `"x".matches("[ab]*a[ab]{8}${i}")`);
  return observed(...patterns);
}

let nowMs = 0;
let calls = 0;
/** Each look at the clock takes five seconds: so does what is compiled between two. */
function slowClock(): number {
  calls += 1;
  nowMs += 5_000;
  return nowMs;
}
beforeEach(() => {
  calls = 0;
});

describe('a stored StatusCollector', () => {
  it('is compiled once while it is kept', () => {
    const collector = observed('1');
    const first = compileOnce(collector);
    expect(first).toMatchObject({ kind: 'select' });
    expect(compileOnce({ ...collector, version: '2' })).toBe(first);
  });

  it('that is invalid has neither a compilation nor a size', () => {
    const collector = observed('1 +');
    expect(compileOnce(collector)).toBeUndefined();
    expect(createSizes('it', () => 0)(collector)).toBeUndefined();
  });

  it('is not kept beyond what all of them may take together', () => {
    const collectors = Array.from({ length: 16 }, large);
    const first = collectors.map(compileOnce);
    const [bytes = 0] = first.map((one) => one && compiledBytes(one));
    expect(16 * bytes).toBeGreaterThan(2 * MAX_OBJECT_COMPILED_BYTES);
    const last = collectors.length - 1;
    expect(compileOnce(collectors[last] as Observed)).toBe(first[last]);
    expect(compileOnce(collectors[0] as Observed)).not.toBe(first[0]);
  });
});

describe('the sizes of stored StatusCollectors', () => {
  it('are those of what is compiled, which happens once for the same content', () => {
    const collector = observed('1');
    const sizeOf = createSizes('it', slowClock);
    const bytes = sizeOf(collector);
    expect(calls).toBe(2);
    expect(createSizes('it', slowClock)(collector)).toBe(bytes);
    expect(calls).toBe(2);
    const compiled = compileOnce(collector);
    expect(compiled && compiledBytes(compiled)).toBe(bytes);
  });

  it('that take long are left to the next try, which goes on where this one ended', () => {
    const collectors = [observed('1'), observed('1 +'), observed('2'), observed('3')];
    const all = () => {
      const sizeOf = createSizes('deployments.apps n/web', slowClock);
      return collectors.map(sizeOf);
    };
    expect(all).toThrow(
      'the StatusCollectors of deployments.apps n/web are not all compiled yet; this will be retried',
    );
    expect(all()).toEqual([expect.any(Number), undefined, expect.any(Number), expect.any(Number)]);
    expect(calls).toBe(2 * collectors.length);
  });
});
