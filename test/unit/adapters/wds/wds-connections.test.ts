import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_KUBECONFIG } from '#shared/adapters/kubernetes/kube-config-messages.ts';
import { loadKubeConfigText } from '#shared/adapters/kubernetes/kube-config-text.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { notPermitted, notSent, unknownCredentials } from '#shared/adapters/wds/messages.ts';
import {
  createFreshWdsConnections,
  createWdsConnections,
  WDS_MAX_IN_FLIGHT,
} from '#shared/adapters/wds/wds-connections.ts';
import type { WdsConnectionsDeps } from '#shared/adapters/wds/wds-session.ts';
import {
  ApiConflictError,
  ApiForbiddenError,
  ApiUnavailableError,
  FLEET_CLUSTER,
  UnknownWdsError,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { KubeconfigSource } from '#shared/ports/kubeconfig-source.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const PLACE = 'ssm:/starfold/wds1 (region eu-west-1)';
const WEB = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'default',
  name: 'web',
};

/** What discovery answers. */
const DEPLOYMENTS = ['deployments', 'deployments/status'].map((name) => ({
  name,
  kind: 'Deployment',
  namespaced: true,
  verbs: ['get', 'list', 'watch', 'patch'],
}));

/** A source whose content a test sets, and that remembers how it was read. */
interface ScriptedSource extends KubeconfigSource {
  content: string | Error;
  readonly reads: boolean[];
}

let server: HttpApiServer;
let source: ScriptedSource;
let now: number;
let wds: (name: string) => ObjectApi;
let deps: WdsConnectionsDeps;

function scriptedSource(): ScriptedSource {
  const reads: boolean[] = [];
  const scripted: ScriptedSource = {
    locations: new Map([['wds1', PLACE]]),
    content: kubeconfig('token1'),
    reads,
    async read(_wds, { fresh }) {
      reads.push(fresh);
      const { content } = scripted;
      if (typeof content === 'string') return content;
      throw content;
    },
  };
  return scripted;
}

function kubeconfig(token: string): string {
  return server.kubeConfig({ token }).exportConfig();
}

/** From now on the WDS knows this token alone. */
function accept(token: string): void {
  server.answer = ({ headers }, response) =>
    headers.authorization === `Bearer ${token}`
      ? json(response, { kind: 'Deployment' })
      : json(response, { kind: 'Status', message: 'Unauthorized' }, 401);
}

function noAnswer(): void {
  server.answer = (_request, response) => {
    response.destroy();
  };
}

function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => new Error('it went well'),
    (thrown: unknown) => thrown,
  );
}

beforeEach(async () => {
  server = await startHttpApiServer();
  source = scriptedSource();
  now = 1_000_000;
  deps = {
    source,
    connect: (text, { location }) =>
      createKubernetesApi(loadKubeConfigText(text, location, { plainHttp: true, loopback: true }), {
        requestTimeoutMs: 5000,
        fieldManager: 'starfold',
      }),
    clock: () => now,
  };
  wds = createWdsConnections(deps);
  accept('token1');
});

afterEach(() => server.close());

describe('a fresh look at a WDS', () => {
  it('sees at once the kubeconfig that was missing a moment ago', async () => {
    const missing = new WdsCredentialsError(
      { wds: 'wds1', location: PLACE, fault: 'missing' },
      'no',
    );
    source.content = missing;
    expect(await failureOf(wds('wds1').get(WEB))).toBe(missing);
    source.content = kubeconfig('token1');
    expect(await failureOf(wds('wds1').get(WEB))).toBe(missing);
    const fresh = createFreshWdsConnections(deps);
    await fresh('wds1').get(WEB);
    await fresh('wds1').get(WEB);
    expect(source.reads).toEqual([false, true]);
  });

  it('sees at once that the kubeconfig has gone', async () => {
    await wds('wds1').get(WEB);
    const missing = new WdsCredentialsError(
      { wds: 'wds1', location: PLACE, fault: 'missing' },
      'no',
    );
    source.content = missing;
    await wds('wds1').get(WEB);
    expect(await failureOf(createFreshWdsConnections(deps)('wds1').get(WEB))).toBe(missing);
  });
});

