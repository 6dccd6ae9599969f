import { sleep, untilAborted } from '#shared/concurrency.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';
import { plainText } from '#shared/core/plain-text.ts';
import {
  AFTERWARDS,
  asExpected,
  changeNotShown,
  notAsExpected,
  ROLLOUT_DONE,
  stillWaiting,
} from './demo-messages.ts';
import { CONTROL } from './observation.ts';
import type { StartPlan } from './plan.ts';
import { play } from './player.ts';
import { readDemo } from './recording.ts';
import { type DemoRunning, type Ending, EXIT } from './running.ts';
import { verifyDemo } from './verify.ts';

/** How long the pipeline may take to become idle after the last event, on a machine that is busy with other work. */
const REST_MS = 60_000;
const CHECK_MS = 100;
/** How long the clusters exist before the recording begins. */
const LEAD_MS = 300;

/** The resource of the recording. */
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

function versionOf(object: JsonObject | undefined): string {
  return textAt(object, 'metadata', 'resourceVersion');
}

/** The objects whose last change has not been shown yet, as a difference. */
async function unseen({ clusters, observation }: DemoRunning): Promise<readonly string[]> {
  const { wds, wecs } = clusters;
  const shown = [
    ...[wds, ...wecs].map((cluster) => ({ ...cluster, resource: DEPLOYMENTS })),
    { ...wds, resource: CONTROL.combinedStatuses },
  ];
  const read = shown.map(async ({ name: cluster, api, resource }) => {
    const { items } = await api.list(resource, {});
    const seen = observation.objects(cluster, resource);
    return items.flatMap((object) => {
      const key = `${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}`;
      return versionOf(seen.get(key)) === versionOf(object)
        ? []
        : [changeNotShown(cluster, `${resource.resource} ${key}`)];
    });
  });
  return (await Promise.all(read)).flat();
}

/** Checks repeatedly until there are no differences and nothing is waiting, or until the time is over. */
async function verified(
  running: DemoRunning,
  check: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const deadline = Date.now() + REST_MS;
  for (;;) {
    running.monitor.backlog = await running.stack.backlog();
    const waiting = running.monitor.waiting();
    const differences = await check();
    if (differences.length === 0 && waiting === 0) return [];
    if (running.signal.aborted || Date.now() > deadline)
      return waiting === 0 ? differences : [...differences, stillWaiting(waiting)];
    await sleep(CHECK_MS, running.signal);
  }
}

/**
 * Plays the recorded rollout in the demo's clusters. Then everything keeps running until the signal aborts. With
 * `exit`, the demo ends, with 0 only if the content of the WDS is correct.
 */
export async function runDemo(
  running: DemoRunning,
  plan: StartPlan & { type: 'demo' },
): Promise<Ending> {
  const { clusters, signal, status, output } = running;
  const startMs = Date.now() + LEAD_MS;
  const recording = readDemo(startMs, plan.speed);
  const player = play(recording, clusters, { speed: plan.speed, startMs, signal });
  status.progress = player.progress;
  await player.ended;
  if (signal.aborted) return 'interrupted';
  if (!plan.exit) {
    status.hints = [...AFTERWARDS, ...status.hints];
    output.say('demo', ROLLOUT_DONE);
    await untilAborted(signal);
    return 'interrupted';
  }
  const differences = await verified(running, async () => [
    ...(await verifyDemo(recording, clusters)),
    ...(await unseen(running)),
  ]);
  if (signal.aborted) return 'interrupted';
  output.end(running.view);
  const wds = plainText(clusters.wds.name);
  if (differences.length === 0) {
    process.stdout.write(`${asExpected(wds)}\n`);
    return { exitCode: EXIT.done };
  }
  process.stderr.write(
    `starfold: ${notAsExpected(wds)}\n${differences.map((one) => `  ${plainText(one)}\n`).join('')}`,
  );
  return { exitCode: EXIT.failed };
}
