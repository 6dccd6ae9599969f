import { afterAll, beforeAll, expect, it } from 'vitest';
import { clusters, setStatus } from './clusters.ts';
import { eventually, inWds } from './controls.ts';
import { InstallationScenario } from './installation-scenario.ts';
import { type Installation, startInstallation } from './installation-world.ts';
import { quantile, timesOf } from './latency.ts';
import { applyWork, defineWorks, kubeStellarWork } from './open-cluster-management.ts';
import { eventuallyReady } from './program-world.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment } from './workloads.ts';

const CHANGES = 100;
const { wec1 } = clusters();
const BATCHES = [0, 200];
const scenarios = BATCHES.map((batch) => ({
  batch,
  wec: `batch${batch}`,
  scenario: new InstallationScenario({
    name: `installed-latency-${batch}`,
    destinations: [`batch${batch}`],
    wecs: [{ wec: `batch${batch}`, cluster: wec1 }],
  }),
}));
let installation: Installation;

beforeAll(async () => {
  await defineWorks(wec1);
  for (const { scenario } of scenarios) await scenario.begin();
  installation = await startInstallation({ sources: scenarios.map(({ wec }) => `wec/${wec}`) });
  await eventuallyReady(installation.ofWds);
});
afterAll(async () => {
  for (const { scenario } of scenarios) await scenario.end();
  await installation.dispose();
});

it.each(scenarios)(
  'with batchMilliseconds $batch shows each of many changes in the WDS, and says how soon',
  async ({ batch, wec, scenario }) => {
    const source = { type: 'wec', name: wec, select: { appliedManifestWorks: true } };
    const values = { source, batchMilliseconds: batch };
    const program = await installation.install(`wec/${wec}`, { cluster: wec1, values });
    await eventuallyReady(program);
    const web = deployment(scenario.place('web'));
    const { binding, objects } = await scenario.bound([web]);
    await applyWork(wec1, kubeStellarWork(binding, 'wds1', objects[0] ?? {}), [web]);
    await setStatus(wec1, web.ref, rolledOut(1, 1, minute(1)));
    await eventually(inWds(web.ref, 'status', 'replicas'), 1);
    const times = await timesOf(web.ref, 2, CHANGES + 1);
    process.stdout.write(
      `status change in a WEC to status in the WDS, forwarder program and HTTP, batchMilliseconds ${batch}, ` +
        `${CHANGES} changes one after the other: p50 ${quantile(times, 0.5)}, p99 ${quantile(times, 0.99)}\n`,
    );
    expect(times).toHaveLength(CHANGES);
    await scenario.settled();
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  },
);
