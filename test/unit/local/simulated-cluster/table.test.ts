import { expect, it } from 'vitest';
import { BUILT_IN_RESOURCES } from '#local/simulated-cluster/built-in-resources.ts';
import { StoredObject } from '#local/simulated-cluster/stored-object.ts';
import { tableOf } from '#local/simulated-cluster/table.ts';
import { ageText } from '#shared/api/age.ts';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';

const NOW = new Date('2026-03-10T12:00:00Z');
const CREATED = '2026-03-10T11:59:00Z';

function row(resource: string, object: JsonObject): JsonValue {
  const definition = BUILT_IN_RESOURCES.find((served) => served.resource === resource);
  if (definition === undefined) throw new Error(`no resource ${resource}`);
  const stored = new StoredObject(
    { metadata: { name: 'x', creationTimestamp: CREATED }, ...object },
    2,
  );
  const table = tableOf(definition, [stored], { listMetadata: {}, include: 'None', now: NOW });
  const rows = at(table, 'rows');
  return (isArray(rows) ? at(rows[0], 'cells') : undefined) ?? null;
}

it.each([
  ['2026-03-10T11:59:15Z', '45s'],
  ['2026-03-10T11:58:01Z', '119s'],
  ['2026-03-10T11:58:00Z', '2m'],
  ['2026-03-10T11:56:40Z', '3m20s'],
  ['2026-03-10T11:00:00Z', '60m'],
  ['2026-03-10T08:30:00Z', '3h30m'],
  ['2026-03-09T12:00:00Z', '24h'],
  ['2026-03-07T09:00:00Z', '3d3h'],
  ['2026-01-01T00:00:00Z', '68d'],
  ['2027-01-01T00:00:00Z', '0s'],
  ['never', '<unknown>'],
])('the age of %s is %s', (created, expected) => {
  expect(ageText(created, NOW)).toBe(expected);
});

it.each<[string, JsonObject, readonly JsonValue[]]>([
  ['deployments', {}, ['x', '0/1', 0, 0, '60s']],
  [
    'deployments',
    { spec: { replicas: 0 }, status: { readyReplicas: 2 } },
    ['x', '2/0', 0, 0, '60s'],
  ],
  ['replicasets', { spec: { replicas: 4 }, status: { replicas: 3 } }, ['x', 4, 3, 0, '60s']],
  [
    'jobs',
    {
      spec: { completions: 4 },
      status: { succeeded: 1, conditions: [{ type: 'Suspended', status: 'False' }] },
    },
    ['x', 'Running', '1/4', '60s'],
  ],
  [
    'jobs',
    {
      status: {
        conditions: [
          { type: 'FailureTarget', status: 'True' },
          { type: 'Failed', status: 'True' },
        ],
      },
    },
    ['x', 'Failed', '0/1', '60s'],
  ],
  [
    'cronjobs',
    {
      spec: { schedule: '@daily', suspend: true },
      status: { active: [{}], lastScheduleTime: CREATED },
    },
    ['x', '@daily', 'True', 1, '60s', '60s'],
  ],
  [
    'pods',
    {
      spec: { containers: [{}, {}] },
      status: {
        phase: 'Running',
        containerStatuses: [{ ready: true, restartCount: 2 }, { restartCount: 1 }],
      },
    },
    ['x', '1/2', 'Running', 3, '60s'],
  ],
  [
    'services',
    {
      spec: { ports: [{ port: 80 }, { port: 53, protocol: 'UDP' }] },
      status: { loadBalancer: { ingress: [{ hostname: 'lb' }] } },
    },
    ['x', 'ClusterIP', '<none>', 'lb', '80/TCP,53/UDP', '60s'],
  ],
  [
    'ingresses',
    { spec: { rules: [{ host: 'a.b' }, {}] } },
    ['x', '<none>', 'a.b,*', '<none>', '60s'],
  ],
  ['configmaps', { data: { a: '1', b: '2' } }, ['x', 2, '60s']],
  ['leases', {}, ['x', '60s']],
])('kubectl prints of %s: %j', (resource, object, cells) => {
  expect(row(resource, object)).toEqual(cells);
});
