import { describe, expect, it } from 'vitest';
import { effectsOf } from '#shared/api/affected.ts';
import { EXPLANATIONS } from '#shared/api/explanations.ts';
import { EMPTY_WITHOUT, notSentTo, WITHOUT_OF_LIST } from '#shared/api/list-messages.ts';
import { leftOut, objectNotFound } from '#shared/api/messages.ts';
import { at, isArray, isObject, type JsonValue, member } from '#shared/core/json.ts';
import { decisionReason, NOT_IN_WDS } from '#shared/core/status-api/messages.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { ReportsTooLargeError, StoreUnavailableError } from '#shared/errors.ts';
import { counts } from '#test/fixtures/wec-rows.ts';
import { AskedApi, KEYS, names, ROOT, status, TABLE, type Told, WEB } from './ask.ts';

const SHOP = `${ROOT}/namespaces/shop/explanations`;
const ONE = `${SHOP}/deployments.apps:web`;
const ROLE = {
  ...{ group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  ...{ namespace: '', name: 'system:node' },
};

const NAMED = { group: 'status.starfold.dev', resource: 'explanations' };

/** What a WEC reports of an object, as a Deployment has it. */
function ready(wec: string, available: number, more: Partial<WecStatus> = {}): WecStatus {
  const { workload = WEB } = more;
  return status(workload, wec, {
    status: { ...counts(3, [3, available, available]), observedGeneration: 7 },
    ...more,
  });
}

function shop(): AskedApi {
  const asked = new AskedApi({ paceMs: 0 });
  asked.source.put(ready('east', 3));
  asked.source.put(ready('north', 1));
  asked.source.put(ready('west', 3));
  return asked;
}

function cells({ body }: Told): readonly JsonValue[] {
  const rows = member(body, 'rows');
  return isArray(rows) ? rows.map((row) => member(row, 'cells') ?? null) : [];
}

describe('the get of an explanation', () => {
  it('says why the status is what it is, and whether the WDS has it', async () => {
    const asked = shop();
    asked.source.settle(WEB, {
      applied: { upToDate: true, since: '2026-11-25T09:00:00Z' },
      refused: [],
    });
    const { code, body } = await asked.ask(ONE);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      apiVersion: 'status.starfold.dev/v1alpha1',
      kind: 'Explanation',
      metadata: {
        ...{ name: 'deployments.apps:web', namespace: 'shop', resourceVersion: '1004' },
        creationTimestamp: '2026-11-20T10:00:00Z',
        labels: {
          app: 'web',
          'starfold.dev/resource': 'deployments.apps',
          'starfold.dev/workload': 'web',
        },
      },
      workload: {
        ...{ group: 'apps', resource: 'deployments', kind: 'Deployment' },
        ...{ namespace: 'shop', name: 'web' },
      },
      decision: {
        action: 'Aggregate',
        reason: decisionReason({ singleton: 0, multiWEC: 1 }, 3),
        bindings: [{ name: 'bp', singleton: false, multiWEC: true, destinations: 3 }],
      },
      wecs: { qualified: 3, reported: 3, silent: [], missing: [], tooLarge: [] },
      verdict: { status: 'Progressing', decidedBy: ['north'], others: { Healthy: 2 } },
      deciders: expect.arrayContaining([
        {
          ...{ wec: 'north', state: 'Reported' },
          health: { status: 'Progressing', message: expect.any(String) },
        },
      ]),
      applied: { upToDate: true, since: '2026-11-25T09:00:00Z' },
      refused: [],
    });
    const fields = member(body, 'fields') as readonly JsonValue[];
    expect(fields.find((field) => member(field, 'path') === 'availableReplicas')).toEqual({
      ...{ path: 'availableReplicas', value: 1, rule: 'lowest' },
      documentation: 'rules.md#deployment',
      decidedBy: [{ wec: 'north', value: 1 }],
    });
  });

  it('says what stands in the way, and what was refused', async () => {
    const asked = shop();
    const result = {
      applied: { upToDate: false, problem: 'the result has not been written yet' },
      refused: ['status: the API server rejects it: too late'],
    };
    asked.source.settle(WEB, result);
    const { body } = await asked.ask(ONE);
    expect(body).toMatchObject(result);
    const wide = await asked.ask(ONE, { accept: TABLE });
    expect(cells(wide)[0]).toContain('No: the result has not been written yet');
  });

  it('is a Table for kubectl, whose lines fit into 80 columns', async () => {
    const told = await shop().ask(ONE, { accept: TABLE });
    const columns = at(told.body, 'columnDefinitions') as readonly {
      readonly name: string;
      readonly priority: number;
    }[];
    expect(columns.map(({ name, priority }) => `${name}${priority}`)).toEqual([
      ...['Object0', 'Action0', 'Health0', 'Decided By0', 'Reported0', 'Age0'],
      ...['Reason1', 'Applied1', 'Name1'],
    ]);
    const [row] = cells(told) as readonly (readonly string[])[];
    expect(row).toEqual([
      ...['deployments.apps/web', 'Aggregate', 'Progressing', 'north', '3/3', '5d'],
      ...[decisionReason({ singleton: 0, multiWEC: 1 }, 3), 'Yes', 'deployments.apps:web'],
    ]);
    const shown = columns.filter(({ priority }) => priority === 0);
    const widths = shown.map(({ name }, index) => Math.max(name.length, row?.[index]?.length ?? 0));
    expect(widths.reduce((sum, width) => sum + width + 3, 0)).toBeLessThanOrEqual(80);
  });

  it('names the first WEC that decides, and how many more', async () => {
    const asked = new AskedApi();
    for (const wec of ['a', 'b', 'c']) asked.source.put(ready(wec, 3));
    expect(cells(await asked.ask(ONE, { accept: TABLE }))[0]).toContain('a +2');
  });

  it('of an object that the WDS does not have says so', async () => {
    const asked = new AskedApi();
    const { created: _created, ...bare } = ready('east', 3);
    asked.source.put(bare);
    const { body } = await asked.ask(ONE);
    expect(body).toMatchObject({
      decision: {
        ...{ action: 'Leave', reason: NOT_IN_WDS },
        bindings: [{ name: 'bp' }],
      },
      wecs: { qualified: 1, reported: 0, missing: ['east'] },
      fields: [],
      applied: { upToDate: true },
    });
    expect(body).not.toHaveProperty('verdict');
    expect(cells(await asked.ask(ONE, { accept: TABLE }))[0]).toEqual([
      ...['deployments.apps/web', 'Leave', '-', '-', '0/1', '-'],
      ...[NOT_IN_WDS, 'Yes', 'deployments.apps:web'],
    ]);
  });

  it('of an object without a namespace is a ClusterExplanation', async () => {
    const asked = new AskedApi();
    asked.source.put(status(ROLE, 'east', { kind: 'ClusterRole' }));
    const name = 'clusterroles.rbac.authorization.k8s.io:system:node';
    const { body } = await asked.ask(`${ROOT}/clusterexplanations/${name}`);
    expect(body).toMatchObject({ kind: 'ClusterExplanation', metadata: { name } });
    expect(names(await asked.ask(`${ROOT}/clusterexplanations`))).toEqual([name]);
    expect(names(await asked.ask(`${ROOT}/explanations`))).toEqual([]);
  });

  it.each(['deployments.apps:none', 'web', 'x%2Fy:z'])('of %s is 404', async (name) => {
    const { code, body } = await shop().ask(`${SHOP}/${name}`);
    expect(code).toBe(404);
    expect(body).toMatchObject({
      message: objectNotFound(NAMED, decodeURIComponent(name)),
    });
  });

  it('needs get of explanations and of the workload object itself', async () => {
    const asked = shop();
    await asked.ask(ONE);
    expect(asked.wds.reviews()).toEqual([
      'get explanations.status.starfold.dev shop/deployments.apps:web',
      'get deployments.apps shop/web',
    ]);
    const stranger = shop();
    stranger.wds.allows = ({ resource }) => resource === 'explanations';
    expect((await stranger.ask(ONE)).code).toBe(403);
    expect(stranger.source.reads).toEqual([]);
  });

  it('is 413 if there is too much to read at once, with the remedy', async () => {
    const asked = shop();
    asked.source.failure = new ReportsTooLargeError('deployments.apps:web', 64);
    const { code, body } = await asked.ask(ONE);
    expect(code).toBe(413);
    expect(at(body, 'message')).toContain('--field-selector metadata.name!=deployments.apps:web');
    expect(asked.errors).toEqual([]);
  });

  it('is 503 if the table does not answer', async () => {
    const asked = shop();
    asked.source.failure = new StoreUnavailableError('get');
    expect((await asked.ask(ONE)).code).toBe(503);
  });
});

