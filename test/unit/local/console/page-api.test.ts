import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterUpstream } from '#local/console/cluster-upstream.ts';
import { notAnApiServer, notAnswering } from '#local/console/messages.ts';
import { PageApi } from '#local/console/page-api.ts';
import type { Upstream } from '#local/console/upstream.ts';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import type { ApiAnswer, ApiRequest } from '#shared/api/api-request.ts';
import { createFailure } from '#shared/api/failure.ts';
import { StatusError } from '#shared/api/status-error.ts';
import { at, isArray, type JsonValue, parseJson, textAt } from '#shared/core/json.ts';
import { ALICE, AskedApi } from '#test/unit/api/ask.ts';

const COMBINED = '/apis/control.kubestellar.io/v1alpha1/namespaces/shop/combinedstatuses';
const APPS = '/openapi/v3/apis/apps/v1';
const OWN = '/openapi/v3/apis/status.starfold.dev/v1alpha1';

let wds: SimulatedCluster;
const errors: unknown[] = [];

beforeEach(async () => {
  errors.length = 0;
  wds = await startSimulatedCluster({ name: 'wds1' });
});

afterEach(() => wds.close());

function upstreamOf(cluster: SimulatedCluster): Upstream {
  const config = new KubeConfig();
  config.loadFromString(cluster.kubeconfig());
  return clusterUpstream(config);
}

function onError(error: unknown): void {
  errors.push(error);
}

function pageApi(upstream = upstreamOf(wds)): PageApi {
  const { api } = new AskedApi();
  return new PageApi({ statuses: api, wds: () => upstream, failure: createFailure(onError) });
}

function requestOf(path: string, more: Partial<ApiRequest> = {}): ApiRequest {
  const [plain = '', query = ''] = path.split('?');
  return {
    method: 'GET',
    path: plain,
    query: new URLSearchParams(query),
    accept: '*/*',
    authenticate: async () => ALICE,
    signal: new AbortController().signal,
    ...more,
  };
}

async function bodyOf({ body }: ApiAnswer): Promise<JsonValue> {
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(piece);
  return parseJson(pieces.join(''));
}

async function ask(api: PageApi, path: string, more: Partial<ApiRequest> = {}) {
  const answer = await api.handle(requestOf(path, more));
  return { code: answer.code, headers: answer.headers, body: await bodyOf(answer) };
}

function putCombined(name: string): void {
  const apiVersion = 'control.kubestellar.io/v1alpha1';
  const metadata = { namespace: 'shop', name, uid: name };
  wds.apply({ apiVersion, kind: 'CombinedStatus', metadata, results: [] });
}

/** A server that answers as a test says. */
function answering(
  code: number,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<string> | Iterable<string> = ['{}'],
): Upstream {
  const pieces = (async function* () {
    yield* body;
  })();
  return { name: 'https://wds1:6443', ask: async () => ({ code, headers, body: pieces }) };
}

