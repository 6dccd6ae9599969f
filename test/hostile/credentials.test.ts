import type { lookup } from 'node:dns';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubeConfigAllowance } from '#shared/adapters/kubernetes/kube-config-allowance.ts';
import { localAddress, localName } from '#shared/adapters/kubernetes/kube-config-messages.ts';
import { loadKubeConfigText } from '#shared/adapters/kubernetes/kube-config-text.ts';
import { connectStoredCluster } from '#shared/adapters/kubernetes/stored-cluster.ts';
import { createWdsConnections } from '#shared/adapters/wds/wds-connections.ts';
import { ApiUnavailableError, KubeConfigError, WdsCredentialsError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';
import { HOSTILE_KUBECONFIGS, HOSTILE_TEXTS, kubeConfigText, SECRET } from './credentials.ts';

const PLACE = 'ssm:/starfold/wds1';
const WEB = { group: '', version: 'v1', resource: 'configmaps', namespace: 'a', name: 'web' };

function failure(text: string, allowance?: KubeConfigAllowance): KubeConfigError {
  try {
    loadKubeConfigText(text, PLACE, allowance);
  } catch (error) {
    if (error instanceof KubeConfigError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a kubeconfig from a store is refused, with field and remedy and without its secrets', () => {
  it.each(HOSTILE_KUBECONFIGS)('for $what', ({ says, ...given }) => {
    const error = failure(kubeConfigText(given));
    expect(error.message).toContain(`kubeconfig ${PLACE}: `);
    expect(error.faultAndRemedy).toMatch(says);
    expect(`${error.stack} ${String(error.cause)}`).not.toContain(SECRET);
  });

  it.each(HOSTILE_TEXTS)('for %s', (_what, text, says) => {
    expect(failure(text).faultAndRemedy).toMatch(says);
  });

  it('whatever else is allowed', () => {
    const all: KubeConfigAllowance = {
      plainHttp: true,
      unverifiedTls: true,
      loopback: true,
      linkLocal: true,
      proxy: 'http://proxy.example:3128',
    };
    for (const user of [{ tokenFile: '/x' }, { exec: {} }, { 'client-key': '/x' }])
      failure(kubeConfigText({ user }), all);
    failure(kubeConfigText({ cluster: { 'proxy-url': 'http://proxy.example:3129' } }), all);
  });

  it('without a look at any file, also for users that it does not name', () => {
    const missing = '/no/such/file/of/anybody';
    const other = JSON.parse(kubeConfigText({}));
    other.users.push({ name: 'other', user: { 'token-file': missing } });
    // The client's own reader would fail on the missing file.
    const loaded = loadKubeConfigText(JSON.stringify(other), PLACE);
    expect(loaded.getUsers()).toEqual([{ name: 'u', token: SECRET }]);
    expect(() => readFileSync(missing)).toThrow('ENOENT');
  });
});

describe('what the settings of the deployment allow is taken', () => {
  it.each<readonly [KubeConfigAllowance, Record<string, unknown>]>([
    [{ plainHttp: true }, { server: 'http://wds1.example' }],
    [{ unverifiedTls: true }, { 'insecure-skip-tls-verify': true }],
    [{ loopback: true }, { server: 'https://127.0.0.1:6443' }],
    [{ linkLocal: true }, { server: 'https://169.254.1.1' }],
    [
      { proxy: 'http://proxy.example:3128' },
      { 'proxy-url': 'http://user:password@PROXY.example:3128/' },
    ],
  ])('%j alone', (allowance, cluster) => {
    loadKubeConfigText(kubeConfigText({ cluster }), PLACE, allowance);
    for (const name of Object.keys(allowance))
      expect(failure(kubeConfigText({ cluster })).message).toContain(`allow.${name}: `);
  });
});

type Resolve = typeof lookup;

/** A resolver whose answers for every name come one after the other; the last one stays. */
function resolver(answers: readonly (readonly string[])[]): { resolve: Resolve; asked: string[] } {
  const asked: string[] = [];
  const resolve = (name: string, _options: unknown, callback: (...all: unknown[]) => void) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(name);
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    callback(null, found);
  };
  return { resolve: resolve as unknown as Resolve, asked }; // Of the overloads only that with `all` is used.
}

const OPTIONS = { requestTimeoutMs: 2000, fieldManager: 'starfold' };

describe('a name in a kubeconfig', () => {
  let server: HttpApiServer;
  beforeEach(async () => {
    server = await startHttpApiServer();
    server.answer = (_request, response) => json(response, { kind: 'ConfigMap' });
  });
  afterEach(() => server.close());

  const port = (): string => new URL(server.kubeConfig({}).getCurrentCluster()?.server ?? '').port;

  function connected(resolve: Resolve, allowance: KubeConfigAllowance = { plainHttp: true }) {
    const cluster = { server: `http://wds1.example:${port()}` };
    return connectStoredCluster(
      { text: kubeConfigText({ cluster }), location: PLACE, allowance },
      OPTIONS,
      resolve,
    );
  }

  it.each([
    [['127.0.0.1'], localAddress('127.0.0.1', 'loopback')],
    [['::1'], localAddress('::1', 'loopback')],
    [['::ffff:127.0.0.1'], localAddress('::ffff:127.0.0.1', 'loopback')],
    [['169.254.169.254'], localAddress('169.254.169.254', 'linkLocal')],
    [['fe80::1'], localAddress('fe80::1', 'linkLocal')],
    [['192.0.2.1', '127.0.0.1'], localAddress('127.0.0.1', 'loopback')],
  ])('is refused when it resolves to %j, and nothing is sent', async (addresses, fault) => {
    const { resolve } = resolver([addresses]);
    const failing = connected(resolve).get(WEB);
    await expect(failing).rejects.toThrow(localName('wds1.example', fault));
    expect(server.requests).toEqual([]);
  });

  it('is looked at for each connection: one that changes its mind is refused then', async () => {
    const { resolve, asked } = resolver([['192.0.2.1'], ['127.0.0.1']]);
    const api = connectStoredCluster(
      {
        text: kubeConfigText({ cluster: { server: `http://wds1.example:${port()}` } }),
        location: PLACE,
        allowance: { plainHttp: true },
      },
      { ...OPTIONS, requestTimeoutMs: 1_000 },
      resolve,
    );
    // 192.0.2.0/24 is in no network (RFC 5737): no answer, or no way there.
    await expect(api.get(WEB)).rejects.toBeInstanceOf(ApiUnavailableError);
    await expect(api.get(WEB)).rejects.toThrow('resolves to 127.0.0.1');
    expect(asked).toEqual(['wds1.example', 'wds1.example']);
    expect(server.requests).toEqual([]);
  });

  it('is connected to where the settings allow it', async () => {
    const { resolve } = resolver([['127.0.0.1']]);
    const api = connected(resolve, { plainHttp: true, loopback: true });
    expect(await api.get(WEB)).toEqual({ kind: 'ConfigMap' });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${SECRET}`,
    ]);
  });

  it('is what the writer says is wrong, with the WDS', async () => {
    const { resolve } = resolver([['169.254.169.254']]);
    const connect = vi.fn((_text: string): ObjectApi => connected(resolve));
    const wds = createWdsConnections({
      source: { locations: new Map([['wds1', PLACE]]), read: async () => 'a kubeconfig' },
      connect,
      clock: () => 0,
    });
    const error = await wds('wds1')
      .get(WEB)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WdsCredentialsError);
    expect(error).toMatchObject({ fault: 'unusable', retryable: true });
    expect(String(error)).toMatch(/WDS wds1: kubeconfig in ssm:.* resolves to 169\.254\.169\.254/);
    expect(String(error)).not.toContain(SECRET);
  });

  it('gets no credentials by way of a redirect', async () => {
    const other = await startHttpApiServer();
    const to = other.kubeConfig({}).getCurrentCluster()?.server ?? '';
    server.answer = (_request, response) => {
      response.writeHead(307, { location: `${to}/api/v1/namespaces/a/configmaps/web` }).end();
    };
    const { resolve } = resolver([['127.0.0.1']]);
    const api = connected(resolve, { plainHttp: true, loopback: true });
    await expect(api.get(WEB)).rejects.toThrow('307');
    expect(other.requests).toEqual([]);
    await other.close();
  });
});
