import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { createServeApi, type ServeApiHandler } from '#functions/serve-api/lambda.ts';
import { LARGE_ANSWER, onlyAboutFleet, unknownWds } from '#functions/serve-api/messages.ts';
import { Statuses, type StatusesDeps } from '#functions/serve-api/statuses.ts';
import { localContext } from '#local/stack/poller.ts';
import { NO_WATCH } from '#shared/api/list-messages.ts';
import { ENCODED_BODY, leftOut, NO_IMPERSONATION } from '#shared/api/messages.ts';
import { at, isArray, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { rowKey } from '#shared/state/keys.ts';
import { rowBody } from '#shared/state/rows.ts';
import { OBJECTS, SourceWorld, WECS } from '#test/property/status-source/source-world.ts';
import { createObservedOutput, type ObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { httpEvent } from './request.ts';

const NOW = Date.parse('2026-11-25T10:00:00Z');
const ROOT = '/wds/wds1/apis/status.starfold.dev/v1alpha1';
const SHOP = `${ROOT}/namespaces/shop/wecstatuses`;
const ONE = `${SHOP}/deployments.apps:web:edge`;
const READER = 'arn:aws:iam::111122223333:role/reader';
const WORKLOAD = {
  ...{ wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
};

interface Asked {
  readonly code: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: JsonValue;
  readonly result: APIGatewayProxyStructuredResultV2;
}

let store: ItemStore;
let output: ObservedOutput;

beforeEach(async () => {
  const world = new SourceWorld();
  await world.play([
    {
      type: 'bind',
      binding: 0,
      objects: OBJECTS.map((_object, index) => index),
      wecs: WECS.map((_wec, index) => index),
    },
    { type: 'apply', object: 0, tier: 'gold' },
    { type: 'report', object: 0, wec: 1, ready: 3 },
  ]);
  ({ store } = world.journaled);
  output = createObservedOutput({ service: 'serve-api' });
});

function door(more: Partial<StatusesDeps> = {}): ServeApiHandler {
  const deps = { store, wdses: new Set(['wds1', 'wds2']), clock: () => NOW, ...more };
  return createServeApi(
    { store },
    output.observability,
    async (onError) => new Statuses({ ...deps, onError }),
  );
}

/** The event of a request, as API Gateway makes it if IAM allows it to somebody. */
function signed(event: APIGatewayProxyEventV2, userArn = READER): APIGatewayProxyEventV2 {
  const iam = { authorizer: { iam: { userArn } } };
  return { ...event, requestContext: { ...event.requestContext, ...iam } };
}

async function told(handler: ServeApiHandler, event: APIGatewayProxyEventV2): Promise<Asked> {
  const result = await handler(event, localContext('serve-api', 'request'));
  const { statusCode, headers = {}, body = '', isBase64Encoded } = result;
  const bytes = Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8');
  const text = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  return { code: statusCode, headers, body: parseJson(text.toString()), result };
}

function ask(url: string, headers: Record<string, string> = {}, handler = door()): Promise<Asked> {
  return told(handler, { ...signed(httpEvent(url)), headers });
}

function namesIn({ body }: Asked): readonly JsonValue[] {
  const items = at(body, 'items');
  return isArray(items) ? items.map((item) => at(item, 'metadata', 'name') ?? '') : [];
}

describe('behind IAM', () => {
  it('lists and gets what WECs report, as Kubernetes answers', async () => {
    const list = await ask(SHOP);
    expect(list.code).toBe(200);
    expect(list.headers).toMatchObject({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    });
    expect(namesIn(list)).toHaveLength(49);
    const one = await ask(ONE);
    expect(at(one.body, 'status', 'readyReplicas')).toBe(3);
    const table = await ask(SHOP, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    expect(at(table.body, 'kind')).toBe('Table');
  });

  it('answers version, discovery and OpenAPI below the path of a WDS', async () => {
    for (const path of ['/version', '/apis', '/openapi/v3', '/openapi/v2', '/readyz'])
      expect(
        (await door()(signed(httpEvent(`/wds/wds1${path}`)), localContext('serve-api', 'x')))
          .statusCode,
      ).toBe(200);
    const { body } = await ask(ROOT);
    expect(at(body, 'resources')).toContainEqual(
      expect.objectContaining({ name: 'wecstatuses', verbs: ['get', 'list'] }),
    );
  });

  it('has the statuses of each WDS of the table apart', async () => {
    expect(namesIn(await ask(SHOP.replace('wds1', 'wds2')))).toEqual([]);
    const unknown = await ask(SHOP.replace('wds1', 'wds3'));
    expect([unknown.code, at(unknown.body, 'kind')]).toEqual([404, 'Status']);
    expect(at(unknown.body, 'message')).toBe(unknownWds('wds3'));
  });

  it('says where BundleDeployments are', async () => {
    for (const place of ['', '/namespaces/fleet'])
      expect(await ask(`${ROOT}${place}/bundledeploymentstatuses`)).toMatchObject({
        code: 404,
        body: { kind: 'Status', message: onlyAboutFleet('bundledeploymentstatuses') },
      });
    const namespace = `${ROOT}/namespaces/bundledeploymentstatuses/wecstatuses`;
    expect(await ask(namespace)).toMatchObject({ code: 200, body: { items: [] } });
  });

  it('answers nobody whom IAM has not let in', async () => {
    expect((await told(door(), httpEvent(SHOP))).code).toBe(401);
    expect((await told(door(), signed(httpEvent(SHOP), ''))).code).toBe(401);
  });

  it.each([
    // Of each, IAM may have seen the namespace shop and the API another one, if it normalised paths.
    `${ROOT}/namespaces/shop/../bank/wecstatuses`,
    `${ROOT}/namespaces/shop/wecstatuses/../../bank/wecstatuses`,
    `${ROOT}/namespaces/shop%2F..%2Fbank/wecstatuses`,
    `${ROOT}/namespaces/shop%252Fwecstatuses`,
    `${ROOT}/namespaces//shop/wecstatuses`,
    `/wds/wds1/../wds2/apis/status.starfold.dev/v1alpha1/wecs`,
    `/wds/wds1`,
    '/wds/',
  ])('finds nothing at %s', async (path) => {
    expect((await ask(path)).code).toBe(404);
  });

  it('serves no watch, and names the doors that do', async () => {
    const { code, body } = await ask(`${SHOP}?watch=true`);
    expect(code).toBe(405);
    expect(at(body, 'message')).toBe(NO_WATCH);
  });

  it('changes nothing', async () => {
    for (const method of ['DELETE', 'PUT', 'PATCH'])
      expect((await told(door(), signed(httpEvent(ONE, method)))).code).toBe(405);
  });

  it.each([false, true])(
    'answers a query, with its body in base64: %s',
    async (isBase64Encoded) => {
      const post = async (object: object, more: Record<string, string> = {}): Promise<Asked> => {
        const text = JSON.stringify({ apiVersion: 'status.starfold.dev/v1alpha1', ...object });
        const event = signed(httpEvent(`${ROOT}/namespaces/shop/statusqueries`, 'POST'));
        const body = isBase64Encoded ? Buffer.from(text).toString('base64') : text;
        const headers = { 'content-type': 'application/json', ...more };
        return told(door(), { ...event, headers, body, isBase64Encoded });
      };
      const spec = {
        workloads: { resource: 'deployments', group: 'apps', name: 'web' },
        filter: 'returned.status.readyReplicas == 3',
        select: [{ name: 'wec', def: 'inventory.name' }],
      };
      const { code, body } = await post({ kind: 'StatusQuery', spec });
      expect([code, body]).toMatchObject([201, { status: { rows: [{ wec: 'edge' }] } }]);
      const large = { kind: 'StatusQuery', spec: { ...spec, filter: 'x'.repeat(4_000_000) } };
      expect((await post(large)).code).toBe(413);
      const zipped = await post({ spec }, { 'content-encoding': 'gzip' });
      expect([zipped.code, at(zipped.body, 'message')]).toEqual([415, ENCODED_BODY]);
    },
  );

  it('knows the state of every revision that a function has named, whose clock may be ahead', async () => {
    const ahead = await ask(SHOP, {}, door({ clock: () => NOW + 5_000 }));
    const revision = Number(at(ahead.body, 'metadata', 'resourceVersion'));
    const query = `resourceVersion=${revision}&resourceVersionMatch=NotOlderThan`;
    const next = await ask(`${SHOP}?${query}`);
    expect(next.code).toBe(200);
    expect(Number(at(next.body, 'metadata', 'resourceVersion'))).toBeGreaterThan(revision);
    expect((await ask(`${SHOP}?resourceVersion=${revision + 1e9}`)).code).toBe(504);
  });

  it('loads nothing for the paths of Fleet, and tries again what could not be loaded', async () => {
    let loads = 0;
    const handler = createServeApi({ store }, output.observability, async (onError) => {
      loads += 1;
      if (loads === 1) throw new Error('no such module');
      return new Statuses({ store, wdses: new Set(['wds1']), clock: () => NOW, onError });
    });
    const codeOf = async (url: string) => (await told(handler, signed(httpEvent(url)))).code;
    expect(await codeOf('/v1/fleet/rancher1/differences')).toBe(404);
    expect(loads).toBe(0);
    expect(await codeOf(SHOP)).toBe(500);
    expect(await codeOf(SHOP)).toBe(200);
    expect(await codeOf(SHOP)).toBe(200);
    expect(loads).toBe(2);
  });

  it('is not there if only Fleet is served', async () => {
    const handler = createServeApi({ store }, output.observability);
    expect((await told(handler, signed(httpEvent(SHOP)))).code).toBe(404);
  });

  it('answers 503 and counts it if the table cannot be read, also in the middle of a list', async () => {
    let reads = 0;
    const failing = (after: number): ItemStore => ({
      ...store,
      get: async (...request) => {
        reads += 1;
        if (reads > after) throw new StoreUnavailableError('throttled');
        return store.get(...request);
      },
    });
    for (const after of [0, 8]) {
      reads = 0;
      const { code, body } = await ask(SHOP, {}, door({ store: failing(after) }));
      expect([code, at(body, 'reason')]).toEqual([503, 'ServiceUnavailable']);
      expect(output.lines()).toContainEqual(expect.objectContaining({ RetryableFailures: 1 }));
    }
  });
});

describe('an answer', () => {
  /** Gives every WEC a status of so many characters. */
  async function large(size: number, text = 'x'): Promise<void> {
    for (const wec of WECS) {
      const row = { wec, uid: 'u', generation: 1, status: { text: text.repeat(size) } };
      await store.put([
        { item: { ...rowKey(WORKLOAD, wec), version: '9', body: rowBody({ wec, row }) } },
      ]);
    }
  }

  const bytesOf = ({ result }: Asked): number => Buffer.byteLength(JSON.stringify(result));
  const LAMBDA = 6 * 1024 * 1024;

  it.each([
    ['of letters', 'x', 1_500_000],
    ['that is longer within JSON', '"', 700_000],
    ['of characters of three bytes', '€', 500_000],
  ])('%s is continued before it is too large for Lambda', async (_what, text, size) => {
    await large(size, text);
    const names: JsonValue[] = [];
    let [pages, token]: [number, JsonValue | undefined] = [0, ''];
    while (token !== undefined) {
      const page = await ask(`${SHOP}?continue=${String(token)}`);
      expect(page.code).toBe(200);
      expect(bytesOf(page)).toBeLessThan(LAMBDA);
      names.push(...namesIn(page));
      token = at(page.body, 'metadata', 'continue');
      pages += 1;
    }
    expect(new Set(names).size).toBe(49);
    expect(names).toHaveLength(49);
    expect(pages).toBeGreaterThan(1);
  });

  it('is compressed from 128 KiB on if the client accepts it', async () => {
    await large(200_000);
    const zipped = await ask(SHOP, { 'accept-encoding': 'gzip, deflate' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.result.isBase64Encoded).toBe(true);
    expect(bytesOf(zipped)).toBeLessThan(50_000);
    expect(namesIn(zipped)).toEqual(namesIn(await ask(SHOP)));
    const small = await ask(`${ROOT}/wecs`, { 'accept-encoding': 'gzip' });
    expect(small.headers['content-encoding']).toBeUndefined();
  });

  it('of one object that is too large by itself says what to do', async () => {
    await large(7_000_000);
    const { code, body } = await ask(ONE);
    expect([code, at(body, 'reason')]).toEqual([413, 'RequestEntityTooLarge']);
    expect(at(body, 'message')).toBe(LARGE_ANSWER);
    expect((await ask(ONE, { 'accept-encoding': 'gzip' })).code).toBe(200);
  });
});

describe('if the WDS decides', () => {
  const BEARER = { authorization: 'Bearer t1' };
  const asked: JsonObject[] = [];
  /** A WDS with one token, whose user may read Deployments. */
  const wds = () => ({
    create: async (_ref: unknown, review: JsonObject): Promise<JsonObject> => {
      asked.push(review);
      if (review['kind'] === 'TokenReview') {
        const authenticated = at(review, 'spec', 'token') === 't1';
        const user = { username: 'alice', uid: 'u-1', groups: ['dev'] };
        return { ...review, status: authenticated ? { authenticated, user } : { authenticated } };
      }
      const allowed = ['deployments', 'wecstatuses'].includes(
        String(at(review, 'spec', 'resourceAttributes', 'resource')),
      );
      return { ...review, status: { allowed } };
    },
  });
  beforeEach(() => {
    asked.length = 0;
  });

  it('answers the user of a token with what he may read there', async () => {
    const list = await ask(SHOP, BEARER, door({ wds }));
    expect(list.code).toBe(200);
    expect(namesIn(list)).toHaveLength(35);
    expect(list.headers['warning']).toContain(leftOut(['services', 'widgets.demo.example.com']));
    const users = asked.flatMap((review) => at(review, 'spec', 'user') ?? []);
    expect(new Set(users)).toEqual(new Set(['alice']));
    expect((await ask(`${ROOT}/wecs`, BEARER, door({ wds }))).code).toBe(403);
  });

  it('asks again about a token after 10 seconds', async () => {
    let nowMs = NOW;
    const handler = door({ wds, clock: () => nowMs });
    const reviews = () => asked.filter(({ kind }) => kind === 'TokenReview').length;
    await ask(SHOP, BEARER, handler);
    nowMs += 9_900;
    await ask(SHOP, BEARER, handler);
    expect(reviews()).toBe(1);
    nowMs += 200;
    await ask(SHOP, BEARER, handler);
    expect(reviews()).toBe(2);
  });

  it('does not answer as for the user himself if he asks as somebody else', async () => {
    const headers = { ...BEARER, 'impersonate-user': 'bob' };
    const { code, body } = await ask(SHOP, headers, door({ wds }));
    expect([code, at(body, 'message')]).toEqual([400, NO_IMPERSONATION]);
    expect(asked.map(({ kind }) => kind)).toEqual(['TokenReview']);
  });

  it('answers nobody else, whatever IAM says of him', async () => {
    for (const headers of [{}, { authorization: 'Bearer t2' }, { authorization: 'AWS4 x' }])
      expect((await ask(SHOP, headers as Record<string, string>, door({ wds }))).code).toBe(401);
  });
});
