import type { JsonObject } from '#shared/core/json.ts';

/** The StatusCollectors of the simulated world. */
export const COLLECTORS = ['count', 'list', 'sum', 'stale'] as const;

/** What each collector may ask for. Some of it is invalid. */
export const SPECS: Readonly<Record<(typeof COLLECTORS)[number], readonly JsonObject[]>> = {
  count: [
    { combinedFields: [{ name: 'count', type: 'COUNT' }], limit: 10 },
    {
      combinedFields: [{ name: 'n', type: 'COUNT' }],
      filter: 'has(returned.status.readyReplicas)',
    },
    { combinedFields: [{ name: 'count', type: 'COUNTS' }] },
  ],
  list: [
    {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'status', def: 'returned.status' },
      ],
      limit: 2,
    },
    { select: [{ name: 'wec', def: 'inventory.name + ' }] },
    { select: [{ name: 'wanted', def: 'obj.spec.replica' }] },
  ],
  sum: [
    {
      groupBy: [{ name: 'wanted', def: 'obj.spec.replicas' }],
      combinedFields: [{ name: 'ready', type: 'SUM', subject: 'returned.status.readyReplicas' }],
    },
    { combinedFields: [{ name: 'bad', type: 'SUM', subject: 'inventory.name' }] },
  ],
  stale: [
    {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'stale', def: 'propagation.stale' },
      ],
    },
    {
      groupBy: [{ name: 'stale', def: 'propagation.stale' }],
      combinedFields: [{ name: 'wecs', type: 'COUNT' }],
    },
  ],
};
