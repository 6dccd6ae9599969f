import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { ROLLOUT_DONE } from '#local/start/demo-messages.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { isObject } from '#shared/core/json.ts';
import { resourceVersionOf } from '#shared/core/metadata.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { workbench } from './start-process.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const PATIENCE_MS = 30_000;
const DEPLOYMENT = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'rollout',
  name: 'web',
};

interface Event {
  readonly id: string;
  readonly sequence: string;
  readonly subject: string;
  readonly data: { readonly status: string; readonly previous: string };
}

/** A webhook that keeps the events that it gets. */
async function startReceiver() {
  const events: Event[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    events.push(new Webhook(SECRET).verify(Buffer.concat(chunks).toString(), headers) as Event);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    events,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The API server of a WEC of the demo. */
function wecOf(kubeconfig: string): ObjectApi {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(readFileSync(kubeconfig, 'utf8'));
  return createKubernetesApi(kubeConfig, {
    context: 'wec1',
    requestTimeoutMs: 60_000,
    fieldManager: 'somebody',
  });
}

/** A controller of the WEC changes how many replicas are available. */
async function setAvailable(api: ObjectApi, availableReplicas: number): Promise<void> {
  const object = await api.get(DEPLOYMENT);
  if (object === undefined) throw new Error('the WEC has no Deployment web');
  const { status } = object;
  if (!isObject(status)) throw new Error('its Deployment has no status');
  await api.replaceStatus(DEPLOYMENT, {
    resourceVersion: resourceVersionOf(object),
    status: { ...status, availableReplicas },
  });
}

async function until(condition: () => boolean): Promise<void> {
  const tooLate = AbortSignal.timeout(PATIENCE_MS);
  while (!condition()) {
    if (tooLate.aborted) throw new Error('it did not come true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a webhook gets the changes of a verdict', async () => {
  await using bench = workbench();
  await using receiver = await startReceiver();
  const file = bench.file('notifications.yaml');
  writeFileSync(
    file,
    `
webhooks:
  - { name: chat, url: "${receiver.url}", secret: ${SECRET} }
rules:
  - name: verdicts
    events: [dev.starfold.verdict.changed.v1]
    condition: event.data.workload.name == 'web'
    send: [chat]
`,
  );
  const run = bench.start(
    ...['--state', bench.file('state.sqlite'), '--speed', '200', '--notifications', file],
  );
  await run.line(`demo: ${ROLLOUT_DONE}`);
  await run.line(/wds1 deployments.*available 5, seen 3\/3, Healthy/);
  const wec = wecOf(bench.file('kubeconfig'));
  const last = (): string | undefined => receiver.events.at(-1)?.data.status;
  await setAvailable(wec, 1);
  await until(() => last() === 'Progressing');
  await setAvailable(wec, 5);
  await until(() => last() === 'Healthy');
  for (const { data } of receiver.events) expect(data.status).not.toBe(data.previous);
  expect(new Set(receiver.events.map(({ subject }) => subject))).toEqual(
    new Set(['apps/deployments/rollout/web']),
  );
  const sequences = receiver.events.map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.toSorted());
  run.kill('SIGINT');
  expect(await run.ended).toBe(0);
});

test('a file with faults ends the command with the rule and the field', async () => {
  await using bench = workbench();
  const file = bench.file('notifications.yaml');
  writeFileSync(
    file,
    '{webhooks: [], rules: [{name: bad, events: [dev.starfold.verdict.changed.v1], send: [chat]}]}',
  );
  const run = bench.start('--state', bench.file('state.sqlite'), '--notifications', file);
  expect(await run.ended).toBe(1);
  expect(run.stderr()).toBe(
    `starfold: notifications ${file}: line 1: rule bad, send: there is no webhook chat\n`,
  );
});