describe('the connection to a WDS', () => {
  it('is made with the first call, and kept', async () => {
    const api = wds('wds1');
    expect(source.reads).toEqual([]);
    for (let n = 0; n < 3; n += 1) await api.get(WEB);
    await wds('wds1').get(WEB);
    expect(source.reads).toEqual([false]);
    expect(new Set(server.requests.map(({ port }) => port)).size).toBe(1);
  });

  it('is made once for calls at the same time', async () => {
    await Promise.all([wds('wds1').get(WEB), wds('wds1').get(WEB), wds('wds1').get(WEB)]);
    expect(source.reads).toEqual([false]);
  });

  it('carries every call with what it is given', async () => {
    const api = wds('wds1');
    const change = { resourceVersion: '5' };
    await api.create(WEB, { a: 'b' });
    await api.replace(WEB, { c: 'd' });
    server.answer = (_request, response) => json(response, { resources: DEPLOYMENTS });
    await api.replaceStatus(WEB, { ...change, status: { replicas: 1 } });
    await api.patchLabels(WEB, { ...change, labels: { e: 'f' } });
    await api.delete(WEB, { ...change, uid: 'u' });
    const path = '/apis/apps/v1/namespaces/default/deployments';
    expect(server.requests.map(({ line }) => line)).toEqual([
      `POST ${path}?fieldManager=starfold`,
      `PUT ${path}/web?fieldManager=starfold`,
      'GET /apis/apps/v1',
      `PATCH ${path}/web/status?fieldManager=starfold`,
      `PATCH ${path}/web?fieldManager=starfold`,
      `DELETE ${path}/web`,
    ]);
    expect(server.requests[0]?.body).toBe('{"a":"b"}');
    expect(server.requests[3]?.body).toContain('"replicas":1');
    expect(server.requests[4]?.body).toContain('"e":"f"');
    expect(server.requests[5]?.body).toContain('"uid":"u"');
  });

  it('is not there for a WDS that is not registered', () => {
    expect(() => wds('wds2')).toThrow(UnknownWdsError);
    expect(() => wds('wds2')).toThrow(/WDS wds2 is not registered: add it.*\(registered: wds1\)/);
  });

  it('has a limit of calls at a time, and the others wait for their turn', async () => {
    let running = 0;
    let most = 0;
    const get = async (): Promise<undefined> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      // A call that fails gives its place away as well.
      throw new ApiConflictError('get', 'changed');
    };
    const unused = (): never => {
      throw new Error('not called');
    };
    const api: ObjectApi = {
      get,
      create: unused,
      replace: unused,
      replaceStatus: unused,
      patchLabels: unused,
      delete: unused,
    };
    const limited = createWdsConnections({ source, connect: () => api, clock: () => now });
    // The second time shows that each place has been given back.
    for (let times = 0; times < 2; times += 1) {
      const calls = Array.from({ length: 25 }, () => limited('wds1').get(WEB));
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
      expect(most).toBe(WDS_MAX_IN_FLIGHT);
    }
  });
});

describe('credentials that the WDS does not know anymore', () => {
  it('are read again, once for all calls, and each call is repeated', async () => {
    await wds('wds1').get(WEB);
    accept('token2');
    source.content = kubeconfig('token2');
    const calls = Array.from({ length: 8 }, () => wds('wds1').get(WEB));
    expect(await Promise.all(calls)).toEqual(calls.map(() => ({ kind: 'Deployment' })));
    expect(source.reads).toEqual([false, true]);
  });

  it('are those of a call that began before others had read them again', async () => {
    await wds('wds1').get(WEB);
    let refuseLate = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      server.answer = (_request, response) => {
        refuseLate = () => json(response, { message: 'Unauthorized' }, 401);
        resolve();
      };
    });
    const late = wds('wds1').get(WEB);
    await arrived;
    accept('token2');
    source.content = kubeconfig('token2');
    await wds('wds1').get(WEB);
    refuseLate();
    expect(await late).toEqual({ kind: 'Deployment' });
    expect(source.reads).toEqual([false, true]);
  });

  it('and that are still the same ones are an error with the WDS, the place and the remedy', async () => {
    accept('token2');
    const error = await failureOf(wds('wds1').get(WEB));
    expect(error).toBeInstanceOf(WdsCredentialsError);
    expect(error).toMatchObject({ wds: 'wds1', fault: 'unauthenticated', retryable: true });
    expect(String(error)).toContain(`WDS wds1: kubeconfig in ${PLACE}: `);
    const refusal = { operation: 'get deployments.apps/v1 default/web', reason: 'Unauthorized' };
    expect(String(error)).toContain(unknownCredentials('WDS', refusal));
    expect(String(error)).not.toContain('token1');
    expect(source.reads).toEqual([false, true]);
    expect(server.requests).toHaveLength(1);
  });

  it('and whose successors it does not know either are the same error', async () => {
    accept('token3');
    await wds('wds1')
      .get(WEB)
      .catch(() => undefined);
    now += 5000;
    source.content = kubeconfig('token2');
    const error = await failureOf(wds('wds1').get(WEB));
    expect(error).toMatchObject({ wds: 'wds1', fault: 'unauthenticated' });
    expect(source.reads).toEqual([false, true, true]);
    expect(server.requests).toHaveLength(3);
  });

  it('are not read again within 5 s, and are after that', async () => {
    accept('token2');
    for (let n = 0; n < 3; n += 1) await failureOf(wds('wds1').get(WEB));
    now += 4999;
    await failureOf(wds('wds1').get(WEB));
    expect(source.reads).toEqual([false, true]);
    source.content = kubeconfig('token2');
    now += 1;
    expect(await wds('wds1').get(WEB)).toEqual({ kind: 'Deployment' });
    expect(source.reads).toEqual([false, true, true]);
  });

  it('and cannot be read again fail with the reason of that', async () => {
    await wds('wds1').get(WEB);
    accept('token2');
    const denied = { wds: 'wds1', location: PLACE, fault: 'denied' } as const;
    source.content = new WdsCredentialsError(denied, 'no permission');
    expect(await failureOf(wds('wds1').get(WEB))).toBe(source.content);
    source.content = kubeconfig('token2');
    now += 5000;
    expect(await wds('wds1').get(WEB)).toEqual({ kind: 'Deployment' });
  });

  it('and then fail otherwise with the new ones fail with that', async () => {
    await wds('wds1').get(WEB);
    source.content = kubeconfig('token2');
    server.answer = ({ headers }, response) =>
      json(response, { message: 'no' }, headers.authorization === 'Bearer token2' ? 409 : 401);
    expect(await failureOf(wds('wds1').replace(WEB, {}))).toBeInstanceOf(ApiConflictError);
  });
});

