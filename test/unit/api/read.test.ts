import { describe, expect, it } from 'vitest';
import {
  EXACT_OF_ANY,
  futureVersion,
  hugeNumber,
  INITIAL_EVENTS_OF_LIST,
  INITIAL_EVENTS_WITHOUT_MATCH,
  INVALID_CONTINUE,
  invalidLabelSelector,
  MATCH_OF_CONTINUED,
  MATCH_OF_WATCH,
  MATCH_WITHOUT_VERSION,
  noFlag,
  noWholeNumber,
  pastVersion,
  VERSION_OF_CONTINUED,
} from '#shared/api/list-messages.ts';
import { invalidObject, objectNotFound, unsupportedValue } from '#shared/api/messages.ts';
import { noRequirementText } from '#shared/core/binding/messages.ts';
import { at, member } from '#shared/core/json.ts';
import { unknownSelectorField } from '#shared/core/status-api/messages.ts';
import { WEC_STATUS_FIELDS } from '#shared/core/status-api/selectable.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import { AskedApi, KEYS, METADATA, names, ROOT, status, TABLE, WEB } from './ask.ts';

const SHOP = `${ROOT}/namespaces/shop/wecstatuses`;

function shop(): AskedApi {
  const asked = new AskedApi();
  for (const wec of ['west', 'east', 'north']) asked.source.put(status(WEB, wec));
  asked.source.put(status({ ...WEB, namespace: 'bank' }, 'east'));
  asked.source.put(status(KEYS, 'east'));
  return asked;
}

describe('get', () => {
  it('answers with what a WEC reports of an object', async () => {
    const { code, body } = await shop().ask(`${SHOP}/deployments.apps:web:east`);
    expect(code).toBe(200);
    expect(body).toEqual({
      apiVersion: 'status.starfold.dev/v1alpha1',
      kind: 'WECStatus',
      metadata: {
        name: 'deployments.apps:web:east',
        namespace: 'shop',
        uid: expect.stringMatching(
          /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
        ),
        resourceVersion: '1005',
        creationTimestamp: '2026-11-20T10:00:00Z',
        labels: {
          app: 'web',
          'starfold.dev/binding': 'bp',
          'starfold.dev/resource': 'deployments.apps',
          'starfold.dev/wec': 'east',
          'starfold.dev/workload': 'web',
        },
      },
      workload: {
        group: 'apps',
        resource: 'deployments',
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
      },
      wec: 'east',
      state: 'Reported',
      generation: { wec: 7, source: 12, observed: 7 },
      health: { status: 'Healthy' },
      bindings: ['bp'],
      status: { readyReplicas: 3 },
    });
  });

  it('gives the same uid in every process, and another one to each object', async () => {
    const uid = async (url: string) => at((await shop().ask(url)).body, 'metadata', 'uid');
    const east = await uid(`${SHOP}/deployments.apps:web:east`);
    expect(await uid(`${SHOP}/deployments.apps:web:east`)).toBe(east);
    expect(await uid(`${SHOP}/deployments.apps:web:west`)).not.toBe(east);
    expect(await uid(`${ROOT}/namespaces/bank/wecstatuses/deployments.apps:web:east`)).not.toBe(
      east,
    );
  });

  it.each(['deployments.apps:web:south', 'deployments.apps:api:east', 'web', 'x%2Fy:z:w'])(
    'of %s is 404 with a Status',
    async (name) => {
      const { code, body } = await shop().ask(`${SHOP}/${name}`);
      const plain = decodeURIComponent(name);
      expect(code).toBe(404);
      expect(body).toMatchObject({
        kind: 'Status',
        reason: 'NotFound',
        message: objectNotFound({ group: 'status.starfold.dev', resource: 'wecstatuses' }, plain),
        details: { group: 'status.starfold.dev', kind: 'wecstatuses', name: plain },
      });
    },
  );

  it('finds an object whose name has a colon', async () => {
    const asked = new AskedApi();
    const role = {
      group: 'rbac.authorization.k8s.io',
      resource: 'clusterroles',
      namespace: '',
      name: 'system:node',
    };
    asked.source.put(status(role, 'edge:1'));
    const { body } = await asked.ask(
      `${ROOT}/clusterwecstatuses/clusterroles.rbac.authorization.k8s.io:system:node:edge~1`,
    );
    expect(body).toMatchObject({ kind: 'ClusterWECStatus', wec: 'edge:1' });
    expect(member(at(body, 'metadata'), 'namespace')).toBeUndefined();
  });

  it('answers with a Table for kubectl', async () => {
    const { body } = await shop().ask(`${SHOP}/deployments.apps:web:east`, { accept: TABLE });
    const columns = (
      at(body, 'columnDefinitions') as readonly { name: string; priority: number }[]
    ).map(({ name, priority }) => `${name}${priority}`);
    expect(columns).toEqual([
      'Object0',
      'WEC0',
      'Ready0',
      'Health0',
      'State0',
      'Age0',
      'Reported1',
      'Generation1',
      'Binding1',
      'Name1',
    ]);
    expect(body).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: '1005' },
      rows: [
        {
          cells: [
            'deployments.apps/web',
            'east',
            '3/3',
            'Healthy',
            'Reported',
            '5d',
            '-',
            '7 (12)',
            'bp',
            'deployments.apps:web:east',
          ],
          object: {
            kind: 'PartialObjectMetadata',
            metadata: { name: 'deployments.apps:web:east' },
          },
        },
      ],
    });
  });

  it('prints a dash for what is not known', async () => {
    const asked = new AskedApi();
    const {
      health: _health,
      ready: _ready,
      created: _created,
      ...bare
    } = status(WEB, 'east', { generation: {}, bindings: [], state: 'NotReported' });
    asked.source.put(bare);
    const { body } = await asked.ask(SHOP, { accept: TABLE });
    expect(body).toMatchObject({
      rows: [
        {
          cells: [
            'deployments.apps/web',
            'east',
            '-',
            '-',
            'NotReported',
            '-',
            '-',
            '-',
            '-',
            'deployments.apps:web:east',
          ],
        },
      ],
    });
  });
});

