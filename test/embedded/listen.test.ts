import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { notRegistered } from '#functions/record-events/messages.ts';
import {
  cannotListen,
  fileFault,
  formerTokens,
  notPem,
  TOKEN_FAULTS,
  tokensFileFault,
} from '#local/intake/messages.ts';
import { startSimulatedCluster } from '#local/simulated-cluster/simulated-cluster.ts';
import { NOT_READ_HERE } from '#local/start/display-messages.ts';
import {
  CERTIFICATE_IN_USE,
  deadLetters,
  eventsRejected,
  lettersNotKept,
  TOKENS_IN_USE,
  takesEvents,
  unencrypted,
} from '#local/start/messages.ts';
import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import type { EventContent } from '#shared/core/event.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { tokenOf, writeTokens } from '#test/fakes/token-file.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import { BINDING, DEPLOYMENT, statusWith, WEB } from './objects.ts';
import { type StartProcess, type Workbench, workbench } from './start-process.ts';

let sequence = 0;

/** A message in which WECs say that so many replicas of the Deployment are available. */
function said(available: Readonly<Record<string, number>>): { readonly body: string } {
  const events = Object.entries(available).map(([name, count]) => {
    sequence += 1;
    const status = statusWith(count);
    const returned = { uid: `web-${name}`, generation: 1, spec: { replicas: 2 }, status };
    const content: EventContent = {
      ...{ type: 'wec-object', wds: 'wds', first: true, returned },
      subject: WEB,
    };
    return encodeEvent({
      source: { type: 'wec', name },
      version: { epoch: 1, sequence },
      time: new Date().toISOString(),
      content,
    });
  });
  return { body: encodeBatch(events) };
}

/** Sends as a source whose token is in the file of that name. */
function senderOf(
  bench: Workbench,
  source: string,
  place: { readonly url: string; readonly caFile?: string },
) {
  const tokenFile = bench.file(`token-${source.replaceAll(/\W/g, '-')}`);
  writeFileSync(tokenFile, tokenOf(source));
  return createHttpEventQueue({ ...place, tokenFile });
}

async function urlOf(run: StartProcess): Promise<string> {
  return (await run.line(` listen: ${takesEvents('')}`)).split(' ').at(-1) ?? '';
}

test('WECs that speak by HTTP are seen in the WDS, what they say of others is shown as refused, and a restart loses nothing', async () => {
  await using bench = workbench();
  const wds = await startSimulatedCluster({ name: 'wds' });
  wds.apply(DEPLOYMENT);
  wds.apply(BINDING);
  const kubeconfig = writeKubeconfig(bench.file('kubeconfig.yaml'), { wds: wds.url });
  const tokens = writeTokens(bench.file('tokens.yaml'), ['wec/edge1', 'wec/edge2', 'wec/*']);
  const start = (listen: string): StartProcess =>
    bench.start(
      ...['--state', bench.file('state.sqlite'), '--kubeconfig', kubeconfig],
      ...['--wds', 'wds', '--listen', listen, '--tokens', tokens],
    );
  try {
    const run = start('0');
    const url = await urlOf(run);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await senderOf(bench, 'wec/edge1', { url }).send([said({ edge1: 2 })]);
    await senderOf(bench, 'wec/edge2', { url }).send([said({ edge2: 1 })]);
    await run.line(/ wds deployments.apps shop\/web: ready 1\/2, .*available 1/);
    await run.line(` edge1 deployments.apps shop/web: ${NOT_READ_HERE}`);
    await senderOf(bench, 'wec/edge1', { url }).send([said({ edge2: 0 }), said({ edge1: 1 })]);
    await run.line(eventsRejected(notRegistered('the token of wec/edge1', 'wec/edge2')));
    await run.line(` events-dlq: ${deadLetters(1)}`);
    writeFileSync(tokens, 'wec/edge1: short\n');
    const before = run.count();
    await senderOf(bench, 'wec/*', { url }).send([said({ edge1: 0, edge2: 0 })]);
    const fault = tokensFileFault(`${tokens}:1: wec/edge1`, TOKEN_FAULTS.badToken);
    await run.line(` tokens: ${formerTokens(fault)}`);
    await run.line(/ wds deployments.apps shop\/web: ready 0\/2, /, before);
    writeTokens(tokens, ['wec/edge1', 'wec/*']);
    await expect(senderOf(bench, 'wec/edge2', { url }).send([said({ edge2: 2 })])).rejects.toThrow(
      /401 .*starfold start --tokens/,
    );
    await run.line(` tokens: ${TOKENS_IN_USE}`);
    await senderOf(bench, 'wec/*', { url }).send([said({ edge1: 2, edge2: 2 })]);
    // At once: what was answered with 202 is not in the memory of the process.
    run.kill('SIGKILL');
    await run.ended;
    const again = start(new URL(url).port);
    await again.line(/ wds deployments.apps shop\/web: ready 2\/2, .*available 2/);
    again.kill('SIGTERM');
    expect(await again.ended).toBe(0);
  } finally {
    await wds.close();
  }
});

