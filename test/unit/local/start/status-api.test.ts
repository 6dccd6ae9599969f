import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { notBuilt } from '#local/console/messages.ts';
import { PageNotBuiltError, pageFilesOf } from '#local/console/page-files.ts';
import { cannotListen } from '#local/intake/messages.ts';
import type { StackCluster } from '#local/stack/stack-options.ts';
import { pageNotServed } from '#local/start/messages.ts';
import { type serveStatusApi, serveStatusApiAgain } from '#local/start/status-api.ts';
import { OPEN_WDS } from '#shared/api/open-wds.ts';
import { createQueryRunner } from '#shared/api/run-query.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';

/** It is not asked for anything here. */
const WDS = new KubeConfig();
WDS.loadFromClusterAndUser(
  { name: 'wds1', server: 'http://127.0.0.1:9', skipTLSVerify: false },
  { name: 'anybody' },
);
const PLAN = { host: '127.0.0.1', port: 0 };

/** The server of the demo, and what the user is told. */
async function served(
  readPage: Parameters<typeof serveStatusApi>[1]['readPage'],
  { plan = PLAN, former = 0 } = {},
) {
  const said: string[] = [];
  const source = new FakeStatusSource();
  const server = await serveStatusApiAgain(plan, former, {
    ...{ source, queries: createQueryRunner(source) },
    // Nobody is asked who the users of the demo are, so only `create` is there.
    wds: { name: 'wds1', api: OPEN_WDS as unknown as StackCluster['api'] },
    wdsConfig: WDS,
    monitor: { problem: () => false, message: () => undefined },
    output: { say: (subject, text) => void said.push(`${subject} ${text}`) },
    ...(readPage === undefined ? {} : { readPage }),
  });
  return { server, said };
}

test('the demo goes on without a page that is not built, and says so', async () => {
  const { server, said } = await served(() => {
    throw new PageNotBuiltError(notBuilt('the folder'));
  });
  try {
    expect(said).toEqual([`page ${pageNotServed(notBuilt('the folder'))}`]);
    expect(server.hasPage).toBe(false);
    expect((await fetch(`${server.url}/`)).status).not.toBe(200);
    expect((await fetch(`${server.url}/apis/status.starfold.dev/v1alpha1`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test('the demo serves its page beside the API', async () => {
  const { server, said } = await served(() =>
    pageFilesOf([{ name: 'index.html', content: Buffer.from('<meta name="wds" content="">') }]),
  );
  try {
    expect({ said, hasPage: server.hasPage }).toEqual({ said: [], hasPage: true });
    expect(await (await fetch(`${server.url}/`)).text()).toBe('<meta name="wds" content="wds1">');
  } finally {
    await server.stop();
  }
});

const noPage = () => pageFilesOf([]);

function portOf({ url }: { readonly url: string }): number {
  return Number(new URL(url).port);
}

test('the demo is served at the port of the last time, unless another program has it now', async () => {
  const { server: first } = await served(noPage);
  const former = portOf(first);
  const { server: other } = await served(noPage, { former });
  expect(portOf(other)).not.toBe(former);
  await first.stop();
  const { server: again } = await served(noPage, { former });
  expect(portOf(again)).toBe(former);
  await Promise.all([other.stop(), again.stop()]);
});

test('a port that was asked for is not replaced by that of the last time, nor by any other', async () => {
  const { server: first } = await served(noPage);
  const plan = { ...PLAN, port: portOf(first) };
  await expect(served(noPage, { plan, former: 1 })).rejects.toThrow(
    cannotListen(plan, '--api', { code: 'EADDRINUSE' }),
  );
  await first.stop();
});

test('another fault of the page is not hidden', async () => {
  await expect(
    served(() => {
      throw new Error('a bug');
    }),
  ).rejects.toThrow('a bug');
});