describe('a rejection', () => {
  it('by 403 is not repeated, and says the WDS', async () => {
    server.answer = (_request, response) => json(response, { message: 'may not get' }, 403);
    const error = await failureOf(wds('wds1').get(WEB));
    expect(error).toBeInstanceOf(ApiForbiddenError);
    expect(String(error)).toContain(notPermitted('may not get'));
    expect(source.reads).toEqual([false]);
    expect(server.requests).toHaveLength(1);
  });

  it('says the management cluster where that is what is asked', async () => {
    const upstream = createWdsConnections({ ...deps, clusterType: FLEET_CLUSTER });
    server.answer = (_request, response) => json(response, { message: 'may not get' }, 403);
    expect(String(await failureOf(upstream('wds1').get(WEB)))).toMatch(
      /management cluster wds1: get deployments.*may not get/,
    );
    accept('token2');
    expect(String(await failureOf(upstream('wds1').get(WEB)))).toMatch(
      /management cluster wds1: kubeconfig in .*: the management cluster does not know these/,
    );
    expect(() => upstream('wds2')).toThrow('management cluster wds2 is not registered');
  });
});

describe('a kubeconfig', () => {
  it('that is changed is used within 5 minutes, even without a rejection', async () => {
    await wds('wds1').get(WEB);
    source.content = kubeconfig('token2');
    now += 5 * 60_000 - 1;
    await wds('wds1').get(WEB);
    accept('token2');
    now += 1;
    await wds('wds1').get(WEB);
    expect(source.reads).toEqual([false, true]);
    expect(server.requests).toHaveLength(3);
  });

  it('that is not changed keeps its connection', async () => {
    await wds('wds1').get(WEB);
    now += 5 * 60_000;
    await wds('wds1').get(WEB);
    expect(source.reads).toEqual([false, true]);
    expect(new Set(server.requests.map(({ port }) => port)).size).toBe(1);
  });

  it.each<readonly [string, () => string | Error]>([
    ['cannot be read', () => new Error('no answer')],
    ['has become unusable', () => 'nonsense'],
  ])('that %s while the one before works does no harm', async (_case, content) => {
    await wds('wds1').get(WEB);
    source.content = content();
    for (let n = 0; n < 2; n += 1) {
      now += 5 * 60_000;
      expect(await wds('wds1').get(WEB)).toEqual({ kind: 'Deployment' });
    }
    expect(source.reads).toEqual([false, true, true]);
  });

  it('that is unusable is an error with the WDS, the place and the remedy, until it is corrected', async () => {
    source.content = 'nonsense';
    const error = await failureOf(wds('wds1').get(WEB));
    expect(error).toMatchObject({ wds: 'wds1', fault: 'unusable', retryable: true });
    expect(String(error)).toContain(`WDS wds1: kubeconfig in ${PLACE}: ${NO_KUBECONFIG}`);
    source.content = kubeconfig('token1');
    // Not read again for each call.
    expect(await failureOf(wds('wds1').get(WEB))).toBe(error);
    expect(source.reads).toEqual([false]);
    now += 5000;
    expect(await wds('wds1').get(WEB)).toEqual({ kind: 'Deployment' });
    expect(source.reads).toEqual([false, true]);
  });

  it('with a fault of this program in the way is not taken for an unusable one', async () => {
    const fault = new TypeError('a fault');
    const faulty = createWdsConnections({
      source,
      connect: () => {
        throw fault;
      },
      clock: () => now,
    });
    expect(await failureOf(faulty('wds1').get(WEB))).toBe(fault);
  });
});

