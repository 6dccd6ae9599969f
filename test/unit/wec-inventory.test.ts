import { describe, expect, it } from 'vitest';
import { jsonBytes } from '#shared/core/json-size.ts';
import {
  boundedInventory,
  MAX_INVENTORY_BYTES,
  managedInventory,
} from '#shared/core/wec-inventory.ts';

describe('the inventory of a WEC', () => {
  it('has the labels and annotations of its ManagedCluster, without the copy that kubectl keeps', () => {
    const cluster = {
      metadata: {
        name: 'wec1',
        labels: { region: 'eu', number: 1 },
        annotations: { owner: 'team-a', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      },
    };
    expect(managedInventory(cluster)).toEqual({
      inventory: { labels: { region: 'eu' }, annotations: { owner: 'team-a' } },
      leftOut: [],
    });
    expect(managedInventory({})).toEqual({
      inventory: { labels: {}, annotations: {} },
      leftOut: [],
    });
  });

  it('leaves out what does not fit, the annotations first', () => {
    const labels = { b: 'x'.repeat(4000), a: 'y' };
    const annotations = { small: 's', large: 'z'.repeat(5000) };
    const { inventory, leftOut } = boundedInventory({ labels, annotations });
    expect(inventory).toEqual({ labels, annotations: { small: 's' } });
    expect(leftOut).toEqual(['large']);
  });

  it('takes as many bytes as it may, and no more', () => {
    const keys = Array.from({ length: 3000 }, (_one, index) => [`k${index}`, 'v'] as const);
    const { inventory, leftOut } = boundedInventory({
      labels: Object.fromEntries(keys),
      annotations: {},
    });
    const bytes = jsonBytes({ ...inventory });
    expect(bytes).toBeLessThanOrEqual(MAX_INVENTORY_BYTES);
    expect(bytes).toBeGreaterThan(MAX_INVENTORY_BYTES - 20);
    expect(Object.keys(inventory.labels).length + leftOut.length).toBe(3000);
  });
});