describe('what the status would be if WECs were gone', () => {
  it('is the same fold without their rows, marked as such', async () => {
    const { code, body } = await shop().ask(`${ONE}?without=north`);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      without: ['north'],
      decision: {
        reason: decisionReason({ singleton: 0, multiWEC: 1 }, 2),
        bindings: [{ name: 'bp', destinations: 2 }],
      },
      wecs: { qualified: 2, reported: 2 },
      verdict: { status: 'Healthy', decidedBy: ['east', 'west'] },
    });
    expect(body).not.toHaveProperty('applied');
    expect(body).not.toHaveProperty('refused');
  });

  it.each(['without=north,west&without=west', 'without=north&without=west'])(
    'takes several: ?%s',
    async (query) => {
      const { body } = await shop().ask(`${ONE}?${query}`);
      expect(body).toMatchObject({ without: ['north', 'west'], wecs: { qualified: 1 } });
    },
  );

  it.each(['without=', 'without=north,', 'without=north&without='])(
    'is 400 for an empty name: ?%s',
    async (query) => {
      const { code, body } = await shop().ask(`${ONE}?${query}`);
      expect(code).toBe(400);
      expect(body).toMatchObject({ message: EMPTY_WITHOUT });
    },
  );

  it('of an object that the WDS does not have leaves them out too', async () => {
    const asked = new AskedApi();
    for (const wec of ['east', 'west']) {
      const { created: _created, ...bare } = ready(wec, 3);
      asked.source.put(bare);
    }
    const { body } = await asked.ask(`${ONE}?without=west`);
    expect(body).toMatchObject({
      without: ['west'],
      decision: { bindings: [{ destinations: 1 }] },
      wecs: { qualified: 1, missing: ['east'] },
    });
  });

  it('is 400 for an unknown WEC, with the name and where to find the others', async () => {
    const { code, body } = await shop().ask(`${ONE}?without=nort,west`);
    expect(code).toBe(400);
    expect(body).toMatchObject({
      kind: 'Status',
      message: notSentTo(WEB, 'nort', 'north'),
    });
    const asked = new AskedApi();
    asked.source.put(status(ROLE, 'east'));
    const name = 'clusterroles.rbac.authorization.k8s.io:system:node';
    const other = await asked.ask(`${ROOT}/clusterexplanations/${name}?without=somewhere`);
    expect(other.code).toBe(400);
    expect(at(other.body, 'message')).toBe(notSentTo(ROLE, 'somewhere', undefined));
  });

  it('is 404 for an unknown object', async () => {
    expect((await shop().ask(`${SHOP}/deployments.apps:none?without=east`)).code).toBe(404);
  });

  it.each(['', '&watch=true'])('is no question to a list or watch: 400', async (more) => {
    const { code, body } = await shop().ask(`${SHOP}?without=east${more}`);
    expect(code).toBe(400);
    expect(at(body, 'message')).toBe(WITHOUT_OF_LIST);
  });

  it('is ignored by other resources, as API servers ignore what they do not know', async () => {
    const path = `${ROOT}/namespaces/shop/wecstatuses`;
    expect((await shop().ask(`${path}?without=east`)).code).toBe(200);
    expect((await shop().ask(`${path}/deployments.apps:web:east?without=x`)).code).toBe(200);
  });
});

