import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stringify } from 'yaml';

/** A port on which nobody listens. */
export async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Writes a kubeconfig with a context for each of some API servers, by name, and returns its path. */
export function writeKubeconfig(file: string, urls: Readonly<Record<string, string>>): string {
  const names = Object.keys(urls);
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: names.map((name) => ({
      name,
      cluster: { server: urls[name], 'insecure-skip-tls-verify': true },
    })),
    users: names.map((name) => ({ name, user: {} })),
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
  });
  writeFileSync(file, text);
  return file;
}
