import { ListQueuesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { type SqsServer, startSqsServer } from '#test/fakes/sqs-server/server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqsServer();
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => server.close());

it('takes region, credentials and endpoint from the environment, whatever host a queue URL names', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL', server.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  const client = createSqsClient();
  const QueueUrl = 'http://elsewhere.invalid:4566/000000000000/events';
  server.fault = () => ({ type: 'answer', body: {} });
  await client.send(new ReceiveMessageCommand({ QueueUrl }));
  expect(server.calls.at(-1)).toMatchObject({
    senderId: 'AKIDEXAMPLE',
    input: { QueueUrl },
  });
  client.destroy();
});

it('waits longer for an answer than the longest poll, and fails then', async () => {
  const { requestHandler: _patient, ...config } = server.config();
  const client = createSqsClient(config);
  server.fault = () => undefined;
  await client.send(new ListQueuesCommand({}));
  // The SDK's default handler.
  const { connectionTimeout, requestTimeout, throwOnRequestTimeout } = (
    client.config.requestHandler as NodeHttpHandler
  ).httpHandlerConfigs();
  expect(connectionTimeout).toBe(1_000);
  expect(requestTimeout).toBeGreaterThan(20_000);
  expect(throwOnRequestTimeout).toBe(true);
  expect(await client.config.maxAttempts()).toBe(5);
  client.destroy();
});
