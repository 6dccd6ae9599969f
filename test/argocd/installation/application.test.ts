/**
 * A real Argo CD on Starfold's WDS: it syncs an application into the WDS, with prune, self-heal and server-side apply, and
 * judges it there. The same Argo CD deploys to the WECs and judges these. The tests are steps: each goes on where the one
 * before has ended.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { read, setStatus } from '#test/e2e/clusters.ts';
import { edit } from '#test/e2e/controls.ts';
import type { Circumstances } from './expected.ts';
import { Scene } from './scene.ts';
import { kindOf, shop, WEB } from './shop.ts';
import { startWorld, type World } from './world.ts';

const BUILD_TIMEOUT_MS = 40 * 60_000;
const LABEL = 'managed-by.kubestellar.io/multiwecstatus';

let world: World | undefined;
let scene: Scene;

beforeAll(async () => {
  world = await startWorld();
  scene = new Scene(world);
}, BUILD_TIMEOUT_MS);

afterAll(() => world?.stop());

/**
 * Waits until Argo CD says of the application in the WDS what it should, and of everything in it the worst of what it says of
 * the WECs, until nobody writes any more and it is still so; and compares with `starfold health`.
 */
async function settles(application: string, circumstances: Circumstances = {}): Promise<void> {
  await scene.settled(async () => {
    const judged = await scene.judged();
    expect(judged).toEqual(await scene.expected(circumstances));
    expect(judged.application).toBe(application);
  });
  const starfold = await scene.starfoldSays();
  for (const [name, verdicts] of await scene.argoCdSays())
    expect({ name, ...starfold.get(name) }).toMatchObject({ name, ...verdicts });
}

/** Whether the Application was in sync all the time since the last call. */
function staysInSync(): void {
  expect(scene.applications.outOfSync()).toEqual([]);
}

describe('an application in three WECs, and Argo CD', () => {
  it('says Progressing while no WEC has said anything', async () => {
    await scene.begin(shop('r1'));
    await scene.bind();
    await settles('Progressing');
    staysInSync();
    // Those whose writes have ended.
    expect(await scene.writers()).toEqual(
      new Set(['argocd', 'argocd-application-controller', 'starfold']),
    );
  });

  it('says Healthy when everything is healthy in all WECs', async () => {
    await scene.reportAll('healthy');
    await settles('Healthy');
    staysInSync();
  });

  it('says Progressing of a release that is in the WDS and not in the WECs', async () => {
    await scene.release(shop('r2'));
    await scene.bind();
    await settles('Progressing', { areLagging: true });
    staysInSync();
  });

  it('says Progressing while one WEC is', async () => {
    await scene.deliver();
    await scene.report('wec1', 'healthy');
    await scene.report('wec2', 'progressing');
    await scene.report('wec3', 'healthy');
    await settles('Progressing');
    staysInSync();
  });

  it('says Degraded when one WEC is', async () => {
    await scene.report('wec2', 'degraded');
    await settles('Degraded');
    staysInSync();
  });

  it('says Progressing of a release that one destination is silent about, although all others are healthy', async () => {
    await scene.release(shop('r3'));
    await scene.deliver();
    await scene.bind(['wec4']);
    await scene.reportAll('healthy');
    await settles('Progressing', { isOneSilent: true });
    staysInSync();
  });

  it('says Healthy again without that destination', async () => {
    await scene.bind();
    await settles('Healthy');
    staysInSync();
  });

  it('heals what is edited by hand, and Starfold follows', async () => {
    await edit(scene.wds, WEB, { spec: { replicas: 7 } });
    await scene.settled(async () => {
      expect(at(await read(scene.wds, WEB), 'spec', 'replicas')).toBe(3);
    });
    // Of the edit it was out of sync, and of nothing else.
    expect(new Set(scene.applications.outOfSync())).toEqual(
      new Set(['OutOfSync, Deployment web OutOfSync']),
    );
    await settles('Healthy');
    staysInSync();
  });

  it('does not mind when somebody removes the label or overwrites the status, which Starfold puts right', async () => {
    await edit(scene.wds, WEB, { metadata: { labels: { [LABEL]: null } } });
    await setStatus(scene.wds, WEB, { observedGeneration: 1, replicas: 1 });
    await scene.settled(async () => {
      const web = await read(scene.wds, WEB);
      expect(at(web, 'metadata', 'labels', LABEL)).toBe('true');
      expect(at(web, 'status', 'availableReplicas')).toBe(3);
    });
    await settles('Healthy');
    staysInSync();
  });

  it('prunes what a release no longer has, and Starfold does not bring it back', async () => {
    const release = shop('r3');
    const gone = release.filter((manifest) => kindOf(manifest) === 'DaemonSet');
    expect(gone).toHaveLength(1);
    await scene.release(release.filter((manifest) => kindOf(manifest) !== 'DaemonSet'));
    await scene.deliver();
    // The Binding still names it.
    await settles('Healthy');
    for (const { ref } of gone) expect(await read(scene.wds, ref)).toBeUndefined();
    await scene.bind();
    await settles('Healthy');
    staysInSync();
  });
});