describe('list', () => {
  it('is in the order of namespaces and names, and has the revision', async () => {
    const told = await shop().ask(`${ROOT}/wecstatuses`);
    expect(names(told)).toEqual([
      'deployments.apps:web:east',
      'deployments.apps:web:east',
      'deployments.apps:web:north',
      'deployments.apps:web:west',
      'secrets:keys:east',
    ]);
    expect(told.body).toMatchObject({
      kind: 'WECStatusList',
      metadata: { resourceVersion: '1005' },
    });
    expect(at(told.body, 'metadata', 'continue')).toBeUndefined();
  });

  it('of an empty namespace has no items', async () => {
    const { body } = await shop().ask(`${ROOT}/namespaces/none/wecstatuses`);
    expect(body).toMatchObject({ kind: 'WECStatusList', items: [] });
  });

  it.each([
    ['labelSelector=app=web', 3],
    ['labelSelector=starfold.dev/wec in (east, north)', 3],
    ['fieldSelector=wec=east', 2],
    ['fieldSelector=wec=east,workload.kind!=Secret', 1],
    ['fieldSelector=metadata.name=deployments.apps:web:west', 1],
  ])('selects by %s', async (query, count) => {
    expect(names(await shop().ask(`${SHOP}?${query.replaceAll('+', '%2B')}`))).toHaveLength(count);
  });

  it('gives pages that are the whole together and have one revision', async () => {
    const asked = shop();
    const whole = names(await asked.ask(`${ROOT}/wecstatuses`));
    for (const limit of [1, 2, 3, 5, 6]) {
      const found = [];
      let token: unknown = '';
      do {
        const told = await asked.ask(
          `${ROOT}/wecstatuses?limit=${limit}&continue=${String(token)}`,
        );
        expect(names(told).length).toBeLessThanOrEqual(limit);
        expect(at(told.body, 'metadata', 'resourceVersion')).toBe('1005');
        found.push(...names(told));
        token = at(told.body, 'metadata', 'continue') ?? '';
      } while (token !== '');
      expect(found).toEqual(whole);
    }
  });

  it('without a limit is whole, however many pages the source has', async () => {
    const asked = new AskedApi();
    for (let number = 0; number < 1_203; number += 1)
      asked.source.put(status(WEB, `wec-${number}`));
    expect(new Set(names(await asked.ask(SHOP))).size).toBe(1_203);
    expect(names(await asked.ask(`${SHOP}?limit=700`))).toHaveLength(700);
  });

  it('of metadata only has no status', async () => {
    const { body } = await shop().ask(SHOP, { accept: METADATA });
    expect(body).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' });
    expect(Object.keys((at(body, 'items') as readonly object[])[0] ?? {})).toEqual([
      'apiVersion',
      'kind',
      'metadata',
    ]);
  });

  it.each([
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata' }],
    ['Object', { kind: 'WECStatus', state: 'Reported' }],
  ])('as a Table includes %s of each object', async (include, object) => {
    const { body } = await shop().ask(`${SHOP}?includeObject=${include}&limit=1`, {
      accept: TABLE,
    });
    expect(body).toMatchObject({
      kind: 'Table',
      metadata: { continue: expect.any(String) },
      rows: [{ object }],
    });
  });

  it('of cluster-scoped objects has only those', async () => {
    const asked = shop();
    asked.source.put(
      status({ group: '', resource: 'namespaces', namespace: '', name: 'shop' }, 'east'),
    );
    expect(names(await asked.ask(`${ROOT}/clusterwecstatuses`))).toEqual(['namespaces:shop:east']);
    expect(names(await asked.ask(`${ROOT}/wecstatuses`))).not.toContain('namespaces:shop:east');
  });

  it('of WECs has their labels and contacts', async () => {
    const asked = shop();
    asked.source.putWec({
      name: 'east',
      ownLabels: { region: 'eu' },
      lastContact: '2026-11-25T09:59:00Z',
      objects: 2,
      unhealthyObjects: 1,
    });
    asked.source.putWec({
      name: 'west',
      ownLabels: {},
      silentSince: '2026-11-25T09:00:00Z',
      forwarderVersion: '1.0.0',
    });
    const { body } = await asked.ask(`${ROOT}/wecs?labelSelector=region=eu`);
    expect(body).toMatchObject({
      items: [{ kind: 'WEC', metadata: { name: 'east', labels: { region: 'eu' } }, objects: 2 }],
    });
    const table = await asked.ask(`${ROOT}/wecs`, { accept: TABLE });
    expect(table.body).toMatchObject({
      rows: [
        { cells: ['east', '60s', '-', '2', '1', '-'] },
        { cells: ['west', '-', '60m', '-', '-', '1.0.0'] },
      ],
    });
    expect((await asked.ask(`${ROOT}/wecs/east`)).body).toMatchObject({
      lastContact: '2026-11-25T09:59:00Z',
    });
    expect((await asked.ask(`${ROOT}/wecs/south`)).code).toBe(404);
  });
});

