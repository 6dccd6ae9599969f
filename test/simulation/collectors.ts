import type { JsonObject } from '#shared/core/json.ts';

/** The StatusCollectors of the simulated world. */
export const COLLECTORS = ['count', 'list', 'sum', 'stale', 'labels'] as const;

const REGION = '"region" in inventory.labels ? inventory.labels.region : "none"';
const GENERATION = 'has(propagation.generation) ? propagation.generation : -1';

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
    {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'spec', def: 'has(returned.spec) ? returned.spec : {}' },
        { name: 'metadata', def: 'has(returned.metadata) ? returned.metadata : {}' },
      ],
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
    {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'silent', def: 'propagation.silent' },
        { name: 'contact', def: 'has(propagation.lastContact)' },
        { name: 'generation', def: GENERATION },
      ],
    },
    {
      groupBy: [{ name: 'silent', def: 'propagation.silent' }],
      combinedFields: [{ name: 'furthest', type: 'MAX', subject: GENERATION }],
    },
  ],
  labels: [
    {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'region', def: REGION },
        { name: 'inventory', def: 'inventory' },
      ],
    },
    {
      groupBy: [{ name: 'region', def: REGION }],
      combinedFields: [
        { name: 'wecs', type: 'COUNT' },
        {
          name: 'ready',
          type: 'SUM',
          subject: 'has(returned.status.readyReplicas) ? returned.status.readyReplicas : 0',
        },
      ],
    },
    { select: [{ name: 'missing', def: 'inventory.labels.region' }] },
    { select: [{ name: 'zone', def: 'inventory.label' }] },
  ],
};