describe('a WDS that does not answer', () => {
  it('is not asked for 5 s; calls fail at once with the reason', async () => {
    noAnswer();
    const first = await failureOf(wds('wds1').get(WEB));
    expect(first).toBeInstanceOf(ApiUnavailableError);
    expect(String(first)).toMatch(/WDS wds1: get deployments.*socket hang up/);
    now += 4999;
    const second = await failureOf(wds('wds1').get(WEB));
    expect(second).toBeInstanceOf(ApiUnavailableError);
    expect(String(second)).toContain(`: WDS wds1: ${notSent('socket hang up')}`);
    expect(server.requests).toHaveLength(1);
  });

  it('is asked by one call after that, and by all once it answers', async () => {
    noAnswer();
    await failureOf(wds('wds1').get(WEB));
    now += 5000;
    let answer = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      server.answer = (_request, response) => {
        answer = () => json(response, { kind: 'Deployment' });
        resolve();
      };
    });
    const probe = wds('wds1').get(WEB);
    await arrived;
    expect(await failureOf(wds('wds1').get(WEB))).toBeInstanceOf(ApiUnavailableError);
    expect(server.requests).toHaveLength(2);
    answer();
    expect(await probe).toEqual({ kind: 'Deployment' });
    accept('token1');
    await Promise.all([wds('wds1').get(WEB), wds('wds1').get(WEB)]);
    expect(server.requests).toHaveLength(4);
  });

  it('is not changed for another 5 s when that call is not answered either', async () => {
    noAnswer();
    await failureOf(wds('wds1').get(WEB));
    for (const wait of [5000, 4999, 1]) {
      now += wait;
      await failureOf(wds('wds1').get(WEB));
    }
    expect(server.requests).toHaveLength(3);
  });

  it('is not awaited by each call of the queue', async () => {
    noAnswer();
    const calls = Array.from({ length: 4 * WDS_MAX_IN_FLIGHT }, () => wds('wds1').get(WEB));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(server.requests.length).toBeLessThanOrEqual(WDS_MAX_IN_FLIGHT);
  });

  it.each<readonly [string, number, Readonly<Record<string, string>>, number]>([
    ['502 of a load balancer', 502, {}, 1],
    ['504 of a load balancer', 504, {}, 1],
    ['503, to come again later', 503, { 'Retry-After': '1' }, 2],
    ['429, to come again later', 429, { 'Retry-After': '1' }, 2],
    ['500 for one object', 500, {}, 2],
    ['409', 409, {}, 2],
  ])('is distinguished from one that answers %s', async (...[, code, headers, requests]) => {
    server.answer = (_request, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      json(response, { message: 'no' }, code);
    };
    const error = await failureOf(wds('wds1').get(WEB));
    if (code !== 409)
      expect(error).toMatchObject({
        status: code,
        retryAfterSeconds: 'Retry-After' in headers ? 1 : undefined,
      });
    await failureOf(wds('wds1').get(WEB));
    expect(server.requests).toHaveLength(requests);
  });

  it('is distinguished from one whose answer the caller did not wait for', async () => {
    const aborting = new AbortController();
    server.answer = () => aborting.abort();
    expect(await failureOf(wds('wds1').get(WEB, aborting.signal))).toBeInstanceOf(
      ApiUnavailableError,
    );
    accept('token1');
    expect(await wds('wds1').get(WEB)).toEqual({ kind: 'Deployment' });
  });

  it('does not stop another WDS', async () => {
    const both = new Map([
      ['wds1', PLACE],
      ['wds2', 'ssm:/starfold/wds2'],
    ]);
    const connect: WdsConnectionsDeps['connect'] = (text, { location }) =>
      createKubernetesApi(loadKubeConfigText(text, location, { plainHttp: true, loopback: true }), {
        requestTimeoutMs: 5000,
        fieldManager: 'starfold',
      });
    const all = createWdsConnections({
      source: { locations: both, read: source.read },
      connect,
      clock: () => now,
    });
    noAnswer();
    await failureOf(all('wds1').get(WEB));
    accept('token1');
    expect(await all('wds2').get(WEB)).toEqual({ kind: 'Deployment' });
    expect(await failureOf(all('wds1').get(WEB))).toBeInstanceOf(ApiUnavailableError);
  });
});