test('of the dead letters of a token the first hundred are kept, and the number of the others is shown', async () => {
  await using bench = workbench();
  const wds = await startSimulatedCluster({ name: 'wds' });
  const kubeconfig = writeKubeconfig(bench.file('kubeconfig.yaml'), { wds: wds.url });
  const tokens = writeTokens(bench.file('tokens.yaml'), ['wec/edge1', 'wec/edge2']);
  const run = bench.start(
    ...['--state', bench.file('state.sqlite'), '--kubeconfig', kubeconfig, '--wds', 'wds'],
    ...['--listen', '0', '--tokens', tokens],
  );
  try {
    const url = await urlOf(run);
    const unreadable = Array.from({ length: 112 }, () => ({ body: '[' }));
    await senderOf(bench, 'wec/edge1', { url }).send(unreadable);
    await senderOf(bench, 'wec/edge2', { url }).send([{ body: '[' }]);
    await run.line(` events-dlq wec/edge1: ${lettersNotKept(12)}`);
    await run.line(` events-dlq: ${deadLetters(101)}`);
  } finally {
    await wds.close();
  }
});

test('events come over TLS where a certificate is given, and without one a warning says what it means to listen elsewhere', async () => {
  await using bench = workbench();
  const wds = await startSimulatedCluster({ name: 'wds' });
  const kubeconfig = writeKubeconfig(bench.file('kubeconfig.yaml'), { wds: wds.url });
  const { cert, key } = selfSigned();
  writeFileSync(bench.file('tls.crt'), cert);
  writeFileSync(bench.file('tls.key'), key);
  const tokens = writeTokens(bench.file('tokens.yaml'), ['wec/edge1']);
  const start = (state: string, ...args: readonly string[]): StartProcess =>
    bench.start(
      ...['--state', bench.file(state), '--kubeconfig', kubeconfig],
      ...['--wds', 'wds', '--tokens', tokens, ...args],
    );
  const pair = ['--tls-cert', bench.file('tls.crt'), '--tls-key', bench.file('tls.key')];
  try {
    const run = start('one/state.sqlite', '--listen', '127.0.0.1:0', ...pair);
    const url = await urlOf(run);
    expect(url).toMatch(/^https:/);
    const place = { url, caFile: bench.file('tls.crt') };
    await senderOf(bench, 'wec/edge1', place).send([said({ edge1: 2 })]);
    writeFileSync(bench.file('tls.key'), 'nonsense');
    // OpenSSL's reason depends on its version.
    const [fault] = fileFault('--tls-key', bench.file('tls.key'), notPem('REASON')).split('REASON');
    await run.line(` certificate: ${fault}`);
    writeFileSync(bench.file('tls.key'), key);
    await run.line(` certificate: ${CERTIFICATE_IN_USE}`);
    const plain = start('two/state.sqlite', '--listen', '0.0.0.0:0');
    await plain.line(` listen warning: ${unencrypted(await urlOf(plain))}`);
    const address = { host: '127.0.0.1', port: Number(new URL(url).port) };
    const taken = start('three/state.sqlite', '--listen', String(address.port));
    expect(await taken.ended).toBe(1);
    expect(taken.stderr()).toBe(
      `starfold: ${cannotListen(address, '--listen', { code: 'EADDRINUSE' })}\n`,
    );
    writeFileSync(tokens, '');
    const bad = start('four/state.sqlite', '--listen', '0');
    expect(await bad.ended).toBe(1);
    expect(bad.stderr()).toBe(`starfold: ${tokensFileFault(tokens, TOKEN_FAULTS.noSource)}\n`);
    expect(bad.stdout()).toBe('');
  } finally {
    await wds.close();
  }
});

test('the WECs of the tokens file count for the policies where there is no inventory', async () => {
  await using bench = workbench();
  const wds = await startSimulatedCluster({ name: 'wds' });
  wds.apply(DEPLOYMENT);
  wds.apply({
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: 'web', uid: 'policy-1', generation: 1 },
    spec: {
      clusterSelectors: [{ matchLabels: {} }],
      downsync: [{ apiGroup: 'apps', resources: ['deployments'], wantMultiWECReportedState: true }],
    },
  });
  const kubeconfig = writeKubeconfig(bench.file('kubeconfig.yaml'), { wds: wds.url });
  const tokens = writeTokens(bench.file('tokens.yaml'), ['wec/edge1', 'wec/edge2', 'wec/*']);
  const run = bench.start(
    ...['--state', bench.file('state.sqlite'), '--kubeconfig', kubeconfig, '--wds', 'wds'],
    ...['--listen', '0', '--tokens', tokens, '--resolve-bindings'],
  );
  try {
    const url = await urlOf(run);
    await run.line(` edge2 deployments.apps shop/web: ${NOT_READ_HERE}`);
    await senderOf(bench, 'wec/*', { url }).send([said({ edge1: 2, edge2: 1 })]);
    await run.line(/ wds deployments.apps shop\/web: ready 1\/2, .*available 1/);
  } finally {
    await wds.close();
  }
});