describe('a list of explanations', () => {
  const API = { ...WEB, name: 'api' };

  function several(): AskedApi {
    const asked = shop();
    asked.source.put(status(KEYS, 'east'));
    asked.source.put(ready('east', 3, { workload: API }));
    asked.source.put(ready('west', 3, { workload: API }));
    asked.source.put(ready('east', 3, { workload: { ...WEB, namespace: 'bank' } }));
    return asked;
  }

  it('has one for each object that a Binding names, in the order of names', async () => {
    const asked = several();
    const inShop = ['deployments.apps:api', 'deployments.apps:web', 'secrets:keys'];
    expect(names(await asked.ask(SHOP))).toEqual(inShop);
    expect(names(await asked.ask(`${ROOT}/explanations`))).toEqual([
      'deployments.apps:web',
      ...inShop,
    ]);
  });

  it('comes in pages', async () => {
    const asked = several();
    const found: JsonValue[] = [];
    let next: JsonValue | undefined = '';
    while (next !== undefined) {
      const told = await asked.ask(
        `${SHOP}?limit=1${next === '' ? '' : `&continue=${String(next)}`}`,
      );
      found.push(...names(told));
      next = at(told.body, 'metadata', 'continue');
    }
    expect(found).toEqual(['deployments.apps:api', 'deployments.apps:web', 'secrets:keys']);
    expect((await asked.ask(`${SHOP}?continue=nonsense`)).code).toBe(400);
  });

  it.each([
    ['fieldSelector=health=Progressing', ['deployments.apps:web']],
    ['fieldSelector=health!=Progressing', ['deployments.apps:api', 'secrets:keys']],
    ['fieldSelector=action=Copy', ['secrets:keys']],
    ['fieldSelector=action=Aggregate,health=Healthy', ['deployments.apps:api']],
    ['fieldSelector=metadata.name=secrets:keys', ['secrets:keys']],
    ['fieldSelector=metadata.namespace=bank', []],
    ['fieldSelector=workload.kind=Deployment,workload.name=api', ['deployments.apps:api']],
    ['fieldSelector=workload.group=', ['secrets:keys']],
    ['labelSelector=app in (web,keys)', ['deployments.apps:web', 'secrets:keys']],
    ['labelSelector=starfold.dev/resource=secrets', ['secrets:keys']],
    ['labelSelector=starfold.dev/wec=east', []],
  ])('selects by %s', async (selector, wanted) => {
    expect(names(await several().ask(`${SHOP}?${encodeURI(selector)}`))).toEqual(wanted);
  });

  it('reads nothing of what names and labels exclude', async () => {
    const asked = several();
    await asked.ask(`${SHOP}?fieldSelector=workload.name=api,health=Healthy`);
    expect(asked.source.reads).toEqual(['deployments.apps:api']);
  });

  it('leaves out what the reader may not get himself, and says so', async () => {
    const asked = several();
    asked.wds.allows = ({ resource }) => resource !== 'secrets';
    const told = await asked.ask(SHOP);
    expect(names(told)).toEqual(['deployments.apps:api', 'deployments.apps:web']);
    expect(told.headers['warning']).toContain(leftOut(['secrets']));
    expect(asked.source.reads).not.toContain('secrets:keys');
  });

  it('refuses other fields with the names of those that there are', async () => {
    const { code, body } = await several().ask(`${SHOP}?fieldSelector=wec=east`);
    expect(code).toBe(400);
    expect(at(body, 'message')).toContain('workload.kind, action, health');
  });

  it('ends a page of the source after many rows, and is whole nevertheless', async () => {
    const asked = new AskedApi();
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...WEB, name }));
    for (const workload of many)
      asked.source.bind(
        workload,
        Array.from({ length: 2_500 }, (_none, index) =>
          status(workload, `edge-${index}`, { status: { observedGeneration: 7 } }),
        ),
      );
    const page = await EXPLANATIONS.page(
      asked.source,
      {
        ...{ scope: { namespace: 'shop' }, limit: 500, readable: () => true },
        selector: { labels: [], fields: [] },
      },
      new AbortController().signal,
    );
    expect(page.items).toHaveLength(4);
    expect(page.next).toBeDefined();
    expect(names(await asked.ask(SHOP))).toHaveLength(5);
  });
});

