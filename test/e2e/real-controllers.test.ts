/**
 * Kubernetes' own controllers in the WECs: every status here is one that they have written. The scenarios run at the
 * same time, each in its namespace.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, isArray, type JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { printedTwice } from '#test/lifecycle/fresh.ts';
import { apply, type Cluster, clusters, read, remove, setStatus } from './clusters.ts';
import {
  budgetOf,
  cronJobOf,
  IMAGES,
  jobOf,
  withImage,
  withSpec,
} from './controllers/manifests.ts';
import { COLLECTOR, Scenario, settles } from './controllers/scenario.ts';
import { type ControlledWecs, startControlledWecs } from './controllers.ts';
import { clear, collect, controlRef, inWds } from './controls.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { daemonSet, deployment, statefulSet } from './workloads.ts';

const { wds } = clusters();
const BUILD_TIMEOUT_MS = 40 * 60_000;
const SCENARIO_TIMEOUT_MS = 180_000;
const scenarios: Scenario[] = [];
let wecs: ControlledWecs | undefined;
let stack: StackChild | undefined;

beforeAll(async () => {
  const { held, heldInBoth, failing } = IMAGES;
  wecs = await startControlledWecs({
    wec1: { nodes: 2, kubelets: { held: [heldInBoth], failing: [] } },
    wec2: { nodes: 3, kubelets: { held: [held, heldInBoth], failing: [failing] } },
  });
  stack = await startStackChild({ kubeconfigPath: wecs.kubeconfigPath });
  await collect(COLLECTOR, {
    select: [
      { name: 'wec', def: 'inventory.name' },
      { name: 'status', def: 'returned.status' },
    ],
  });
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  for (const scenario of scenarios) await scenario.end();
  await clear(wds, [controlRef('statuscollectors', COLLECTOR)]);
  await stack?.dispose();
  await wecs?.stop();
});

/** The WECs, and a new scenario in them. */
function start(name: string): { scenario: Scenario; wec1: Cluster; wec2: Cluster } {
  if (wecs === undefined) throw new RangeError('the WECs do not run');
  const { wec1, wec2 } = wecs;
  const scenario = new Scenario(name, [wec1, wec2]);
  scenarios.push(scenario);
  return { scenario, wec1, wec2 };
}

function inCluster(cluster: Cluster, ref: ObjectRef, ...path: readonly string[]) {
  return async (): Promise<JsonValue | undefined> => at(await read(cluster, ref), ...path);
}

async function conditionIn(cluster: Cluster, ref: ObjectRef, type: string) {
  const conditions = await inCluster(cluster, ref, 'status', 'conditions')();
  return isArray(conditions) ? conditions.find((one) => at(one, 'type') === type) : undefined;
}

