import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { workbench } from './start-process.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const PATIENCE_MS = 30_000;

interface Event {
  readonly id: string;
  readonly sequence: string;
  readonly subject: string;
  readonly data: { readonly status: string; readonly previous: string };
}

/** A webhook that fails now and then, and keeps the events that it accepts. */
async function startReceiver(url: (port: number) => void) {
  const events: Event[] = [];
  let requests = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests += 1;
    if (requests === 1) return void response.writeHead(503).end();
    const headers = request.headers as Record<string, string>;
    events.push(new Webhook(SECRET).verify(Buffer.concat(chunks).toString(), headers) as Event);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url((server.address() as AddressInfo).port);
  return {
    events,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  const tooLate = AbortSignal.timeout(PATIENCE_MS);
  while (!condition()) {
    if (tooLate.aborted) throw new Error('it did not come true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a webhook gets the verdicts on the rollout in order, although it fails at first', async () => {
  await using bench = workbench();
  const file = bench.file('notifications.yaml');
  await using receiver = await startReceiver((port) =>
    writeFileSync(
      file,
      `
webhooks:
  - { name: chat, url: "http://127.0.0.1:${port}/", secret: ${SECRET} }
rules:
  - name: verdicts
    events: [dev.starfold.verdict.changed.v1]
    condition: event.data.workload.name == 'web'
    send: [chat]
`,
    ),
  );
  const run = bench.start(
    ...['--state', bench.file('state.sqlite'), '--speed', '60', '--notifications', file],
  );
  await run.line(/demo: the rollout is done/);
  await until(() => receiver.events.at(-1)?.data.status === 'Healthy');
  expect(receiver.requests()).toBeGreaterThan(receiver.events.length);
  const sequences = receiver.events.map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.toSorted());
  for (const { subject, data } of receiver.events) {
    expect(subject).toBe('apps/deployments/rollout/web');
    expect(data.status).not.toBe(data.previous);
  }
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
    `starfold: notifications ${file}: rule bad, send: there is no webhook chat\n`,
  );
});
