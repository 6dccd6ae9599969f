import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { JsonObject } from '#shared/core/json.ts';

/** Specs of StatusCollectors with three typical expressions: a histogram, the WECs that lag, a total. */
export const TYPICAL: Readonly<Record<string, JsonObject>> = {
  histogram: {
    groupBy: [{ name: 'available', def: 'returned.status.availableReplicas' }],
    combinedFields: [{ name: 'wecs', type: 'COUNT' }],
  },
  lagging: {
    filter: 'obj.spec.replicas != returned.status.availableReplicas',
    select: [{ name: 'wec', def: 'inventory.name' }],
  },
  total: {
    combinedFields: [
      { name: 'available', type: 'SUM', subject: 'returned.status.availableReplicas' },
    ],
  },
};

/** A filter that walks through the conditions of every row. */
export const CONDITIONS: JsonObject = {
  filter: 'returned.status.conditions.exists(c, c.type == "Available" && c.status != "True")',
  select: [
    { name: 'wec', def: 'inventory.name' },
    { name: 'conditions', def: 'returned.status.conditions' },
  ],
  limit: 1000,
};

/** A valid spec, compiled. */
export function compiled(spec: JsonObject): CompiledCollector {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new RangeError(compilation.errors.join('; '));
  return compilation.collector;
}