describe('the options of a list', () => {
  const MATCH = 'resourceVersionMatch';

  function invalid(field: string, message: string): string {
    return invalidObject('ListOptions.meta.k8s.io', [{ field, message }]);
  }

  it.each([
    ['limit=x', 400, noWholeNumber('limit', 'x')],
    ['resourceVersion=-1', 400, noWholeNumber('resourceVersion', '-1')],
    ['watch=maybe', 400, noFlag('watch', 'maybe')],
    ['continue=nonsense', 400, INVALID_CONTINUE],
    ['continue=bnVsbA', 400, INVALID_CONTINUE],
    ['continue=eyJyZXZpc2lvbiI6MSwiYWZ0ZXIiOiJ4In0', 400, new InvalidContinuationError().message],
    ['continue=x&resourceVersion=7', 400, VERSION_OF_CONTINUED],
    ['labelSelector=a b', 400, invalidLabelSelector(noRequirementText('a b'))],
    ['fieldSelector=stale=true', 400, unknownSelectorField('stale', WEC_STATUS_FIELDS)],
    ['sendInitialEvents=true', 422, invalid('sendInitialEvents', INITIAL_EVENTS_OF_LIST)],
    [`${MATCH}=Exact`, 422, invalid(MATCH, MATCH_WITHOUT_VERSION)],
    [`${MATCH}=Exact&resourceVersion=0`, 422, invalid(MATCH, EXACT_OF_ANY)],
    [`${MATCH}=NotOlderThan&continue=x`, 422, invalid(MATCH, MATCH_OF_CONTINUED)],
    [
      `${MATCH}=Never&resourceVersion=1`,
      422,
      invalid(MATCH, unsupportedValue('Never', ['Exact', 'NotOlderThan'])),
    ],
    [`watch=1&${MATCH}=NotOlderThan&resourceVersion=1`, 422, invalid(MATCH, MATCH_OF_WATCH)],
    ['watch=1&sendInitialEvents=true', 422, invalid(MATCH, INITIAL_EVENTS_WITHOUT_MATCH)],
    ['resourceVersion=9007199254740993', 400, hugeNumber('resourceVersion', '9007199254740993')],
    ['fieldSelector=health%3Ddegraded', 400, 'health is never "degraded": give Healthy, '],
    ['fieldSelector=state!%3Dsilent', 400, 'state is never "silent": give Silent, '],
    ['resourceVersion=999999', 504, futureVersion(999_999, 1_005)],
    ['watch=1&resourceVersion=999999', 504, futureVersion(999_999, 1_005)],
    [`resourceVersion=1001&${MATCH}=Exact`, 410, pastVersion(1_001)],
  ])('%s are rejected with %i: %s', async (query, code, message) => {
    const told = await shop().ask(`${SHOP}?${query}`);
    expect(told.code).toBe(code);
    expect(at(told.body, 'code')).toBe(code);
    expect(String(at(told.body, 'message'))).toContain(message);
  });

  it.each([
    'resourceVersion=0',
    'resourceVersion=1001',
    'resourceVersion=1001&resourceVersionMatch=NotOlderThan',
    'resourceVersion=1005&resourceVersionMatch=Exact',
    'limit=0',
    'watch=false',
  ])('%s are met by the present', async (query) => {
    expect(names(await shop().ask(`${SHOP}?${query}`))).toHaveLength(4);
  });
});

