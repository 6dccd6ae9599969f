import { expect, it } from 'vitest';
import { collectorPrograms } from '#shared/core/collector/collector-programs.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { JsonObject } from '#shared/core/json.ts';

function programs(spec: JsonObject): readonly (readonly [string, string])[] {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new Error(compilation.errors.join());
  return collectorPrograms(compilation.collector).map(({ path, program }) => [path, program.text]);
}

it('gives the filter and the columns of a selection with their fields', () => {
  const spec = {
    filter: 'obj.a',
    select: [
      { name: 'x', def: 'obj.b' },
      { name: 'y', def: 'obj.c' },
    ],
  };
  expect(programs(spec)).toEqual([
    ['spec.filter', 'obj.a'],
    ['spec.select[0].def', 'obj.b'],
    ['spec.select[1].def', 'obj.c'],
  ]);
});

it('gives the groups and subjects of an aggregation; COUNT has none', () => {
  const spec = {
    groupBy: [{ name: 'x', def: 'obj.b' }],
    combinedFields: [
      { name: 'n', type: 'COUNT' },
      { name: 's', type: 'SUM', subject: 'obj.d' },
    ],
  };
  expect(programs(spec)).toEqual([
    ['spec.groupBy[0].def', 'obj.b'],
    ['spec.combinedFields[1].subject', 'obj.d'],
  ]);
});
