import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROLLOUT_DONE } from '#local/start/demo-messages.ts';
import { PACKAGED_STARFOLD } from '#test/packaged-command.ts';
import { workbench } from './start-process.ts';

const run = promisify(execFile);

test('a running stack answers queries, and ends in good order while it keeps a thread for them', async () => {
  await using bench = workbench();
  const stack = bench.start('--state', bench.file('state.sqlite'), '--speed', '100');
  await stack.line(`demo: ${ROLLOUT_DONE}`);
  await stack.line(/wds1 deployments.*available 5, seen 3\/3, Healthy/);
  const query = ['query', 'deployments', '-n', 'rollout', '--kubeconfig'];
  const select = ['--select', 'ready=returned.status.readyReplicas', '-o', 'json'];
  const args = [PACKAGED_STARFOLD, ...query, bench.file('api-kubeconfig'), ...select];
  const { stdout, stderr } = await run(process.execPath, args);
  expect(stderr).toBe('');
  const five = { columns: [{ type: 'Number', float: '5' }] };
  expect(JSON.parse(stdout)).toMatchObject({ status: { rows: [five, five, five] } });
  stack.kill('SIGINT');
  expect(await stack.ended).toBe(0);
});
