/**
 * A hook of a real Argo CD on Starfold's WDS: a Job that each release runs before everything else. Argo CD deletes the Job
 * of the release before and creates it again, under the same name, while the WECs still have the old one, which is complete.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { at, isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { type Cluster, collectionPath, read, watch } from '#test/e2e/clusters.ts';
import { Scene } from './scene.ts';
import { HOOK, NAMESPACE, shopWithHook } from './shop.ts';
import { startWorld, type World } from './world.ts';

const BUILD_TIMEOUT_MS = 40 * 60_000;
const PATIENCE = { timeout: 60_000, interval: 100 };

let world: World | undefined;
let scene: Scene;

beforeAll(async () => {
  world = await startWorld();
  scene = new Scene(world);
}, BUILD_TIMEOUT_MS);

afterAll(() => world?.stop());

function uidOf(object: JsonObject | undefined): JsonValue | undefined {
  return at(object, 'metadata', 'uid');
}

function isComplete(object: JsonObject | undefined): boolean {
  const conditions = at(object, 'status', 'conditions');
  return (
    isArray(conditions) &&
    conditions.some((one) => at(one, 'type') === 'Complete' && at(one, 'status') === 'True')
  );
}

/** Waits until there is a hook in a cluster that is not one of these; returns its uid. */
function newHook(cluster: Cluster, known: readonly (JsonValue | undefined)[]): Promise<JsonValue> {
  return vi.waitFor(async () => {
    const uid = uidOf(await read(cluster, HOOK));
    if (uid === undefined || known.includes(uid)) throw new Error(`no new hook in ${cluster.name}`);
    return uid;
  }, PATIENCE);
}

it('a PreSync hook is not complete before the WECs have run it anew', async () => {
  await scene.announce(shopWithHook('r1'));
  await scene.bind();
  const first = [await newHook(scene.wds, [])];
  await scene.send();
  for (const wec of scene.wecs) first.push(await newHook(wec, []));
  await scene.reportAll('healthy');
  await scene.synced();
  await scene.reportAll('healthy');
  await scene.settled(async () => expect((await scene.judged()).application).toBe('Healthy'));

  // What the WDS has said of the Job that is made for the second release.
  const tooEarly: JsonObject[] = [];
  const note = ({ object }: JsonObject): boolean => {
    const hook = isObject(object) ? object : undefined;
    if (hook !== undefined && !first.includes(uidOf(hook) ?? null) && isComplete(hook))
      tooEarly.push(hook);
    return false;
  };
  const path = `${collectionPath(HOOK, NAMESPACE)}?watch=true`;
  watch(scene.wds, path, note).catch(() => undefined);

  await scene.announce(shopWithHook('r2'));
  await newHook(scene.wds, first);
  await scene.settled(async () => {
    expect(isComplete(await read(scene.wds, HOOK))).toBe(false);
    for (const wec of scene.wecs) expect(isComplete(await read(wec, HOOK))).toBe(true);
  });

  await scene.send();
  await Promise.all(scene.wecs.map((wec) => newHook(wec, first)));
  await scene.report('wec1', 'healthy');
  await scene.report('wec2', 'healthy');
  await scene.settled(async () => expect(isComplete(await read(scene.wds, HOOK))).toBe(false));
  expect(tooEarly).toEqual([]);

  await scene.report('wec3', 'healthy');
  await scene.synced();
  expect(isComplete(await read(scene.wds, HOOK))).toBe(true);
});
