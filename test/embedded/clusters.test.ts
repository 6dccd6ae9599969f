import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { unreachableSince } from '#local/start/display-messages.ts';
import { CONNECTED } from '#local/start/messages.ts';
import { OBJECT_MISSING } from '#shared/core/status-api/messages.ts';
import { deadPort, writeKubeconfig } from './kubeconfig-file.ts';
import { BINDING, DEPLOYMENT, running } from './objects.ts';
import { workbench } from './start-process.ts';

const UNREACHABLE = unreachableSince(String.raw`\d\d:\d\d:\d\d`);

test('a WEC that is down is shown as such, the others go on, and it is taken in when it comes up', async () => {
  await using bench = workbench();
  const port = await deadPort();
  const clusters: SimulatedCluster[] = [
    await startSimulatedCluster({ name: 'wds' }),
    await startSimulatedCluster({ name: 'kind-edge1' }),
  ];
  const [wds, edge1] = clusters;
  wds?.apply(DEPLOYMENT);
  wds?.apply(BINDING);
  edge1?.apply(running(2));
  const file = writeKubeconfig(bench.file('kubeconfig.yaml'), {
    wds: wds?.url ?? '',
    'kind-edge1': edge1?.url ?? '',
    edge2: `http://127.0.0.1:${port}`,
  });
  // Of an earlier start with --api.
  writeFileSync(bench.file('api-kubeconfig'), '');
  const run = bench.start(
    ...['--state', bench.file('state.sqlite'), '--kubeconfig', file],
    ...['--wds', 'wds', '--wec', 'edge1=kind-edge1', '--wec', 'edge2'],
  );
  try {
    await run.line(/ edge2 forwarder: API server unavailable/);
    await run.line(new RegExp(` edge2 deployments.apps shop/web: ${UNREACHABLE}$`));
    await run.line(/ edge1 deployments.apps shop\/web: ready 2\/2/);
    await run.line(/ wds deployments.apps shop\/web: ready 0\/2.* Progressing/);
    clusters.push(await startSimulatedCluster({ name: 'edge2', port }));
    clusters.at(-1)?.apply(running(1));
    await run.line(` edge2 forwarder: ${CONNECTED}`);
    await run.line(/ wds deployments.apps shop\/web: ready 1\/2, .*available 1/);
    await run.line(/ edge2 deployments.apps shop\/web: ready 1\/2/);
    // Down again: the last word of a WEC that is silent stays until it speaks.
    await clusters.pop()?.close();
    await run.line(new RegExp(` edge2 deployments.apps shop/web: ready 1/2, .*; ${UNREACHABLE}$`));
    edge1?.apply(running(0));
    await run.line(/ wds deployments.apps shop\/web: ready 0\/2/, run.count());
    edge1?.delete(DEPLOYMENT);
    await run.line(new RegExp(` edge1 deployments.apps shop/web: ${OBJECT_MISSING}$`));
    run.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(existsSync(bench.file('api-kubeconfig'))).toBe(false);
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.close()));
  }
});

test('a context that is not there is named, with those that are', async () => {
  await using bench = workbench();
  const url = 'http://127.0.0.1:1';
  const file = writeKubeconfig(bench.file('kubeconfig.yaml'), { wds: url, edge1: url });
  const run = bench.start(
    ...['--state', bench.file('state.sqlite'), '--kubeconfig', file],
    ...['--wds', 'wds', '--wec', 'edge7'],
  );
  expect(await run.ended).toBe(1);
  expect(run.stderr()).toContain('there is no context edge7');
  expect(run.stderr()).toContain('wds, edge1');
});
