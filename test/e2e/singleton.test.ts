import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, clusters, createNamespace, setStatus } from './clusters.ts';
import { bind, bindingSays, clear, collect, controlRef, eventually, inWds } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { deployment } from './workloads.ts';

const namespace = 'singleton';
const { wds, wec1, wec2 } = clusters();
const app = deployment({ namespace, name: 'app' });
const foreign = deployment({ namespace, name: 'foreign' });
const status = inWds(app.ref, 'status');
const labels = inWds(app.ref, 'metadata', 'labels');
const COUNT = 'kubestellar.io/executing-count';
const SINGLETON = 'managed-by.kubestellar.io/singletonstatus';
let stack: StackChild;

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    for (const { ref, object } of [app, foreign]) await apply(cluster, ref, object);
  }
  stack = await startStackChild();
});
afterAll(async () => {
  await clear(wds, [controlRef('bindings', 'singleton'), app.ref, foreign.ref]);
  await stack.dispose();
});

function bindApp(destinations: readonly string[], wantSingletonReportedState: boolean) {
  const objects = [[app.ref, { wantSingletonReportedState }]] as const;
  return bind({ name: 'singleton', destinations, objects });
}

// With a generation that is not the WDS's, and a counter that no rule aggregates.
const reported = { ...rolledOut(7, 3, minute(1)), terminatingReplicas: 2 };

describe('a Deployment on one WEC', () => {
  it('has the status of that WEC verbatim, and says on how many WECs it runs', async () => {
    await setStatus(wec1, app.ref, reported);
    await setStatus(wec2, app.ref, rolledOut(1, 1, minute(1)));
    await bindApp(['wec1'], true);
    await eventually(status, reported);
    await eventually(labels, { app: 'app', [COUNT]: '1', [SINGLETON]: 'true' });
  });

  it('follows it, also where a field disappears', async () => {
    const { terminatingReplicas: _gone, ...rest } = reported;
    await setStatus(wec1, app.ref, rest);
    await eventually(status, rest);
  });

  it('loses the status when a second WEC is added', async () => {
    await bindApp(['wec1', 'wec2'], true);
    await eventually(status, {});
    await eventually(labels, { app: 'app', [COUNT]: '2' });
  });

  it('has the status of the one that is left', async () => {
    await bindApp(['wec2'], true);
    await eventually(status, rolledOut(1, 1, minute(1)));
    await eventually(labels, { app: 'app', [COUNT]: '1', [SINGLETON]: 'true' });
  });

  it('loses status and labels when nobody wants it any more', async () => {
    await bindApp(['wec2'], false);
    await eventually(labels, { app: 'app' });
    expect(await status()).toEqual({});
  });

  it('loses status and labels with its Binding', async () => {
    await bindApp(['wec2'], true);
    await eventually(status, rolledOut(1, 1, minute(1)));
    await clear(wds, [controlRef('bindings', 'singleton')]);
    await eventually(labels, { app: 'app' });
    await eventually(status, {});
  });

  it('keeps a status that somebody else has written where none is wanted', async () => {
    await setStatus(wds, foreign.ref, rolledOut(1, 2, minute(2)));
    await setStatus(wec1, foreign.ref, reported);
    await collect('singleton', { combinedFields: [{ name: 'wecs', type: 'COUNT' }] });
    const objects = [
      [foreign.ref, { statusCollectors: ['singleton'] }],
      [app.ref, { wantSingletonReportedState: true }],
    ] as const;
    await bind({ name: 'singleton', destinations: ['wec1'], objects });
    await eventually(bindingSays('singleton'), { available: 'True', errors: undefined });
    await eventually(labels, { app: 'app', [COUNT]: '1', [SINGLETON]: 'true' });
    await eventually(() => stack.backlog(), expect.objectContaining({ dirty: 0, hints: 0 }));
    expect(await inWds(foreign.ref, 'status')()).toEqual(rolledOut(1, 2, minute(2)));
    expect(await inWds(foreign.ref, 'metadata', 'labels')()).toEqual({ app: 'foreign' });
  });
});
