import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { apiKubeconfig, portIn, userOf } from '#local/start/api-kubeconfig.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-kubeconfig-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(text);
  return config;
}

function pair() {
  const { cert } = selfSigned();
  const certFile = join(folder, 'tls.crt');
  writeFileSync(certFile, cert);
  return { cert, tls: { certFile, keyFile: join(folder, 'tls.key') } };
}

it('a kubeconfig for the API names the server, and no user if it asks for none', () => {
  const config = read(apiKubeconfig('http://127.0.0.1:8081', {}, undefined));
  expect(config.getCurrentCluster()).toMatchObject({ server: 'http://127.0.0.1:8081' });
  expect(config.getCurrentUser()?.token).toBeFalsy();
});

it('a kubeconfig for the API tells the port of the last time, any other file none', () => {
  const file = join(folder, 'api-kubeconfig');
  expect(portIn(file)).toBe(0);
  writeFileSync(file, apiKubeconfig('http://127.0.0.1:8081', {}, undefined));
  expect(portIn(file)).toBe(8081);
  for (const text of ['', '{', 'clusters: [{ name: starfold, cluster: { server: x } }]']) {
    writeFileSync(file, text);
    expect(portIn(file)).toBe(0);
  }
});

it('a kubeconfig for the API trusts its certificate, and has the user of the WDS', () => {
  const { cert, tls } = pair();
  const kubeconfig = join(folder, 'config');
  writeFileSync(
    kubeconfig,
    `apiVersion: v1
kind: Config
clusters: [{ name: wds, cluster: { server: 'https://wds:6443' } }]
users: [{ name: me, user: { token: secret } }, { name: other, user: { token: x } }]
contexts: [{ name: wds1, context: { cluster: wds, user: me } }]
current-context: wds1
`,
  );
  const config = read(apiKubeconfig('https://127.0.0.1:8443', { tls }, userOf(kubeconfig, 'wds1')));
  expect(config.getCurrentUser()).toMatchObject({ name: 'me', token: 'secret' });
  expect(config.getUsers()).toHaveLength(1);
  const cluster = config.getCurrentCluster();
  expect(cluster?.server).toBe('https://127.0.0.1:8443');
  expect(Buffer.from(cluster?.caData ?? '', 'base64').toString()).toBe(cert);
  expect(cluster?.tlsServerName).toBeFalsy();
});

it('a kubeconfig for the API has the token file of the user of the WDS, and no token', () => {
  const { tls } = pair();
  const kubeconfig = join(folder, 'config');
  const user = { tokenFile: 'token', token: 'old' };
  const whole = {
    clusters: [{ name: 'wds', cluster: { server: 'https://wds:6443' } }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'wds1', context: { cluster: 'wds', user: 'me' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(whole));
  const text = apiKubeconfig('https://127.0.0.1:8443', { tls }, userOf(kubeconfig, 'wds1'));
  const { users } = JSON.parse(text);
  expect(users).toEqual([{ name: 'me', user: { tokenFile: join(folder, 'token') } }]);
});

it.each([
  ['https://0.0.0.0:8443', 'https://127.0.0.1:8443', undefined],
  ['https://[::]:8443', 'https://127.0.0.1:8443', undefined],
  ['https://10.1.2.3:8443', 'https://10.1.2.3:8443', '127.0.0.1'],
])('a kubeconfig for an API at %s connects to %s with the name %s', (url, server, name) => {
  const { tls } = pair();
  const cluster = read(apiKubeconfig(url, { tls }, undefined)).getCurrentCluster();
  expect(cluster).toMatchObject({ server });
  expect(cluster?.tlsServerName || undefined).toBe(name);
});
