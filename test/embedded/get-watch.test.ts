import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { answersAgain, tryingAgain } from '#local/cli/get/messages.ts';
import { ROLLOUT_DONE } from '#local/start/demo-messages.ts';
import { PACKAGED_STARFOLD } from '#test/packaged-command.ts';
import { workbench } from './start-process.ts';

const PATIENCE_MS = 60_000;
const DONE = `demo: ${ROLLOUT_DONE}`;

/** A running `starfold get`. */
function startGet(...args: readonly string[]) {
  const child = spawn(process.execPath, [PACKAGED_STARFOLD, 'get', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return { child, ended, out: () => out, err: () => err };
}

/** What a table says at its end of each object in each WEC, without the age. */
function lastRows(table: string): ReadonlyMap<string, string> {
  const rows = new Map<string, string>();
  for (const line of table.split('\n').slice(1, -1)) {
    const [namespace, object, wec, ready, health, state, ...rest] = line.split(/ {2,}/);
    const key = [namespace, object, wec].join(' ');
    if (rest.at(-1) === '(deleted)') rows.delete(key);
    else rows.set(key, [ready, health, state].join(' '));
  }
  return rows;
}

async function until(is: () => boolean, problem: () => string): Promise<void> {
  const tooLate = AbortSignal.timeout(PATIENCE_MS);
  while (!is()) {
    if (tooLate.aborted) throw new Error(problem());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('get -w goes on when the stack is killed and started again, and has missed nothing at the end', async () => {
  await using bench = workbench();
  const state = ['--state', bench.file('state.sqlite')];
  const first = bench.start(...state, '--speed', '1');
  await first.line(/wds1 deployments.*seen [123]\/[123]/);
  const live = ['-A', '--kubeconfig', bench.file('api-kubeconfig')];
  const watching = startGet(...live, '-w');
  try {
    await until(() => watching.out().includes('deployments.apps/web'), watching.err);
    first.kill('SIGKILL');
    await first.ended;
    await until(() => watching.err().includes(tryingAgain('')), watching.out);
    // The rollout is done while nothing serves the API, and nothing records what changes.
    expect(await bench.start(...state, '--speed', '60', '--exit').ended).toBe(0);
    // It is served at the same port again.
    const last = bench.start(...state, '--speed', '200');
    await last.line(DONE);
    await last.line(/wds1 deployments.*available 5, seen 3\/3, Healthy/);
    await until(() => watching.err().endsWith(`${answersAgain('')}\n`), watching.err);
    const final = startGet(...live);
    expect(await final.ended).toBe(0);
    const wanted = lastRows(final.out());
    expect([...wanted.values()]).toEqual(Array(3).fill('5/5 Healthy Reported'));
    const isSame = (): boolean =>
      JSON.stringify([...lastRows(watching.out())].sort()) === JSON.stringify([...wanted].sort());
    await until(isSame, () => `${watching.out()}\n${watching.err()}\nwanted:\n${final.out()}`);
    watching.child.kill('SIGINT');
    expect(await watching.ended).toBe(0);
  } finally {
    watching.child.kill('SIGKILL');
  }
});

test('get reads the state file of a running stack', async () => {
  await using bench = workbench();
  const state = bench.file('state.sqlite');
  const run = bench.start('--state', state, '--speed', '100');
  await run.line(DONE);
  await run.line(/wds1 deployments.*available 5, seen 3\/3, Healthy/);
  const got = startGet('deployment/web', '-n', 'rollout', '--state', state);
  expect(await got.ended).toBe(0);
  expect(got.err()).toBe('');
  expect(got.out().match(/5\/5 +Healthy +Reported/g)).toHaveLength(3);
});
