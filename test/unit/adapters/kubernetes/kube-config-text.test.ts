import { describe, expect, it } from 'vitest';
import { loadKubeConfigText } from '#shared/adapters/kubernetes/kube-config-text.ts';
import { KubeConfigError } from '#shared/errors.ts';

const PLACE = 'ssm:/starfold/wds1 (region eu-west-1)';
const PEM = btoa('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');
const SECRET = 's3cr3t-t0ken';

function kubeconfig(
  user: Readonly<Record<string, unknown>> = { token: SECRET },
  cluster: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'wds1', cluster: { server: 'https://wds1:6443', ...cluster } }],
    users: [
      { name: 'writer', user },
      // Only what the current context uses has to work.
      { name: 'person', user: { exec: { command: 'aws' } } },
    ],
    contexts: [
      { name: 'wds1', context: { cluster: 'wds1', user: 'writer' } },
      { name: 'other', context: { cluster: 'wds1', user: 'person' } },
    ],
    'current-context': 'wds1',
  });
}

function failure(text: string): KubeConfigError {
  try {
    loadKubeConfigText(text, PLACE);
  } catch (error) {
    if (error instanceof KubeConfigError) return error;
    throw error;
  }
  throw new Error('it was loaded');
}

describe('the text of a kubeconfig', () => {
  it.each<readonly [string, Record<string, unknown>, Record<string, unknown>]>([
    ['a token', { token: SECRET }, {}],
    [
      'a token and an embedded certificate authority',
      { token: SECRET },
      {
        'certificate-authority-data': PEM,
      },
    ],
    [
      'an embedded client certificate',
      {
        'client-certificate-data': PEM,
        'client-key-data': PEM,
      },
      {},
    ],
    ['a user name and password', { username: 'u', password: 'p' }, {}],
    ['no credentials, for a server that asks for none', {}, {}],
    ['somebody whom it acts as', { token: SECRET, as: 'writer' }, {}],
    ['a name for TLS', { token: SECRET }, { 'tls-server-name': 'wds1.internal' }],
  ])('is taken with %s', (_case, user, cluster) => {
    const loaded = loadKubeConfigText(kubeconfig(user, cluster), PLACE);
    expect(loaded.getCurrentUser()?.name).toBe('writer');
    expect(loaded.getCurrentCluster()?.server).toBe('https://wds1:6443');
  });

  it('may be YAML', () => {
    const text = [
      'clusters: [{name: c, cluster: {server: "https://c"}}]',
      'users: [{name: u, user: {token: t}}]',
      'contexts: [{name: x, context: {cluster: c, user: u}}]',
      'current-context: x',
    ].join('\n');
    expect(loadKubeConfigText(text, PLACE).getCurrentUser()?.token).toBe('t');
  });
});

describe('the text of a kubeconfig that cannot work without files and programs is rejected', () => {
  it.each<readonly [string, Record<string, unknown>, Record<string, unknown>, RegExp]>([
    [
      'exec',
      { exec: { command: 'aws' } },
      {},
      /users\[0\]\.user\.exec names a program.*ServiceAccount/,
    ],
    [
      'auth-provider',
      { 'auth-provider': { name: 'oidc' } },
      {},
      /auth-provider names a provider.*ServiceAccount/,
    ],
    [
      'tokenFile',
      { tokenFile: '/var/run/token' },
      {},
      /user\.tokenFile names a file.*ServiceAccount/,
    ],
    [
      'token-file',
      { 'token-file': '/no/such/token' },
      {},
      /user\.token-file names a file.*ServiceAccount/,
    ],
    [
      'client-certificate',
      { 'client-certificate': '/a.crt', 'client-key-data': PEM },
      {},
      /client-certificate names a file.*--flatten/,
    ],
    [
      'client-key',
      { 'client-certificate-data': PEM, 'client-key': '/a.key' },
      {},
      /client-key names a file.*--flatten/,
    ],
    [
      'certificate-authority',
      { token: SECRET },
      { 'certificate-authority': '/ca.crt' },
      /certificate-authority names a file.*--flatten/,
    ],
    [
      'certificate-authority-data that is none',
      { token: SECRET },
      { 'certificate-authority-data': btoa('/ca.crt') },
      /certificate-authority-data is not a PEM file in base64/,
    ],
    [
      'client-certificate-data that is no text',
      { 'client-certificate-data': 5, 'client-key-data': PEM },
      {},
      /user\.client-certificate-data is not a valid value/,
    ],
    ['a certificate without its key', { 'client-certificate-data': PEM }, {}, /give both/],
    ['a key without its certificate', { 'client-key-data': PEM }, {}, /give both/],
  ])('for %s', (...[_case, user, cluster, message]) => {
    const error = failure(kubeconfig(user, cluster));
    expect(error.faultAndRemedy).toMatch(message);
    expect(error.message).toContain(PLACE);
    expect(error.message).not.toContain(SECRET);
  });
});

describe('a text that is not a kubeconfig is rejected without being quoted', () => {
  it.each([
    ['broken YAML', `users:\n  - token: ${SECRET}\n bad: [`, /not a usable kubeconfig \(line 3, /],
    ['an unknown alias', `users: *${SECRET}`, /not a usable kubeconfig: compare/],
    ['nothing but a comment', `# ${SECRET}`, /: it is not a kubeconfig: compare/],
    ['a bare token', SECRET, /: it is not a kubeconfig: compare/],
    ['another secret', `{"password":"${SECRET}"}`, /: password is not read/],
    ['a secret where a name should be', `{"${SECRET}":null}`, /: a field is not read/],
    [
      'a cluster without a server',
      kubeconfig({ token: SECRET }, { server: undefined }),
      /clusters\[0\]\.cluster\.server is missing/,
    ],
    [
      'a server that is no text',
      kubeconfig({ token: SECRET }, { server: 5 }),
      /cluster\.server is not a valid value/,
    ],
  ])('%s', (_case, text, message) => {
    const error = failure(text);
    expect(error.message).toMatch(message);
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(SECRET);
  });
});
