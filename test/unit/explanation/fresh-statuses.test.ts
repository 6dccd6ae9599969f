import { expect, it } from 'vitest';
import { readMembership } from '#shared/core/desired/membership.ts';
import { freshStatuses } from '#shared/core/explanation/fresh-statuses.ts';
import type { JsonObject } from '#shared/core/json.ts';

const WEB = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
};
const ROLE = { group: '', version: 'v1', resource: 'namespaces', name: 'shop' };
const KEY = 'apps/deployments/shop/web';

function binding(name: string, wecs: readonly string[], workload: JsonObject) {
  const destinations = wecs.map((clusterId) => ({ clusterId }));
  return { name, uid: name, object: { metadata: { name }, spec: { destinations, workload } } };
}

const BOUND = { wantMultiWECReportedState: true, resourceVersion: '1' };
const { memberships } = readMembership({
  bindings: [
    binding('a', ['east', 'west'], { namespaceScope: [{ ...WEB, ...BOUND }] }),
    binding('b', ['west', 'north'], { namespaceScope: [{ ...WEB, ...BOUND }] }),
    binding('c', ['east'], { clusterScope: [{ ...ROLE, ...BOUND }] }),
  ],
  policies: [],
  collectors: [],
});

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { app: 'web' },
    creationTimestamp: '2026-11-21T12:00:00Z',
  },
  spec: { replicas: 2 },
};

it('says what each WEC reports to which a Binding sends an object', () => {
  const row = { wec: 'east', uid: 'u', generation: 3, status: { replicas: 2, readyReplicas: 1 } };
  const rows = new Map([['east', { wec: 'east', row }]]);
  const [web] = freshStatuses({
    memberships,
    given: new Map([[KEY, { object: DEPLOYMENT, rows, specs: new Map() }]]),
    silent: new Set(['north']),
  });
  expect(web?.bound).toMatchObject({ kind: 'Deployment', ownLabels: { app: 'web' } });
  expect(web?.statuses).toMatchObject([
    { wec: 'east', state: 'Reported', ready: '1/2', bindings: ['a'], status: row.status },
    { wec: 'west', state: 'NotReported', bindings: ['a', 'b'] },
    { wec: 'north', state: 'Silent', bindings: ['b'] },
  ]);
});

it('knows of objects that are not given what the Bindings say', () => {
  const found = freshStatuses({ memberships, given: new Map(), silent: new Set() });
  expect(found).toMatchObject([
    { workload: { resource: 'deployments', namespace: 'shop' }, bound: { kind: 'Deployment' } },
    {
      workload: { group: '', resource: 'namespaces', namespace: '', name: 'shop' },
      bound: { kind: 'Namespace' },
      statuses: [{ wec: 'east', state: 'NotReported' }],
    },
  ]);
});

it('leaves out what no Binding names any more', () => {
  const none = new Map([[KEY, []]]);
  expect(freshStatuses({ memberships: none, given: new Map(), silent: new Set() })).toEqual([]);
});
