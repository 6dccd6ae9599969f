import { describe, expect, it } from 'vitest';
import {
  type CollectorChecks,
  createCollectorChecks,
  type StoredCollector,
} from '#functions/aggregate-workload/collector-checks.ts';
import { compiledBytes } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { MAX_OBJECT_COMPILED_BYTES } from '#shared/core/limits.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putChecks } from '#shared/state/collector-checks.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

let contents = 0;
/** A StatusCollector that no other test has. */
function collector(...defs: readonly string[]): StoredCollector {
  contents += 1;
  const select = defs.map((def, index) => ({ name: `c${index}`, def }));
  const content = { spec: { select } };
  const contentHash = `content ${contents}`;
  const observed = { version: '1', contentVersion: '1', contentHash, content };
  return { pk: `C#wds1/c${contents}`, observed };
}

/** Takes a sixth of what an object may take. */
function large(): StoredCollector {
  const patterns = Array.from({ length: 90 }, (_c, i) => `"x".matches("[ab]*a[ab]{8}${i}")`);
  return collector(...patterns);
}

/** The checks of a process that remembers nothing, and the specs that it has compiled. */
function process(store: ItemStore): {
  readonly checks: CollectorChecks;
  readonly compiled: readonly string[];
} {
  const compiled: string[] = [];
  const compile: typeof compileStatusCollector = (spec: JsonValue | undefined) => {
    compiled.push(stringifyJson(spec ?? null));
    return compileStatusCollector(spec);
  };
  return { checks: createCollectorChecks(store, compile), compiled };
}

describe('a stored StatusCollector', () => {
  it('is compiled once while it is kept', () => {
    const { checks, compiled } = process(createMemoryItemStore());
    const one = collector('1');
    const first = checks.compiled(one);
    expect(first).toMatchObject({ kind: 'select' });
    const later = { ...one, observed: { ...one.observed, version: '2' } };
    expect(checks.compiled(later)).toBe(first);
    expect(compiled).toHaveLength(1);
  });

  it('that is invalid has no compilation', () => {
    const { checks } = process(createMemoryItemStore());
    expect(checks.compiled(collector('1 +'))).toBeUndefined();
  });

  it('is not kept beyond what all of them may take together', () => {
    const { checks } = process(createMemoryItemStore());
    const collectors = Array.from({ length: 16 }, large);
    const first = collectors.map((one) => checks.compiled(one));
    const [bytes = 0] = first.map((one) => one && compiledBytes(one));
    expect(16 * bytes).toBeGreaterThan(2 * MAX_OBJECT_COMPILED_BYTES);
    expect(checks.compiled(collectors[15] as StoredCollector)).toBe(first[15]);
    expect(checks.compiled(collectors[0] as StoredCollector)).not.toBe(first[0]);
  });
});

describe('the check of a stored StatusCollector', () => {
  it('is read by a process that has compiled nothing', async () => {
    const store = createMemoryItemStore();
    const [valid, invalid, other] = [collector('1'), collector('1 +'), collector('2')];
    const first = process(store);
    const made = [valid, invalid].map((one) => first.checks.check(one).made);
    await first.checks.store(made);
    const second = process(store);
    const found = await second.checks.find([valid, invalid, other]);
    const one = second.checks.compiled(valid);
    expect(found).toEqual([
      { contentHash: valid.observed.contentHash, bytes: one && compiledBytes(one) },
      { contentHash: invalid.observed.contentHash },
      undefined,
    ]);
    expect(second.compiled).toHaveLength(1);
  });

  it('does not count for other content, and is stored again', async () => {
    const store = createMemoryItemStore();
    const before = collector('1');
    const after = { ...collector('2 +'), pk: before.pk };
    const { checks } = process(store);
    await checks.store([checks.check(before).made]);
    expect(await process(store).checks.find([after])).toEqual([undefined]);
    await checks.store([checks.check(after).made]);
    expect(await process(store).checks.find([after])).toEqual([
      { contentHash: after.observed.contentHash },
    ]);
  });

  it('is remembered by the process that has stored it', async () => {
    const store = createMemoryItemStore();
    const [one, other] = [collector('1'), collector('2')];
    const { checks } = process(store);
    const { made } = checks.check(one);
    await checks.store([made]);
    await putChecks(store, [[one.pk, checks.check(other).made[1]]]);
    expect(await checks.find([one])).toEqual([made[1]]);
  });
});
