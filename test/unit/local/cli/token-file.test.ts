import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runConsole } from '#local/cli/console/run.ts';
import { openLiveDoor } from '#local/cli/door/live-door.ts';
import { runTakeover } from '#local/cli/takeover/takeover-run.ts';
import { connectClusters } from '#local/start/clusters.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';
import { told } from './door/doors.ts';
import { KeptTerminal } from './get/got.ts';

let folder: string;
let server: HttpApiServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-token-file-'));
  vi.stubEnv('HOME', folder);
  server = await startHttpApiServer();
  server.answer = (_request, response) => json(response, { message: 'no' }, 403);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
  await server.close();
});

/** Puts a text in the place of a file at once, as the kubelet does. */
function put(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  return file;
}

/** A kubeconfig whose user has a token in a file beside it, and one that is out of date. */
function kubeconfig(): string {
  const cluster = { server: server.url, 'insecure-skip-tls-verify': true };
  const config = {
    clusters: [{ name: 'one', cluster }],
    users: [{ name: 'one', user: { tokenFile: 'token', token: 'old' } }],
    contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
    'current-context': 'one',
  };
  return put('config', JSON.stringify(config));
}

interface Place {
  readonly kubeconfig?: string;
  readonly context: string;
}

/** Runs `starfold console`, which ends because the server lets nobody do anything. */
function runUntilRefused(options: Place & { readonly wdsContext?: string }): Promise<void> {
  const { terminal } = new KeptTerminal();
  const { signal } = new AbortController();
  return runConsole({ ...options, port: 0 }, { terminal, page: () => new Map(), signal });
}

/** What each command that takes a kubeconfig asks first. */
const COMMANDS: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  'get, explain and query': async (place) => told(openLiveDoor(place), '/apis'),
  console: (place) => runUntilRefused(place),
  'console --wds-context': (place) => {
    server.answer = ({ line }, response) =>
      line.includes('status.starfold.dev')
        ? json(response, { kind: 'APIResourceList', resources: [] })
        : json(response, { message: 'no' }, 404);
    return runUntilRefused({ ...place, wdsContext: 'one' });
  },
  takeover: (place) =>
    runTakeover(
      { ...place, identity: 'me', state: 's' },
      {
        terminal: new KeptTerminal().terminal,
        question: { isPossible: false, ask: async () => false },
      },
    ),
  start: async ({ kubeconfig: file, context }) => {
    const none = { wecs: [], inventory: undefined, fleet: undefined };
    const { wds } = connectClusters(file, { wds: { name: 'wds1', context }, ...none });
    const ref = { group: '', version: 'v1', resource: 'configmaps', namespace: 'a', name: 'b' };
    return wds?.api.get(ref);
  },
};

/** The credentials that came since the last call. */
function credentials(): readonly unknown[] {
  const sent = server.requests.splice(0).map(({ headers }) => headers.authorization);
  return [...new Set(sent)];
}

describe.each(Object.entries(COMMANDS))('starfold %s', (_name, run) => {
  const ask = async (place: Place): Promise<readonly unknown[]> => {
    // The server lets nobody do anything.
    await run(place).catch(() => undefined);
    return credentials();
  };

  it('sends the token in the file that a user of --kubeconfig names, also after it is renewed', async () => {
    const place = { kubeconfig: kubeconfig(), context: 'one' };
    put('token', 'first\n');
    expect(await ask(place)).toEqual(['Bearer first']);
    put('token', 'the second\n');
    expect(await ask(place)).toEqual(['Bearer the second']);
  });

  it('sends the token in the file that a user of KUBECONFIG names', async () => {
    put('token', 'first\n');
    vi.stubEnv('KUBECONFIG', kubeconfig());
    expect(await ask({ context: 'one' })).toEqual(['Bearer first']);
  });
});