describe('what is not served', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is %s: 405 with a Status', async (method) => {
    for (const url of [SHOP, `${SHOP}/deployments.apps:web:east`, '/apis']) {
      const { code, body } = await shop().ask(url, { method });
      expect(code).toBe(405);
      expect(body).toMatchObject({ kind: 'Status', reason: 'MethodNotAllowed' });
    }
  });

  it.each([
    'application/vnd.kubernetes.protobuf',
    'text/html',
    'application/json;as=Table;g=meta.k8s.io;v=v9',
  ])('is %s alone: 406', async (accept) => {
    expect((await shop().ask(SHOP, { accept })).code).toBe(406);
  });

  it.each([
    `${ROOT}/pods`,
    `${ROOT}/wecstatuses/deployments.apps:web:east`,
    `${ROOT}/namespaces/shop/wecs`,
    `${ROOT}/namespaces/shop/clusterwecstatuses`,
    `${SHOP}/deployments.apps:web:east/status`,
    `${ROOT}/namespaces//wecstatuses`,
    `${ROOT}/%E0%A4%A`,
    '/api/v1',
    '/',
    '/versions',
  ])('is %s: 404 with a Status', async (url) => {
    const { code, body } = await shop().ask(url);
    expect(code).toBe(404);
    expect(body).toMatchObject({ kind: 'Status', reason: 'NotFound' });
  });

  it('are namespaces, so that kubectl reports which object was not found', async () => {
    const { code, body } = await shop().ask('/api/v1/namespaces/shop');
    expect(code).toBe(405);
    expect(at(body, 'message')).toContain('ask the WDS');
  });

  it('is a watch where nothing runs for long: 405 that names the other doors', async () => {
    const asked = new AskedApi({ watch: false });
    const { code, body } = await asked.ask(`${SHOP}?watch=true`);
    expect(code).toBe(405);
    expect(at(body, 'message')).toContain('direct door');
    expect((await asked.ask(ROOT)).body).toMatchObject({
      resources: [
        ...Array(5).fill({ verbs: ['get', 'list'] }),
        ...Array(2).fill({ verbs: ['create'] }),
      ],
    });
  });
});
