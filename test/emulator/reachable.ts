import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { loadKubeConfigText } from '#shared/adapters/kubernetes/kube-config-text.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { Cluster } from '#test/lifecycle/clusters.ts';
import type { Emulator } from './emulator.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const REQUEST_TIMEOUT_MS = 5_000;

/** What the settings have to allow for such a cluster: it is on the emulator's machine, and has no TLS. */
export const ALLOWED = { plainHttp: true, loopback: true, linkLocal: true } as const;

/** A simulated cluster that the functions reach, with a token, and that can be down. */
export interface Reachable extends AsyncDisposable {
  readonly name: string;
  /** Its users' own way to it: always up. */
  readonly cluster: Cluster;
  /** The way of its forwarder, which is the functions' way. */
  readonly api: ObjectApi & ResourceApi;
  /** A kubeconfig for the functions, with the present token. */
  kubeconfig(): string;
  /** From now on another token counts. */
  rotateToken(): void;
  /** Breaks every connection and refuses new ones. */
  down(): Promise<void>;
  /** Answers again, at the same address. */
  up(): Promise<void>;
}

function kubeconfigText(name: string, server: string, token: string): string {
  const cluster = { server, 'insecure-skip-tls-verify': true };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

function refuse(answer: ServerResponse): void {
  answer.writeHead(401, { 'content-type': 'application/json' });
  answer.end(JSON.stringify({ kind: 'Status', code: 401, message: 'Unauthorized' }));
}

/** A simulated cluster has no access reviews, since everybody may do everything in it. */
async function allow(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const review: unknown = JSON.parse(await text(incoming));
  answer.writeHead(201, { 'content-type': 'application/json' });
  answer.end(JSON.stringify({ ...Object(review), status: { allowed: true } }));
}

/** Hands a request on under the name that a simulated cluster answers to. */
function forward(target: URL, incoming: IncomingMessage, answer: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = incoming;
  const options = { method, headers: { ...headers, host: target.host } };
  const outgoing = request(new URL(url, target), options, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    // Otherwise the client of a watch waits for its answer until something changes.
    answer.flushHeaders();
    response.pipe(answer);
  });
  outgoing.on('error', () => answer.destroy());
  answer.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** Starts an empty cluster. */
export async function startReachable(name: string, { host }: Emulator): Promise<Reachable> {
  const cluster = await Cluster.start(name);
  const target = new URL(cluster.simulated.url);
  let tokens = 1;
  const token = (): string => `token-${tokens}-of-${name}`;
  const server = createServer((incoming, answer) => {
    if (incoming.headers.authorization !== `Bearer ${token()}`) refuse(answer);
    else if (incoming.url?.startsWith(REVIEWS)) void allow(incoming, answer);
    else forward(target, incoming, answer);
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, host.listen);
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  };
  const port = await listen(0);
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const connect = (): ObjectApi & ResourceApi =>
    createKubernetesApi(
      loadKubeConfigText(
        kubeconfigText(name, `http://${host.listen}:${port}`, token()),
        name,
        ALLOWED,
      ),
      { fieldManager: 'forwarder', requestTimeoutMs: REQUEST_TIMEOUT_MS },
    );
  return {
    name,
    cluster,
    api: connect(),
    kubeconfig: () => kubeconfigText(name, `http://${host.name}:${port}`, token()),
    rotateToken: () => {
      tokens += 1;
    },
    down: close,
    up: async () => {
      await listen(port);
    },
    [Symbol.asyncDispose]: async () => {
      await close();
      await cluster.close();
    },
  };
}
