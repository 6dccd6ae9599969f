import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import {
  invalidServer,
  missingEntry,
  NO_FILE,
  NONE_FOUND,
  noCurrentContext,
  serverWithoutTls,
  unknownContext,
  unreadableFile,
} from '#shared/adapters/kubernetes/kube-config-messages.ts';
import { KubeConfigError } from '#shared/errors.ts';

const WHOLE = {
  clusters: [
    { name: 'c1', cluster: { server: 'https://one:6443/' } },
    { name: 'c2', cluster: { server: 'http://two:8080', 'insecure-skip-tls-verify': true } },
  ],
  users: [{ name: 'u1', user: { token: 't' } }],
  contexts: [
    { name: 'one', context: { cluster: 'c1', user: 'u1' } },
    { name: 'two', context: { cluster: 'c2', user: 'u1' } },
  ],
  'current-context': 'one',
};

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  file = join(folder, 'config');
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('HOME', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function write(content: unknown): void {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

function failure(path: string | undefined, context?: string): KubeConfigError {
  try {
    loadKubeConfig(path, context);
  } catch (error) {
    if (error instanceof KubeConfigError) return error;
    throw error;
  }
  throw new Error('it was loaded');
}

describe('a kubeconfig', () => {
  it.each([
    ['its current context', undefined, 'https://one:6443'],
    ['the context that is asked for', 'two', 'http://two:8080'],
  ])('is loaded with %s', (_case, context, expected) => {
    write(WHOLE);
    expect(loadKubeConfig(file, context).getCurrentCluster()?.server).toBe(expected);
  });

  it('is found through KUBECONFIG when no file is named', () => {
    write(WHOLE);
    vi.stubEnv('KUBECONFIG', file);
    expect(loadKubeConfig(undefined, 'two').getCurrentContext()).toBe('two');
  });
});

describe('a kubeconfig that cannot be used says which file, what is wrong and what to do', () => {
  const cases: readonly (readonly [string, unknown, string | undefined, string | RegExp])[] = [
    ['no YAML', 'clusters: [', undefined, /not a usable kubeconfig.*kubectl config view/s],
    ['empty', '', undefined, /not a usable kubeconfig|no current-context/],
    [
      'a cluster without a server',
      { ...WHOLE, clusters: [{ name: 'c1', cluster: {} }] },
      undefined,
      /clusters\[0\]\.cluster\.server is missing/,
    ],
    ['another context', WHOLE, 'three', unknownContext('three', ['one', 'two'])],
    [
      'no current context',
      { ...WHOLE, 'current-context': '' },
      undefined,
      noCurrentContext(['one', 'two']),
    ],
    ['no contexts', { ...WHOLE, contexts: [] }, 'one', unknownContext('one', [])],
    [
      'no such cluster',
      { ...WHOLE, clusters: [] },
      undefined,
      missingEntry({ context: 'one', type: 'cluster', name: 'c1' }, []),
    ],
    [
      'no such user',
      { ...WHOLE, users: [] },
      undefined,
      missingEntry({ context: 'one', type: 'user', name: 'u1' }, []),
    ],
    [
      'a server that is no URL',
      { ...WHOLE, clusters: [{ name: 'c1', cluster: { server: 'one:6443' } }] },
      undefined,
      invalidServer('c1', 'one:6443'),
    ],
    [
      'a server without TLS',
      { ...WHOLE, clusters: [{ name: 'c1', cluster: { server: 'http://one' } }] },
      undefined,
      serverWithoutTls('c1', 'http://one'),
    ],
  ];

  it.each(cases.map(([name, content, context, message]) => ({ name, content, context, message })))(
    '$name',
    ({ content, context, message }) => {
      write(content);
      const error = failure(file, context);
      expect(error.message).toMatch(message);
      expect(error.message).toContain(file);
      expect(error).toMatchObject({ file, code: 'kubeconfig', retryable: false });
    },
  );

  it('without repeating its text, which holds credentials', () => {
    write('users: [{name: u1, user: {token: hunter2}}\nclusters: [');
    const { message } = failure(file);
    expect(message).toMatch(/no YAML at line 2, column \d+/);
    expect(message).not.toContain('hunter2');
  });

  it('there is no file', () => {
    expect(failure(file).faultAndRemedy).toBe(NO_FILE.path);
  });

  it('it is a folder', () => {
    expect(failure(folder).message).toMatch(/EISDIR/);
  });

  it('it cannot be reached', () => {
    write(WHOLE);
    expect(failure(join(file, 'below')).message).toContain(unreadableFile('ENOTDIR'));
  });

  it('KUBECONFIG names a file that is not there', () => {
    vi.stubEnv('KUBECONFIG', file);
    const error = failure(undefined);
    expect(error.file).toBe(file);
    expect(error.faultAndRemedy).toBe(NO_FILE.variable);
  });

  it('there is none at all', () => {
    expect(failure(undefined).message).toContain(NONE_FOUND);
  });
});
