import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServeApi, type ServeApiHandler } from '#functions/serve-api/lambda.ts';
import { Statuses } from '#functions/serve-api/statuses.ts';
import { localContext } from '#local/stack/poller.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { NO_WATCH } from '#shared/api/list-messages.ts';
import { accessForbidden } from '#shared/api/messages.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { OBJECTS, SourceWorld, WECS } from '#test/property/status-source/source-world.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { httpEvent } from '#test/unit/serve-api/request.ts';
import { applyObjects } from './accounts.ts';
import { clusters, createNamespace, kubectl as kubectlOf } from './clusters.ts';

const namespace = 'shop';
const { wds, kubeconfigPath, kubectlPath } = clusters();

let folder: string;
let gateway: Server;
let token: string;

/** The event that API Gateway makes of a request: it decodes the path. */
function eventOf({ method, url = '/', headers }: IncomingMessage): APIGatewayProxyEventV2 {
  const [path = '', query = ''] = url.split('?');
  return {
    ...httpEvent(decodeURIComponent(path), method),
    rawQueryString: query,
    headers: Object.fromEntries(Object.entries(headers).map(([key, one]) => [key, String(one)])),
  };
}

/** Answers as API Gateway does: it decodes the body if the function says that it is encoded. */
function gatewayOf(handler: ServeApiHandler) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await handler(eventOf(request), localContext('serve-api', 'request'));
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      response.setHeader(name, String(value));
    response.writeHead(answer.statusCode ?? 500);
    response.end(Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8'));
  };
}

/** Runs kubectl against the function, with the token of a ServiceAccount of the WDS. */
async function kubectl(...args: readonly string[]): Promise<string> {
  const { port } = gateway.address() as AddressInfo;
  const options = [
    ...['--server', `https://127.0.0.1:${port}/wds/wds1`, '--insecure-skip-tls-verify'],
    ...['--kubeconfig', '/dev/null', '--token', token, '--cache-dir', join(folder, 'cache')],
  ];
  return (await promisify(execFile)(kubectlPath, [...options, ...args])).stdout;
}

/** A ServiceAccount that may list what WECs report about Deployments. */
async function tokenOf(name: string): Promise<string> {
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name, namespace };
  await createNamespace(wds, namespace);
  await applyObjects(wds, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'Role', metadata },
      rules: [
        {
          apiGroups: ['status.starfold.dev'],
          resources: ['wecstatuses'],
          verbs: ['get', 'list', 'watch'],
        },
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
      ],
    },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata },
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ]);
  return (await kubectlOf('wds', ['create', 'token', name, '-n', namespace])).trim();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-aws-'));
  const world = new SourceWorld();
  const [objects, wecs] = [OBJECTS, WECS].map((all) => all.map((_one, index) => index));
  await world.play([
    { type: 'bind', binding: 0, objects: objects ?? [], wecs: wecs ?? [] },
    { type: 'apply', object: 0, tier: 'gold' },
    { type: 'report', object: 0, wec: 1, ready: 3 },
  ]);
  const api = createKubernetesApi(loadKubeConfig(kubeconfigPath, 'wds'), {
    fieldManager: 'starfold',
    requestTimeoutMs: 10_000,
  });
  const { store } = world.journaled;
  const { observability } = createObservedOutput();
  const deps = { store, wdses: new Set(['wds1']), wds: () => api, clock: Date.now };
  const handler = createServeApi(
    { store },
    observability,
    async (onError) => new Statuses({ ...deps, onError }),
  );
  const { cert, key } = selfSigned();
  const answer = gatewayOf(handler);
  gateway = createServer({ cert, key }, (request, response) => void answer(request, response));
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  token = await tokenOf('reader-on-aws');
});

afterAll(() => {
  gateway?.closeAllConnections();
  gateway?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('kubectl, by API Gateway and serve-api', () => {
  it('lists, from page to page', async () => {
    const lines = (await kubectl('get', 'wecst', '-n', namespace, '--chunk-size', '4')).split('\n');
    expect(lines[0]).toMatch(/^OBJECT +WEC +READY +HEALTH +STATE +AGE/);
    // The Deployments of the namespace, in each WEC; and an empty line.
    expect(lines).toHaveLength(1 + 35 + 1);
    expect(lines.find((line) => line.includes('deployments.apps/web  '))).toBeDefined();
  });

  it('gets and describes one, and explains the kind', async () => {
    const name = 'deployments.apps:web:edge';
    const one = JSON.parse(await kubectl('get', 'wecst', '-n', namespace, name, '-o', 'json'));
    expect(one.status.readyReplicas).toBe(3);
    expect(await kubectl('describe', 'wecst', '-n', namespace, name)).toContain('Ready Replicas:');
    expect(await kubectl('explain', 'wecstatuses')).toContain('GROUP:      status.starfold.dev');
  });

  it('is told what its user may not do in the WDS', async () => {
    const user = `system:serviceaccount:${namespace}:reader-on-aws`;
    const access = { verb: 'list', group: 'status.starfold.dev', resource: 'wecs' };
    await expect(kubectl('get', 'wecs')).rejects.toThrow(
      accessForbidden(user, { ...access, namespace: '', name: '' }, ''),
    );
    token = 'wrong';
    await expect(kubectl('get', 'wecst', '-n', namespace)).rejects.toThrow('Unauthorized');
    token = await tokenOf('reader-on-aws');
  });

  it('is told that it cannot watch here', async () => {
    await expect(kubectl('get', 'wecst', '-n', namespace, '-w')).rejects.toThrow(NO_WATCH);
  });
});
