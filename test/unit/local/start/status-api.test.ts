import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { PageNotBuiltError, pageFilesOf } from '#local/console/page-files.ts';
import type { StackCluster } from '#local/stack/stack-options.ts';
import { serveStatusApi } from '#local/start/status-api.ts';
import { OPEN_WDS } from '#shared/api/open-wds.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';

/** It is not asked for anything here. */
const WDS = new KubeConfig();
WDS.loadFromClusterAndUser(
  { name: 'wds1', server: 'http://127.0.0.1:9', skipTLSVerify: false },
  { name: 'anybody' },
);
const PLAN = { host: '127.0.0.1', port: 0 };

/** The server of the demo, and what the user is told. */
async function served(readPage: Parameters<typeof serveStatusApi>[1]['readPage']) {
  const said: string[] = [];
  const server = await serveStatusApi(PLAN, {
    source: new FakeStatusSource(),
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
    throw new PageNotBuiltError('the page is not built: npm run build:console builds it');
  });
  try {
    expect(said).toEqual([
      'page is not served: the page is not built: npm run build:console builds it',
    ]);
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

test('another fault of the page is not hidden', async () => {
  await expect(
    served(() => {
      throw new Error('a bug');
    }),
  ).rejects.toThrow('a bug');
});
