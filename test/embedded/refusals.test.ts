import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ONE_FLEET } from '#local/cli/start/messages.ts';
import { startSimulatedCluster } from '#local/simulated-cluster/simulated-cluster.ts';
import { NO_ERRORS } from '#local/start/messages.ts';
import { ownWec } from '#local/start/option-messages.ts';
import { FILE_REASONS, unusableFolder } from '#local/start/state-messages.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import { BINDING, DEPLOYMENT, running, WEB } from './objects.ts';
import { workbench } from './start-process.ts';

test('a port that is in use is named, with a way out', async () => {
  await using bench = workbench();
  const other = await startSimulatedCluster({ name: 'other' });
  const port = new URL(other.url).port;
  const run = bench.start('--state', bench.file('state.sqlite'), '--port', port);
  expect(await run.ended).toBe(1);
  expect(run.stderr()).toMatch(new RegExp(`port ${port} .* in use; .*choose another port`));
  await other.close();
});

test('a state file that is no database is named, with a way out, and left as it is', async () => {
  await using bench = workbench();
  const state = bench.file('state.sqlite');
  writeFileSync(state, 'a letter to my aunt, long enough to be taken for a header. '.repeat(20));
  const run = bench.start('--state', state);
  expect(await run.ended).toBe(1);
  expect(run.stderr()).toContain(state);
  expect(run.stderr()).toContain('name another file');
  expect(run.stdout()).toBe('');
});

test('a state file in the place of a folder is refused', async () => {
  await using bench = workbench();
  writeFileSync(bench.file('taken'), '');
  const run = bench.start('--state', bench.file('taken/state.sqlite'));
  expect(await run.ended).toBe(1);
  expect(run.stderr()).toContain(
    unusableFolder(bench.file('taken'), FILE_REASONS.get('EEXIST') ?? ''),
  );
});

test('a second --fleet is wrong usage: none of the two is left out without a word', async () => {
  await using bench = workbench();
  const state = bench.file('state.sqlite');
  const run = bench.start('--state', state, '--fleet', 'a', '--fleet', 'b');
  expect(await run.ended).toBe(2);
  expect(run.stderr()).toContain(ONE_FLEET);
});

test('one context as WDS and as WEC is wrong usage', async () => {
  await using bench = workbench();
  const run = bench.start('--state', bench.file('state.sqlite'), '--wds', 'a', '--wec', 'a');
  expect(await run.ended).toBe(2);
  expect(run.stderr()).toContain(ownWec('a'));
});

test('a Binding with an error is named with its error, until it is mended', async () => {
  await using bench = workbench();
  const wds = await startSimulatedCluster({ name: 'wds' });
  const edge1 = await startSimulatedCluster({ name: 'edge1' });
  wds.apply(DEPLOYMENT);
  edge1.apply(running(2));
  const binding = (more: JsonObject): JsonObject => ({
    ...BINDING,
    spec: {
      destinations: [{ clusterId: 'edge1' }],
      workload: { namespaceScope: [{ ...WEB, version: 'v1', ...more }] },
    },
  });
  wds.apply(binding({ kind: 'Deployment' }));
  const file = writeKubeconfig(bench.file('kubeconfig.yaml'), { wds: wds.url, edge1: edge1.url });
  const run = bench.start(
    ...[
      '--state',
      bench.file('state.sqlite'),
      '--kubeconfig',
      file,
      '--wds',
      'wds',
      '--wec',
      'edge1',
    ],
  );
  try {
    await run.line(/ wds Binding web: starfold: spec\.workload\.namespaceScope\[0\]\.kind: /);
    wds.apply(binding({}));
    await run.line(` wds Binding web: ${NO_ERRORS}`);
  } finally {
    await Promise.all([wds.close(), edge1.close()]);
  }
});
