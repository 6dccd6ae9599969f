import type { IncomingMessage } from 'node:http';
import { KubeConfig } from '@kubernetes/client-node';
import { connect } from '#shared/adapters/kubernetes/connection.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { type Upstream, type UpstreamRequest, withoutUserInfo } from './upstream.ts';

const REQUEST_TIMEOUT_MS = 30_000;

function targetOf({ path, query }: UpstreamRequest): string {
  const search = query.toString();
  return search === '' ? path : `${path}?${search}`;
}

function bodyOf({ body }: UpstreamRequest) {
  if (body === undefined) return {};
  return { body: { contentType: 'application/json', text: stringifyJson(body) } };
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value = '']) => [name, String(value)]);
  return Object.fromEntries(entries);
}

async function* piecesOf(answer: IncomingMessage): AsyncGenerator<string> {
  answer.setEncoding('utf8');
  for await (const piece of answer) yield String(piece);
}

/**
 * The server of a kubeconfig's current context, with the credentials of its user: certificates, tokens and exec plugins. Its errors
 * are those of the Kubernetes port.
 *
 * @param idleTimeoutMs how long a connection is kept that nothing uses; default: until the server closes it
 */
export function clusterUpstream(kubeConfig: KubeConfig, idleTimeoutMs?: number): Upstream {
  const connection = connect(kubeConfig, {
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  });
  return {
    name: withoutUserInfo(kubeConfig.getCurrentCluster()?.server ?? ''),
    ask: async (request) => {
      const { method, path, accept, signal } = request;
      const answer = await connection.answer({
        ...{ operation: `${method} ${path}`, method, path: targetOf(request), accept, signal },
        ...bodyOf(request),
      });
      return { code: answer.statusCode ?? 0, headers: headersOf(answer), body: piecesOf(answer) };
    },
  };
}

/** A connection belongs to one user, so it is not kept for others. */
const USER_IDLE_MS = 5_000;

/**
 * The server of a kubeconfig's current context, with the bearer token of a user instead of the credentials of the kubeconfig.
 *
 * @throws RangeError if the context has no cluster
 */
export function userUpstream(kubeConfig: KubeConfig, token: string): Upstream {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw new RangeError('the context has no cluster');
  const own = new KubeConfig();
  own.loadFromOptions({
    clusters: [cluster],
    users: [{ name: 'user', token }],
    contexts: [{ name: 'user', cluster: cluster.name, user: 'user' }],
    currentContext: 'user',
  });
  return clusterUpstream(own, USER_IDLE_MS);
}