describe('OpenAPI', () => {
  it('describes every field of an explanation', async () => {
    const asked = shop();
    const { body } = await asked.ask(`/openapi/v3${ROOT}`);
    const schema = at(
      ...([body, 'components', 'schemas'] as const),
      'dev.starfold.status.v1alpha1.Explanation',
    );
    const told = (await asked.ask(ONE)).body;
    const without = (await asked.ask(`${ONE}?without=north`)).body;
    for (const one of [told, without]) expect(undescribed(schema, one)).toEqual([]);
    expect(undescribed(schema, { invented: 1 })).toEqual(['invented']);
  });
});

/** The paths of a value that a schema does not describe. */
function undescribed(schema: JsonValue | undefined, value: JsonValue): readonly string[] {
  if (isArray(value)) return value.flatMap((one) => undescribed(member(schema, 'items'), one));
  const properties = member(schema, 'properties');
  if (!isObject(value) || properties === undefined) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const own = member(properties, key);
    if (own === undefined) return [key];
    return undescribed(own, one).map((path) => `${key}.${path}`);
  });
}

describe('what changes of WECs and objects affect', () => {
  const one = (revision: number, wec: string) =>
    ({ type: 'wec-status', revision, ref: { workload: WEB, wec } }) as const;

  it('is read once for several of them, after the last', () => {
    const effects = effectsOf(EXPLANATIONS, [
      one(1, 'east'),
      { type: 'wec', revision: 2, wec: 'east' },
      { type: 'result', revision: 3, workload: KEYS },
      one(4, 'west'),
      { type: 'wec', revision: 5, wec: 'west' },
      { type: 'result', revision: 6, workload: WEB },
    ]);
    expect(effects.map(({ affected, change }) => [affected.type, change.revision])).toEqual([
      ['one', 3],
      ['sent', 5],
      ['one', 6],
    ]);
    expect(effects[1]?.affected).toEqual({ type: 'sent', wecs: ['west', 'east'] });
  });
});
