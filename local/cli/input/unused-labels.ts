import { at, isObject } from '#shared/core/json.ts';
import { INVENTORY_EXCESS, managedInventory } from '#shared/core/wec-inventory.ts';
import type { GivenObject } from './given-objects.ts';
import { aboutObject, NOT_A_TEXT, NOT_LABELS, unseenLabels } from './messages.ts';

/** The labels or annotations of a ManagedCluster that are no texts. An API server would have rejected them. */
function withoutText({ object }: GivenObject, field: 'labels' | 'annotations'): readonly string[] {
  const given = at(object, 'metadata', field) ?? {};
  if (!isObject(given)) return [`metadata.${field}: ${NOT_LABELS}`];
  return Object.entries(given)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key]) => `metadata.${field}[${key}]: ${NOT_A_TEXT}`);
}

/**
 * The labels and annotations of a ManagedCluster that are not used: those that are no texts, and those beyond the limits of
 * what expressions see of a WEC. Each text names file, document and object.
 */
export function unusedLabels(given: GivenObject): readonly string[] {
  const { leftOut } = managedInventory(given.object);
  const [first] = leftOut;
  return [
    ...withoutText(given, 'labels'),
    ...withoutText(given, 'annotations'),
    ...(first === undefined ? [] : [unseenLabels(INVENTORY_EXCESS, leftOut.length, first)]),
  ].map((text) => aboutObject(given, text));
}
