import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TAKEOVER } from '#local/cli/takeover/messages.ts';
import { startSimulatedCluster } from '#local/simulated-cluster/simulated-cluster.ts';
import { PACKAGED_STARFOLD } from '#test/packaged-command.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import { BINDING, DEPLOYMENT, running } from './objects.ts';
import { workbench } from './start-process.ts';

const run = promisify(execFile);

/** Runs a command of `starfold` to its end; what it says of a failure is its message. */
async function starfold(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [PACKAGED_STARFOLD, ...args]);
  return stdout;
}

test('a second installation writes nothing and names the first, until it takes the WDS over', async () => {
  await using bench = workbench();
  const wds = await startSimulatedCluster({ name: 'wds' });
  const edge1 = await startSimulatedCluster({ name: 'edge1' });
  try {
    wds.apply(DEPLOYMENT);
    const { workload } = Object(BINDING['spec']);
    wds.apply({ ...BINDING, spec: { workload, destinations: [{ clusterId: 'edge1' }] } });
    edge1.apply(running(1));
    const file = writeKubeconfig(bench.file('kubeconfig'), { wds: wds.url, edge1: edge1.url });
    const start = (name: string) =>
      bench.start(
        ...['--state', bench.file(`${name}.sqlite`), '--identity', name, '--kubeconfig', file],
        ...['--wds', 'wds', '--wec', 'edge1'],
      );
    const first = start('first');
    await first.line(/ wds deployments.apps shop\/web: ready 1\/2/);

    const second = start('second');
    await second.line(
      / wds writer: WDS wds is written by another installation of Starfold: first \(starfold start .*, since .*\).* takeover --kubeconfig '.*' --context 'wds' --identity 'second'$/,
    );
    first.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    edge1.apply(running(2));
    await second.line(/ edge1 deployments.apps shop\/web: ready 2\/2/);
    await second.line(/starfold error: .*is written by another installation of Starfold: first/);
    expect(second.stdout()).not.toMatch(/ wds deployments.apps shop\/web: ready 2\/2/);

    const there = ['takeover', '--kubeconfig', file, '--context', 'wds', '--identity'];
    const refusal = await starfold(...there, 'second').catch(String);
    const [holder = ''] = /first \(starfold start [^)]*\)/.exec(refusal) ?? [];
    expect(refusal).toContain(`starfold: ${TAKEOVER.noTerminal('wds', holder, 'second')}\n`);
    expect(await starfold(...there, 'second', '--yes')).toBe(
      `${TAKEOVER.replaced('wds', 'first', 'second')}\n`,
    );
    expect(await starfold(...there, 'second')).toBe(`${TAKEOVER.same('wds', 'second')}\n`);
    await second.line(/ wds deployments.apps shop\/web: ready 2\/2/);

    const again = start('first');
    await again.line(/ wds writer: .* another installation of Starfold: second/);
  } finally {
    await Promise.all([wds.close(), edge1.close()]);
  }
}, 60_000);
