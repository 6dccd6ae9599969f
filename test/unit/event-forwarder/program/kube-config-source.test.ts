import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKubeConfigSource } from '#functions/event-forwarder/program/kube-config-source.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { KubeConfigError } from '#shared/errors.ts';
import { type HttpApiServer, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const OPTIONS = { requestTimeoutMs: 5_000, fieldManager: 'starfold' };
const WEB = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'web' };

let folder: string;
let file: string;
let server: HttpApiServer;
let lines: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-kubeconfig-'));
  file = join(folder, 'config');
  lines = [];
  server = await startHttpApiServer();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
  await server.close();
});

function kubeConfig(user: object, to = server.url, name = 'one'): string {
  return JSON.stringify({
    clusters: [{ name, cluster: { server: to, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

/** Puts a text in the place of a file at once, as an update of a mounted Secret does. */
function put(text: string, path = file): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

function sourceOf(kubeconfig: string | null, environment: NodeJS.ProcessEnv = {}) {
  const write = (message: string, fields: object): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log = { info: write, warn: write };
  return createKubeConfigSource({ kubeconfig, context: null }, { environment, log });
}

function sentCredentials(): readonly (string | undefined)[] {
  return server.requests.map(({ headers }) => headers.authorization);
}

describe('a kubeconfig', () => {
  it('that is replaced is used from the next request on, which is logged', async () => {
    put(kubeConfig({ token: 'first' }));
    const api = createKubernetesApi(sourceOf(file), OPTIONS);
    await api.get(WEB);
    expect(lines).toEqual([]);
    put(kubeConfig({ token: 'second' }));
    await api.get(WEB);
    await api.get(WEB);
    expect(sentCredentials()).toEqual(['Bearer first', 'Bearer second', 'Bearer second']);
    expect(lines).toEqual([expect.stringMatching(/^the kubeconfig was read again .*config/)]);
  });

  it('that is replaced may name another server', async () => {
    const other = await startHttpApiServer();
    put(kubeConfig({}));
    const api = createKubernetesApi(sourceOf(file), OPTIONS);
    await api.get(WEB);
    put(kubeConfig({}, other.url));
    await api.get(WEB);
    await other.close();
    expect([server.requests.length, other.requests.length]).toEqual([1, 1]);
  });

  it('that is half written or missing leaves the former one in use, which is logged once, without its text', async () => {
    put(kubeConfig({ token: 'first' }));
    const api = createKubernetesApi(sourceOf(file), OPTIONS);
    await api.get(WEB);
    put(kubeConfig({ token: 'second' }).slice(0, -40));
    await api.get(WEB);
    await api.get(WEB);
    expect(lines).toEqual([expect.stringMatching(/^the kubeconfig cannot be read again.*no YAML/)]);
    rmSync(file);
    await api.get(WEB);
    await api.get(WEB);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/cannot be read again.*ENOENT/)]);
    put(kubeConfig({ token: 'second' }));
    await api.get(WEB);
    expect(sentCredentials()).toEqual([...Array(5).fill('Bearer first'), 'Bearer second']);
    expect(lines.slice(2)).toEqual([expect.stringMatching(/^the kubeconfig was read again/)]);
    expect(lines.join()).not.toContain('second');
  });

  it('whose tokenFile is replaced sends the token that is there now, rather than its own', async () => {
    writeFileSync(join(folder, 'token'), 'first\n');
    put(kubeConfig({ tokenFile: 'token', token: 'old' }));
    const api = createKubernetesApi(sourceOf(file), OPTIONS);
    await api.get(WEB);
    put('other\n', join(folder, 'token'));
    await api.get(WEB);
    expect(sentCredentials()).toEqual(['Bearer first', 'Bearer other']);
  });

  it('of which KUBECONFIG names several files is read again when one of them is replaced', async () => {
    const second = join(folder, 'second');
    put(kubeConfig({ token: 'first' }));
    put(kubeConfig({ token: 'unused' }, 'https://127.0.0.1:1', 'two'), second);
    const environment = { KUBECONFIG: `${file}:${second}` };
    vi.stubEnv('KUBECONFIG', environment.KUBECONFIG);
    const source = sourceOf(null, environment);
    expect((await source()).getCurrentContext()).toBe('two');
    put(kubeConfig({ token: 'third' }, 'https://127.0.0.1:1', 'two'), second);
    expect((await source()).getCurrentUser()?.token).toBe('third');
  });

  it('in the home folder is read again, too', async () => {
    const home = join(folder, '.kube');
    mkdirSync(home);
    put(kubeConfig({ token: 'first' }), join(home, 'config'));
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('HOME', folder);
    const source = sourceOf(null, { HOME: folder });
    expect((await source()).getCurrentUser()?.token).toBe('first');
    put(kubeConfig({ token: 'second' }), join(home, 'config'));
    expect((await source()).getCurrentUser()?.token).toBe('second');
  });

  it('in the home folder that is gone is not replaced by other credentials', async () => {
    const home = join(folder, '.kube');
    mkdirSync(home);
    put(kubeConfig({ token: 'first' }), join(home, 'config'));
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('HOME', folder);
    const source = sourceOf(null, { HOME: folder });
    rmSync(join(home, 'config'));
    expect((await source()).getCurrentUser()?.token).toBe('first');
    expect(lines).toEqual([expect.stringMatching(/cannot be read again.*ENOENT/)]);
  });

  it('that cannot be used at the start is a fault', () => {
    expect(() => sourceOf(file)).toThrow(KubeConfigError);
  });
});