describe.concurrent('with real controllers in the WECs', { timeout: SCENARIO_TIMEOUT_MS }, () => {
  it('a Deployment is Progressing until the last WEC has the new image', async () => {
    const { scenario, wec2 } = start('rollout');
    const web = withImage(deployment(scenario.place('web')), IMAGES.fast);
    await scenario.begin([web]);
    await scenario.settled(web.ref, 'Healthy', 'Healthy');

    await scenario.update(withImage(web, IMAGES.held));
    let released = 0;
    const version = String(await inWds(web.ref, 'metadata', 'resourceVersion')());
    const rollout = scenario.verdictsUntil(web.ref, version, 'Healthy').then((before) => {
      return { before: new Set(before), released };
    });
    for (let pod = 1; pod <= 3; pod += 1) {
      await scenario.settled(web.ref, 'Healthy', 'Progressing');
      released = pod;
      await scenario.release(wec2, 1);
    }
    await scenario.settled(web.ref, 'Healthy', 'Healthy');
    expect(await rollout).toEqual({ before: new Set(['Progressing']), released: 3 });
    expect(await inWds(web.ref, 'status')()).toMatchObject({
      observedGeneration: 2,
      replicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
    });
  });

  it('a Deployment that exceeds its progress deadline in one WEC is Degraded, with the message of that WEC', async () => {
    const { scenario, wec1, wec2 } = start('deadline');
    const deadline = { progressDeadlineSeconds: 3 };
    const web = withSpec(withImage(deployment(scenario.place('web')), IMAGES.fast), deadline);
    await scenario.begin([web]);
    await scenario.settled(web.ref, 'Healthy', 'Healthy');
    await scenario.update(withImage(web, IMAGES.heldInBoth));
    await scenario.settled(web.ref, 'Degraded', 'Degraded');
    // What the other WEC says of its success is newer.
    for (let pod = 1; pod <= 3; pod += 1) await scenario.release(wec1, 1);
    await scenario.settled(web.ref, 'Healthy', 'Degraded');
    const inWec = await conditionIn(wec2, web.ref, 'Progressing');
    expect(inWec).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect(await conditionIn(wds, web.ref, 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: at(inWec, 'message'),
    });
    // Back to the image that works.
    await scenario.update(web);
    await scenario.settled(web.ref, 'Healthy', 'Healthy');
  });

  it('a Job is complete when it has completed in both WECs', async () => {
    const { scenario, wec2 } = start('job');
    const nightly = jobOf(scenario.place('nightly'), IMAGES.held);
    await scenario.begin([nightly]);
    await scenario.settled(nightly.ref, 'Healthy', 'Progressing');
    await scenario.release(wec2, 2);
    await scenario.settled(nightly.ref, 'Healthy', 'Healthy');
    expect(await inWds(nightly.ref, 'status')()).toMatchObject({ succeeded: 2 });
    expect(await conditionIn(wds, nightly.ref, 'Complete')).toMatchObject({ status: 'True' });
  });

  it('a Job that is deleted and created again in the WDS is not complete through the Jobs of before', async () => {
    const { scenario, wec1, wec2 } = start('job-anew');
    const migrate = jobOf(scenario.place('migrate'), IMAGES.fast);
    await scenario.begin([migrate]);
    await scenario.settled(migrate.ref, 'Healthy', 'Healthy');
    const before = await inWds(migrate.ref, 'metadata', 'uid')();
    await scenario.outlived(migrate.ref);
    await remove(wds, migrate.ref);
    await settles(inWds(migrate.ref), undefined);
    await apply(wds, migrate.ref, migrate.object);

    const told = `starfold: jobs.batch ${scenario.namespace}/migrate: the object in WEC`;
    const errors = inWds(controlRef('bindings', scenario.namespace), 'status', 'errors');
    const isOlder = 'is older than the one in the WDS';
    await settles(errors, [
      expect.stringContaining(`${told} wec1 ${isOlder}`),
      expect.stringContaining(`${told} wec2 ${isOlder}`),
    ]);
    expect(await inWds(migrate.ref, 'metadata', 'uid')()).not.toBe(before);
    const waiting = { wec1: 'Healthy', wec2: 'Healthy', wds: 'Progressing' };
    expect(await scenario.verdicts(migrate.ref)).toEqual(waiting);
    expect(await conditionIn(wds, migrate.ref, 'Complete')).toBeUndefined();
    await settles(() => scenario.differences(), []);

    // The transport follows, first in one WEC.
    for (const wec of [wec1, wec2]) {
      expect(await conditionIn(wds, migrate.ref, 'Complete')).toBeUndefined();
      await remove(wec, migrate.ref);
      await settles(inCluster(wec, migrate.ref), undefined);
      await scenario.deliverTo(wec, migrate.ref);
      await settles(
        async () => at(await conditionIn(wec, migrate.ref, 'Complete'), 'status'),
        'True',
      );
    }
    await scenario.settled(migrate.ref, 'Healthy', 'Healthy');
    await settles(errors, undefined);
  });

  it('a Job that fails in one WEC has failed, for the reason of that WEC', async () => {
    const { scenario, wec2 } = start('failed-job');
    const nightly = jobOf(scenario.place('nightly'), IMAGES.failing);
    await scenario.begin([nightly]);
    await scenario.settled(nightly.ref, 'Healthy', 'Degraded');
    const inWec = await conditionIn(wec2, nightly.ref, 'Failed');
    expect(inWec).toMatchObject({ status: 'True', reason: 'BackoffLimitExceeded' });
    // The other WEC does not have the condition, so it is Unknown: to Argo CD any entry is a failure.
    expect(await conditionIn(wds, nightly.ref, 'Failed')).toMatchObject({
      status: 'Unknown',
      reason: 'BackoffLimitExceeded',
      message: at(inWec, 'message'),
    });
  });

  it('a StatefulSet is Progressing until the last WEC has replaced its pods one after the other', async () => {
    const { scenario, wec2 } = start('stateful');
    const db = withImage(statefulSet(scenario.place('db')), IMAGES.fast);
    await scenario.begin([db]);
    await scenario.settled(db.ref, 'Healthy', 'Healthy');
    await scenario.update(withImage(db, IMAGES.held));
    for (let pod = 1; pod <= 3; pod += 1) {
      await scenario.settled(db.ref, 'Healthy', 'Progressing');
      await scenario.release(wec2, 1);
    }
    await scenario.settled(db.ref, 'Healthy', 'Healthy');
    expect(await inWds(db.ref, 'status')()).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 });
  });

  it('a DaemonSet is Healthy when it is on all nodes, be they two or three', async () => {
    const { scenario, wec1, wec2 } = start('daemon');
    const agent = withImage(daemonSet(scenario.place('agent')), IMAGES.held);
    await scenario.begin([agent]);
    // As many as the other WEC has nodes.
    await scenario.release(wec2, 2);
    await settles(inCluster(wec2, agent.ref, 'status', 'numberAvailable'), 2);
    await scenario.settled(agent.ref, 'Healthy', 'Progressing');
    expect(await inWds(agent.ref, 'status')()).toMatchObject({
      desiredNumberScheduled: 3,
      numberAvailable: 2,
    });
    await scenario.release(wec2, 1);
    await scenario.settled(agent.ref, 'Healthy', 'Healthy');
    const wanted = ['status', 'desiredNumberScheduled'];
    expect(await inCluster(wec1, agent.ref, ...wanted)()).toBe(2);
    expect(await inCluster(wec2, agent.ref, ...wanted)()).toBe(3);
    expect(await inWds(agent.ref, ...wanted)()).toBe(2);
  });

  it('a CronJob has the run that is due in both WECs, and no success while there is none in one', async () => {
    const { scenario, wec1, wec2 } = start('cron');
    const yearly = cronJobOf(scenario.place('yearly'), IMAGES.failing);
    await scenario.begin([yearly]);
    const year = new Date().getUTCFullYear();
    // As if each had run two years ago: the controllers run what was missed.
    const past = { lastScheduleTime: `${year - 2}-01-01T00:00:00Z` };
    for (const wec of [wec1, wec2]) await setStatus(wec, yearly.ref, past);
    const due = `${year}-01-01T00:00:00Z`;
    for (const wec of [wec1, wec2])
      await settles(inCluster(wec, yearly.ref, 'status', 'lastScheduleTime'), due);
    await settles(inCluster(wec1, yearly.ref, 'status', 'lastSuccessfulTime'), expect.any(String));
    for (const wec of [wec1, wec2])
      await settles(inCluster(wec, yearly.ref, 'status', 'active'), undefined);
    await scenario.settled(yearly.ref, 'Healthy', 'Healthy');
    expect(await inWds(yearly.ref, 'status')()).toEqual({ lastScheduleTime: due });
  });

  it('a PodDisruptionBudget allows as many disruptions as the WEC that allows the fewest', async () => {
    const { scenario, wec1, wec2 } = start('budget');
    const web = withImage(deployment(scenario.place('web')), IMAGES.held);
    const budget = budgetOf(scenario.place('web'));
    await scenario.begin([web, budget]);
    const allowed = ['status', 'disruptionsAllowed'];
    await scenario.release(wec2, 2);
    await settles(inCluster(wec2, budget.ref, 'status', 'currentHealthy'), 2);
    await settles(inCluster(wec1, budget.ref, ...allowed), 1);
    await settles(inWds(budget.ref, 'status', 'currentHealthy'), 2);
    await scenario.settled(budget.ref, 'Healthy', 'Healthy');
    expect(await inWds(budget.ref, ...allowed)()).toBe(0);
    await scenario.release(wec2, 1);
    await settles(inWds(budget.ref, ...allowed), 1);
    await scenario.settled(budget.ref, 'Healthy', 'Healthy');
  });

  it('a Deployment that is deleted in one WEC is awaited there', async () => {
    const { scenario, wec2 } = start('deleted');
    const web = withImage(deployment(scenario.place('web')), IMAGES.fast);
    await scenario.begin([web]);
    await scenario.settled(web.ref, 'Healthy', 'Healthy');
    await remove(wec2, web.ref);
    await settles(() => scenario.pods(wec2), []);
    await settles(() => scenario.verdicts(web.ref), { wec1: 'Healthy', wds: 'Progressing' });
    await settles(() => scenario.differences(), []);
    await scenario.update(web);
    await scenario.settled(web.ref, 'Healthy', 'Healthy');
  });
});

describe('the command', () => {
  it('prints for all of these objects what the WDS has been compared with', async () => {
    const exported = await Promise.all(scenarios.map((scenario) => scenario.exported()));
    const objects = exported.flatMap(({ wds: ofWds }) => ofWds);
    const byPath = new Map(
      objects.map((object) => [JSON.stringify(at(object, 'metadata', 'uid')), object]),
    );
    const { command, inProcess } = await printedTwice(
      {
        wds: [...byPath.values()],
        inventory: [],
        wecs: ['wec1', 'wec2'].map((wec) => ({
          wec,
          objects: exported
            .flatMap((one) => one.wecs)
            .flatMap((one) => (one.wec === wec ? one.objects : [])),
        })),
      },
      Date.now(),
    );
    expect(command).toBe(inProcess);
  });
});