describe('the page at one address with the WDS', () => {
  it('reads CombinedStatuses', async () => {
    putCombined('one');
    const { code, body } = await ask(pageApi(), COMBINED);
    expect(code).toBe(200);
    const items = at(body, 'items');
    expect(isArray(items) && items.map((item) => textAt(item, 'metadata', 'name'))).toEqual([
      'one',
    ]);
    const other = await ask(pageApi(), `${COMBINED}/other`);
    expect(other.code).toBe(404);
    expect(textAt(other.body, 'reason')).toBe('NotFound');
  });

  it('watches CombinedStatuses until it is closed', async () => {
    const api = pageApi();
    const answer = await api.handle(requestOf(`${COMBINED}?watch=true`));
    expect(answer.isStream).toBe(true);
    const pieces = answer.body[Symbol.asyncIterator]();
    putCombined('two');
    const { value } = await pieces.next();
    expect(textAt(parseJson(value), 'object', 'metadata', 'name')).toBe('two');
    api.close();
    expect(await pieces.next()).toMatchObject({ done: true });
    expect(errors).toEqual([]);
  });

  it('has the documents of both, and each where it belongs', async () => {
    const api = pageApi();
    const { body } = await ask(api, '/openapi/v3');
    expect(at(body, 'paths', 'apis/apps/v1')).toBeDefined();
    expect(at(body, 'paths', 'apis/status.starfold.dev/v1alpha1')).toBeDefined();
    expect(at((await ask(api, APPS)).body, 'components', 'schemas')).toBeDefined();
    expect(at((await ask(api, OWN)).body, 'components', 'schemas')).toBeDefined();
  });

  it('says what does not answer, as Kubernetes does', async () => {
    const api = pageApi();
    await wds.close();
    const { code, body, headers } = await ask(api, COMBINED);
    expect(code).toBe(503);
    expect(headers['retry-after']).toBe('1');
    const reason = `connect ECONNREFUSED ${new URL(wds.url).host}`;
    expect(textAt(body, 'message')).toBe(notAnswering(wds.url, reason));
    expect(at((await ask(api, '/openapi/v3')).body, 'paths')).toEqual({
      [OWN.slice(12)]: expect.anything(),
    });
    wds = await startSimulatedCluster({ name: 'wds1' });
  });

  it('asks who sends a request before it asks the WDS', async () => {
    const authenticate = async () => {
      throw new StatusError({ code: 403, reason: 'Forbidden' }, 'a page of another server');
    };
    const { code, body } = await ask(pageApi(), COMBINED, { authenticate });
    expect(code).toBe(403);
    expect(textAt(body, 'message')).toBe('a page of another server');
    expect(at((await ask(pageApi(), '/openapi/v3', { authenticate })).body, 'paths')).toEqual({
      [OWN.slice(12)]: expect.anything(),
    });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('writes nothing: %s', async (method) => {
    const { code } = await ask(pageApi(), `${COMBINED}/one`, { method });
    expect(code).toBe(405);
  });

  it('reads nothing else of the WDS', async () => {
    for (const path of ['/api/v1/namespaces/shop/secrets', '/apis/apps/v1/deployments'])
      expect((await ask(pageApi(), path)).code).toBe(404);
  });
});

describe('an answer of the WDS', () => {
  it('comes without what belongs to the connection, or makes a browser do something', async () => {
    const upstream = answering(401, {
      'content-type': 'application/json',
      'www-authenticate': 'Basic',
      'set-cookie': 'a=b',
      connection: 'close',
      'transfer-encoding': 'chunked',
      'access-control-allow-origin': '*',
      warning: '299 - "old"',
    });
    const { code, headers } = await ask(pageApi(upstream), COMBINED);
    expect({ code, headers }).toEqual({
      code: 401,
      headers: { 'content-type': 'application/json', warning: '299 - "old"' },
    });
  });

  it('is never a page', async () => {
    const upstream = answering(200, { 'content-type': 'text/html' }, ['<script>alert(1)</script>']);
    const { code, headers, body } = await ask(pageApi(upstream), COMBINED);
    expect({ code, type: headers['content-type'] }).toEqual({
      code: 502,
      type: 'application/json',
    });
    expect(textAt(body, 'message')).toBe(notAnApiServer('https://wds1:6443', 200, 'text/html'));
  });

  it('is JSON, also if the server calls it plain text', async () => {
    const upstream = answering(200, { 'content-type': 'text/plain; charset=utf-8' });
    const { code, headers } = await ask(pageApi(upstream), APPS);
    expect({ code, type: headers['content-type'] }).toEqual({
      code: 200,
      type: 'application/json',
    });
  });

  it('that is a list is cut off if it is cut off there, and a watch ends', async () => {
    const cut = async function* () {
      yield '{"items":[';
      throw new Error('socket hang up');
    };
    const json = { 'content-type': 'application/json' };
    await expect(ask(pageApi(answering(200, json, cut())), COMBINED)).rejects.toThrow('socket');
    const watch = await pageApi(answering(200, json, cut())).handle(
      requestOf(`${COMBINED}?watch=1`),
    );
    const seen: string[] = [];
    for await (const piece of watch.body) seen.push(piece);
    expect(seen).toEqual(['{"items":[']);
  });
});
