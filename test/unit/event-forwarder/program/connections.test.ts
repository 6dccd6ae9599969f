import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ForwarderConfig, parseConfig } from '#functions/event-forwarder/program/config.ts';
import { createConnections } from '#functions/event-forwarder/program/connections.ts';
import { ProxyEnvironmentError } from '#functions/event-forwarder/program/proxy-environment.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { startHttpProxy } from '#test/fakes/http-proxy.ts';
import { startReceiver } from '#test/fakes/http-receiver.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { type SqsServer, startSqsServer } from '#test/fakes/sqs-server/server.ts';

const KUBECONFIG = {
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'c',
};

const SILENT = { info: () => undefined, warn: () => undefined };

let folder: string;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-connections-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function queueOf(queue: ForwarderConfig['queue'], environment: NodeJS.ProcessEnv) {
  const kubeconfig = file('kubeconfig', JSON.stringify(KUBECONFIG));
  const source = { type: 'wds', name: 'wds1' };
  const reading = parseConfig(
    'f.yaml',
    JSON.stringify({ source, queue, kubernetes: { kubeconfig } }),
  );
  if (!reading.ok) throw new Error(reading.faults.join('\n'));
  return createConnections(reading.config, { environment, log: SILENT }).queue;
}

const MESSAGES = [{ body: 'an event' }];

describe('events to SQS', () => {
  let server: SqsServer;

  beforeEach(async () => {
    server = await startSqsServer();
    const client = createSqsClient(server.config());
    await client.send(new CreateQueueCommand({ QueueName: 'events' }));
    client.destroy();
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  });

  afterEach(() => server.close());

  function sqs(host: string): ForwarderConfig['queue'] {
    return { sqs: { url: `${host}/000000000000/events`, region: 'eu-central-1' } };
  }

  async function received(): Promise<unknown> {
    return (await server.counts('events')).visible;
  }

  it("go to the host of the queue's URL, such as a VPC endpoint", async () => {
    await queueOf(sqs(server.url), {}).send(MESSAGES);
    expect(await received()).toBe(1);
  });

  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_SQS'])(
    'go to the endpoint that %s names, whatever the URL says',
    async (variable) => {
      vi.stubEnv(variable, server.url);
      await queueOf(sqs('http://elsewhere.invalid'), { [variable]: server.url }).send(MESSAGES);
      expect(await received()).toBe(1);
    },
  );

  it('go through the proxy of the environment', async () => {
    await using proxy = await startHttpProxy(Number(new URL(server.url).port));
    const { host } = new URL(proxy.url);
    const environment = { HTTP_PROXY: `http://user:pass@${host}` };
    await queueOf(sqs('http://sqs.invalid'), environment).send(MESSAGES);
    expect(await received()).toBe(1);
    // The messages, and the tag of the queue.
    const request = expect.stringMatching(/^POST http:\/\/sqs\.invalid\//);
    expect(proxy.asked).toEqual([request, request]);
    expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${btoa('user:pass')}`]));
  });
});

describe('events by HTTP', () => {
  it.each(['http://', ''])('go through a proxy that is named as %shost:port', async (scheme) => {
    await using receiver = await startReceiver();
    await using proxy = await startHttpProxy(Number(new URL(receiver.url).port));
    const environment = { http_proxy: `${scheme}${new URL(proxy.url).host}` };
    const http = { url: 'http://starfold.invalid:8080', tokenFile: file('token', 't'.repeat(32)) };
    await queueOf({ http }, environment).send(MESSAGES);
    expect(receiver.bodies()).toEqual(['an event']);
    expect(proxy.asked).toEqual(['POST http://starfold.invalid:8080/v1/events']);
  });

  it('go past the proxy to a host of NO_PROXY', async () => {
    await using receiver = await startReceiver();
    await using proxy = await startHttpProxy(1);
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
    const http = { url: receiver.url, tokenFile: file('token', 't'.repeat(32)) };
    await queueOf({ http }, environment).send(MESSAGES);
    expect(receiver.bodies()).toEqual(['an event']);
    expect(proxy.asked).toEqual([]);
  });

  it('with TLS go through a tunnel of the proxy, and the authorities of caFile count', async () => {
    const own = selfSigned();
    const receiver = createServer(own, (_request, response) => response.writeHead(202).end());
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo; // It listens on a port, not on a path.
    await using proxy = await startHttpProxy(port);
    const tokenFile = file('token', 't'.repeat(32));
    const http = { url: `https://localhost:${port}`, tokenFile };
    const environment = { HTTPS_PROXY: proxy.url };
    const trusting = { ...http, caFile: file('ca.crt', own.cert) };
    await queueOf({ http: trusting }, environment).send(MESSAGES);
    await expect(queueOf({ http }, environment).send(MESSAGES)).rejects.toThrow(
      /SELF_SIGNED|caFile/,
    );
    receiver.close();
    receiver.closeAllConnections();
    expect(proxy.asked).toEqual(Array(2).fill(`CONNECT localhost:${port}`));
  });
});

it.each(['socks5://user:hunter2@proxy:1080', 'http://user:hunter2@proxy:99999'])(
  'a proxy that cannot be used is rejected, and its password not repeated',
  (HTTPS_PROXY) => {
    const http = { url: 'https://host:8443', tokenFile: file('token', 't'.repeat(32)) };
    const create = () => queueOf({ http }, { HTTPS_PROXY });
    expect(create).toThrow(ProxyEnvironmentError);
    expect(create).toThrow(/HTTPS_PROXY is not a usable proxy: write it as http:\/\//);
    expect(create).not.toThrow(/hunter2/);
  },
);
