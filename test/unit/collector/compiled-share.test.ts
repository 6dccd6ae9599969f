import { describe, expect, it } from 'vitest';
import {
  type CompiledCollector,
  compiledBytes,
} from '#shared/core/collector/compiled-collector.ts';
import {
  type CollectorNaming,
  CompiledShares,
  fittingCollectors,
} from '#shared/core/collector/compiled-share.ts';
import { largeCompiled } from '#shared/core/collector/messages.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { MAX_OBJECT_COMPILED_BYTES } from '#shared/core/limits.ts';

const WHOLE = MAX_OBJECT_COMPILED_BYTES;

function naming(binding: string, ...statusCollectors: readonly string[]): CollectorNaming {
  return { binding, modulation: { statusCollectors } };
}

function compiled(spec: Parameters<typeof compileStatusCollector>[0]): CompiledCollector {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new RangeError(compilation.errors.join());
  return compilation.collector;
}

describe('what collectors take compiled', () => {
  it('is all that the object may take if one Binding names collectors', () => {
    const shares = new CompiledShares([naming('a', 'x', 'y'), naming('b')]);
    expect(shares.offer('x', WHOLE - 1)).toBe(true);
    expect(shares.offer('y', 1)).toBe(true);
    expect(shares.refusal('a', 'x')).toBeUndefined();
    expect(shares.refusal('a', 'y')).toBeUndefined();
    expect(shares.refusal('b', 'y')).toBeUndefined();
  });

  it('beyond the share of a Binding is rejected only there, and those after it are checked', () => {
    const shares = new CompiledShares([naming('a', 'x', 'y', 'z'), naming('b', 'y')]);
    expect(shares.offer('x', WHOLE / 4)).toBe(true);
    expect(shares.offer('y', WHOLE / 2)).toBe(true);
    expect(shares.offer('z', WHOLE / 4)).toBe(true);
    expect(shares.refusal('a', 'x')).toBeUndefined();
    expect(shares.refusal('a', 'y')).toBe(largeCompiled(16777216, 16777216, 2));
    expect(shares.refusal('a', 'z')).toBeUndefined();
    expect(shares.refusal('b', 'y')).toBeUndefined();
  });

  it('is rejected if no Binding has room for it, or none names it', () => {
    const shares = new CompiledShares([naming('a', 'x')]);
    expect(shares.offer('x', WHOLE + 1)).toBe(false);
    expect(shares.refusal('a', 'x')).toContain('the share of one of 1 Binding with');
    expect(shares.offer('y', 1)).toBe(false);
  });

  it('leaves those of one Binding that have room beside each other, in the order of their names', () => {
    const sizes = new Map([
      ['a', WHOLE / 2],
      ['b', WHOLE],
      ['c', WHOLE / 2],
      ['d', 1],
    ]);
    expect(fittingCollectors(sizes)).toEqual(new Set(['a', 'c']));
  });

  it('counts columns, names, characters, parts, patterns and what a pattern is compiled to', () => {
    const bytes = (def: string, name = 'n') => compiledBytes(compiled({ select: [{ name, def }] }));
    const least = bytes('1');
    expect(bytes('1', 'n'.repeat(200))).toBeGreaterThanOrEqual(least + 2 * 199);
    expect(bytes('1 + 1')).toBeGreaterThanOrEqual(least + 2 * 150);
    const pattern = bytes('"x".matches("abc")');
    expect(pattern).toBeGreaterThanOrEqual(least + 6_000);
    expect(bytes('"x".matches("a{200}")')).toBeGreaterThanOrEqual(pattern + 190 * 200);
    expect(bytes('"x".matches("abc") || "x".matches("abc")')).toBeGreaterThan(pattern + 6_000);
    const filtered = compiled({ filter: 'true', combinedFields: [{ name: 'n', type: 'COUNT' }] });
    const counted = compiled({ combinedFields: [{ name: 'n', type: 'COUNT' }] });
    expect(compiledBytes(filtered)).toBeGreaterThan(compiledBytes(counted));
    expect(compiledBytes(counted)).toBeGreaterThan(0);
  });
});
