import { describe, expect, it } from 'vitest';
import {
  HALF_CERTIFICATE,
  invalidField,
  missingField,
  NO_KUBECONFIG,
  noPem,
  REJECTED_FIELDS,
  SOME_FIELD,
  UNUSED_FIELD,
  unusable,
} from '#shared/adapters/kubernetes/kube-config-messages.ts';
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
  it.each<readonly [string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['exec', { exec: { command: 'aws' } }, {}, `users[0].user.exec ${REJECTED_FIELDS['exec']}`],
    [
      'auth-provider',
      { 'auth-provider': { name: 'oidc' } },
      {},
      `users[0].user.auth-provider ${REJECTED_FIELDS['authprovider']}`,
    ],
    [
      'tokenFile',
      { tokenFile: '/var/run/token' },
      {},
      `users[0].user.tokenFile ${REJECTED_FIELDS['tokenfile']}`,
    ],
    [
      'token-file',
      { 'token-file': '/no/such/token' },
      {},
      `users[0].user.token-file ${REJECTED_FIELDS['tokenfile']}`,
    ],
    [
      'client-certificate',
      { 'client-certificate': '/a.crt', 'client-key-data': PEM },
      {},
      `users[0].user.client-certificate ${REJECTED_FIELDS['clientcertificate']}`,
    ],
    [
      'client-key',
      { 'client-certificate-data': PEM, 'client-key': '/a.key' },
      {},
      `users[0].user.client-key ${REJECTED_FIELDS['clientkey']}`,
    ],
    [
      'certificate-authority',
      { token: SECRET },
      { 'certificate-authority': '/ca.crt' },
      `clusters[0].cluster.certificate-authority ${REJECTED_FIELDS['certificateauthority']}`,
    ],
    [
      'certificate-authority-data that is none',
      { token: SECRET },
      { 'certificate-authority-data': btoa('/ca.crt') },
      `clusters[0].cluster: ${noPem('certificate-authority-data')}`,
    ],
    [
      'client-certificate-data that is no text',
      { 'client-certificate-data': 5, 'client-key-data': PEM },
      {},
      invalidField('users[0].user.client-certificate-data'),
    ],
    [
      'a certificate without its key',
      { 'client-certificate-data': PEM },
      {},
      `users[0].user: ${HALF_CERTIFICATE}`,
    ],
    [
      'a key without its certificate',
      { 'client-key-data': PEM },
      {},
      `users[0].user: ${HALF_CERTIFICATE}`,
    ],
  ])('for %s', (...[_case, user, cluster, message]) => {
    const error = failure(kubeconfig(user, cluster));
    expect(error.faultAndRemedy).toBe(message);
    expect(error.message).toContain(PLACE);
    expect(error.message).not.toContain(SECRET);
  });
});

describe('a text that is not a kubeconfig is rejected without being quoted', () => {
  it.each([
    ['broken YAML', `users:\n  - token: ${SECRET}\n bad: [`, unusable('line 3, column 1')],
    ['an unknown alias', `users: *${SECRET}`, unusable()],
    ['nothing but a comment', `# ${SECRET}`, NO_KUBECONFIG],
    ['a bare token', SECRET, NO_KUBECONFIG],
    ['another secret', `{"password":"${SECRET}"}`, `password ${UNUSED_FIELD}`],
    ['a secret where a name should be', `{"${SECRET}":null}`, `${SOME_FIELD} ${UNUSED_FIELD}`],
    [
      'a cluster without a server',
      kubeconfig({ token: SECRET }, { server: undefined }),
      missingField('clusters[0].cluster.server'),
    ],
    [
      'a server that is no text',
      kubeconfig({ token: SECRET }, { server: 5 }),
      invalidField('clusters[0].cluster.server'),
    ],
  ])('%s', (_case, text, message) => {
    const error = failure(text);
    expect(error.faultAndRemedy).toBe(message);
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(SECRET);
  });
});
