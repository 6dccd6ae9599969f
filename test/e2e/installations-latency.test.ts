import { afterAll, beforeAll, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { clusters, collectionPath, setStatus, watch } from './clusters.ts';
import { eventually, inWds } from './controls.ts';
import { InstallationScenario } from './installation-scenario.ts';
import { type Installation, startInstallation } from './installation-world.ts';
import { applyWork, defineWorks, kubeStellarWork } from './open-cluster-management.ts';
import { eventuallyReady } from './program-world.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment } from './workloads.ts';

const CHANGES = 100;
const { wds, wec1 } = clusters();
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

/** Calls back for each number of replicas that the WDS shows, until the last. */
async function follow(ref: ObjectRef, onReplicas: (replicas: number) => void): Promise<void> {
  await watch(wds, `${collectionPath(ref, ref.namespace)}?watch=true`, (event) => {
    const replicas = Number(at(event, 'object', 'status', 'replicas') ?? 0);
    onReplicas(replicas);
    return replicas === CHANGES + 1;
  });
}

/** How long each of many changes, one after the other, takes until the WDS shows it; milliseconds, sorted. */
async function timesOf(ref: ObjectRef): Promise<readonly number[]> {
  let seen: (replicas: number) => void = () => undefined;
  const following = follow(ref, (replicas) => seen(replicas));
  const times: number[] = [];
  for (let size = 2; size <= CHANGES + 1; size += 1) {
    const shown = new Promise<void>((resolve) => {
      seen = (replicas) => {
        if (replicas === size) resolve();
      };
    });
    const begin = performance.now();
    await setStatus(wec1, ref, rolledOut(1, size, minute(1)));
    await shown;
    times.push(performance.now() - begin);
  }
  await following;
  return times.sort((a, b) => a - b);
}

function quantile(sorted: readonly number[], share: number): string {
  return `${Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)} ms`;
}

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
    const times = await timesOf(web.ref);
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
