/**
 * Informers of client-go and of @kubernetes/client-node, and `starfold get -w`, through the APIService and at the direct door: at the
 * end each holds what the API lists, whatever has been restarted.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { at, isArray, isObject } from '#shared/core/json.ts';
import {
  byName,
  type Held,
  type Informers,
  startGetWatches,
  startGoInformers,
  startNodeInformers,
} from './aggregated/informers.ts';
import { bindIn, boundObjects, putBound, removeFromWecs } from './aggregated/objects.ts';
import { AggregatedWorld } from './aggregated/world.ts';
import { apply, clusters, remove, requestOk, setStatus } from './clusters.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment } from './workloads.ts';

const START_TIMEOUT_MS = 40 * 60_000;
const TEST_TIMEOUT_MS = 240_000;
const PATIENCE = { timeout: 100_000, interval: 250 };
const RESOURCES = ['wecstatuses', 'explanations'];
const namespace = 'aggregated-informers';
const { wec1, wec2 } = clusters();
const bound = boundObjects(namespace);
const { app, other } = bound;
const late = deployment({ namespace, name: 'late' });
let world: AggregatedWorld;
const informers: Record<string, Informers> = {};

/** What the API lists now. */
async function listed(): Promise<Readonly<Record<string, Held>>> {
  const lists = RESOURCES.map(async (resource) => {
    const path = `/apis/status.starfold.dev/v1alpha1/${resource}`;
    const { items } = await requestOk(world.wds, { method: 'GET', path });
    return [resource, byName(isArray(items) ? items.filter(isObject) : [])] as const;
  });
  return Object.fromEntries(await Promise.all(lists));
}

/**
 * Waits until the API lists what it is to list, and each informer holds the same.
 *
 * @param replicas what each of these objects has by then, by name of its WECStatus; `undefined` for one that is gone
 */
async function allHold(replicas: Readonly<Record<string, number | undefined>>): Promise<void> {
  await vi.waitFor(async () => {
    const expected = await listed();
    const found = Object.keys(replicas).map((name) => [
      name,
      at(expected['wecstatuses']?.[`${namespace}/${name}`], 'status', 'replicas'),
    ]);
    expect(Object.fromEntries(found)).toEqual(replicas);
    for (const [name, { held }] of Object.entries(informers))
      expect({ [name]: await held() }).toEqual({ [name]: expected });
  }, PATIENCE);
}

beforeAll(async () => {
  world = await AggregatedWorld.start('aggregated-informers');
  await putBound(world.wds, bound);
  await setStatus(wec1, app.ref, rolledOut(1, 3, minute(1)));
  for (const door of ['wds', 'direct'] as const) {
    informers[`client-go ${door}`] = await startGoInformers(world.admin[door], RESOURCES);
    informers[`client-node ${door}`] = await startNodeInformers(world.admin[door], RESOURCES);
    informers[`starfold get -w ${door}`] = startGetWatches(world.admin[door], RESOURCES);
  }
}, START_TIMEOUT_MS);

afterAll(async () => {
  for (const one of Object.values(informers)) await one.stop();
  await removeFromWecs(bound);
  await remove(wec1, late.ref);
  await world.dispose();
});

describe('every informer, and every starfold get -w, holds what the API lists', {
  timeout: TEST_TIMEOUT_MS,
}, () => {
  it('when it has synced', async () => {
    await allHold({ 'deployments.apps:app:wec1': 3 });
  });

  it('after objects are added, changed and removed', async () => {
    for (const cluster of [world.wds, wec1]) await apply(cluster, late.ref, late.object);
    await setStatus(wec1, late.ref, rolledOut(1, 1, minute(2)));
    await setStatus(wec2, app.ref, rolledOut(1, 2, minute(2)));
    await bindIn(world.wds, namespace, [
      [app.ref, { wantMultiWECReportedState: true }],
      [late.ref, {}],
    ]);
    await allHold({
      'deployments.apps:app:wec1': 3,
      'deployments.apps:app:wec2': 2,
      'deployments.apps:late:wec1': 1,
      'deployments.apps:other:wec1': undefined,
    });
  });

  it('after Starfold was killed, and objects were changed and removed before it was back', async () => {
    await world.program.end('SIGKILL');
    await setStatus(wec1, app.ref, rolledOut(1, 4, minute(3)));
    await setStatus(wec2, other.ref, rolledOut(1, 5, minute(3)));
    await bindIn(world.wds, namespace, [
      [app.ref, { wantMultiWECReportedState: true }],
      [other.ref, {}],
    ]);
    await world.startProgram();
    await allHold({
      'deployments.apps:app:wec1': 4,
      'deployments.apps:late:wec1': undefined,
      'deployments.apps:other:wec2': 5,
    });
  });

  it('after the API server of the WDS was killed', async () => {
    await world.plane.apiServer.end('SIGKILL');
    await setStatus(wec1, app.ref, rolledOut(1, 6, minute(4)));
    await setStatus(wec2, app.ref, rolledOut(1, 7, minute(4)));
    await world.plane.apiServer.start();
    await allHold({ 'deployments.apps:app:wec1': 6, 'deployments.apps:app:wec2': 7 });
  });

  it('after every connection to Starfold was broken', async () => {
    world.proxy.drop();
    await setStatus(wec2, app.ref, rolledOut(1, 8, minute(5)));
    await allHold({ 'deployments.apps:app:wec2': 8 });
  });
});
