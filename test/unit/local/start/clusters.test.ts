import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectClusters } from '#local/start/clusters.ts';
import { type HttpApiServer, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const WEB = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'web' };
let folder: string;
let server: HttpApiServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-clusters-'));
  server = await startHttpApiServer();
});
afterEach(async () => {
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

describe('the clusters of a kubeconfig', () => {
  it('are asked with the token in the file that the kubeconfig names, also after it is renewed', async () => {
    put('token', 'first');
    const cluster = { server: server.url, 'insecure-skip-tls-verify': true };
    const kubeconfig = JSON.stringify({
      clusters: [{ name: 'one', cluster }],
      users: [{ name: 'one', user: { tokenFile: 'token' } }],
      contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
    });
    const one = { name: 'wds1', context: 'one' };
    const none = { wecs: [], inventory: undefined, fleet: undefined };
    const { wds } = connectClusters(put('config', kubeconfig), { wds: one, ...none });
    await wds?.api.get(WEB);
    put('token', 'the second');
    await wds?.api.get(WEB);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first',
      'Bearer the second',
    ]);
  });
});
