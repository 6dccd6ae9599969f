import { describe, expect, it } from 'vitest';
import { jsonBytes } from '#shared/core/json-size.ts';
import {
  boundedInventory,
  MAX_INVENTORY_BYTES,
  managedInventory,
} from '#shared/core/wec-inventory.ts';
import { decodeBatch, encodeBatch, encodeEvent } from '#shared/events/codec.ts';

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

  it('has at most 500 labels and annotations, so an event can have them', () => {
    const signs = [...'abcdefghijklmnopqrstuvwxyz'];
    const keys = signs.flatMap((a) => signs.map((b) => [`${a}${b}`, ''] as const));
    const labels = Object.fromEntries(keys);
    const { inventory, leftOut } = boundedInventory({ labels, annotations: { note: 'x' } });
    expect(Object.keys(inventory.labels)).toHaveLength(500);
    expect(leftOut).toHaveLength(26 * 26 + 1 - 500);
    const source = { type: 'wec', name: 'wec1' } as const;
    const version = { epoch: 1, sequence: 1 };
    const content = { type: 'inventory', inventory } as const;
    const event = { source, version, time: '2026-01-01T00:00:00Z', content };
    expect(decodeBatch(encodeBatch([encodeEvent(event)])).events).toEqual([event]);
  });

  it('takes as many bytes as it may, and no more', () => {
    const keys = Array.from({ length: 3000 }, (_one, index) => [`k${index}`, 'values'] as const);
    const { inventory, leftOut } = boundedInventory({
      labels: Object.fromEntries(keys),
      annotations: {},
    });
    const bytes = jsonBytes({ ...inventory });
    expect(bytes).toBeLessThanOrEqual(MAX_INVENTORY_BYTES);
    expect(bytes).toBeGreaterThan(MAX_INVENTORY_BYTES - 25);
    expect(Object.keys(inventory.labels).length + leftOut.length).toBe(3000);
  });
});
