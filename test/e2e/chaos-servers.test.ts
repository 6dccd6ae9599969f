import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from './chaos/control-plane.ts';
import type { Replica } from './chaos/replica.ts';
import { ChaosWorld } from './chaos/world.ts';
import { clusters } from './clusters.ts';

const LIMIT_MS = 180_000;
const planes: ControlPlane[] = [];
let wds: ControlPlane;
let wec1: ControlPlane;
let world: ChaosWorld;
let replicas: readonly Replica[] = [];

async function startPlane(name: 'wds' | 'wec1'): Promise<ControlPlane> {
  const plane = await startControlPlane(name);
  planes.push(plane);
  return plane;
}

beforeAll(async () => {
  wds = await startPlane('wds');
  wec1 = await startPlane('wec1');
  world = await ChaosWorld.start('chaos-servers', {
    wds: wds.cluster,
    wec1: wec1.cluster,
    wec2: clusters().wec2,
  });
  const wecs = ['wec1', 'wec2', 'wec1', 'wec2'] as const;
  replicas = await Promise.all(wecs.map((wec) => world.startReplica(wec)));
  for (const replica of replicas) await replica.ready();
  await world.settled();
}, LIMIT_MS);
afterAll(async () => {
  try {
    await world?.dispose();
  } finally {
    for (const plane of planes) await plane.dispose();
  }
});

async function cutQueue(down: boolean): Promise<void> {
  for (const { way } of replicas) await (down ? way.cut() : way.restore());
}

/** Kills the stack again and again while it takes events and works on them. */
async function killStack(times: number): Promise<void> {
  for (let kills = 0; kills < times; kills += 1) {
    await delay(500);
    await world.stack.kill();
    await world.stack.start();
  }
}

describe('the WDS says what it must after', { timeout: LIMIT_MS }, () => {
  it('the API server of a WEC was killed and came back, while watches of the other one were cut and slow', async () => {
    const way = world.way('wec2');
    await world.during(async () => {
      await delay(500);
      await wec1.apiServer.end('SIGKILL');
      way.delay(20);
      for (let cuts = 0; cuts < 6; cuts += 1) {
        await delay(500);
        way.drop();
      }
      await wec1.apiServer.start();
      way.delay(0);
      await delay(500);
    });
  });

  it('the etcd of a WEC was killed and came back, while the other WEC could not be reached', async () => {
    const way = world.way('wec2');
    await world.during(async () => {
      await delay(500);
      await wec1.etcd.end('SIGKILL');
      way.swallow();
      await delay(4_000);
      await wec1.etcd.start();
      // The connections that stood are mute, until the network says that they are not known any more.
      await way.restore();
      way.drop();
      await delay(500);
      // What is lost is sent again: nothing breaks.
      way.hold();
      await delay(3_000);
      await expect.poll(() => way.held(), { timeout: 20_000 }).toBeGreaterThan(0);
      expect(way.release()).toBeGreaterThan(0);
    });
  });

  it('the API server of the WDS was stopped, with its etcd, and came back', async () => {
    await world.during(async () => {
      await delay(500);
      await wds.apiServer.end('SIGTERM');
      await wds.etcd.end('SIGTERM');
      await delay(1_000);
      await wds.etcd.start();
      await wds.apiServer.start();
    });
  });

  it('the queue was down during hundreds of changes, and the stack was killed when it took them', async () => {
    await world.during(async (changes) => {
      await cutQueue(true);
      await delay(10_000);
      await expect.poll(() => changes.count(), { timeout: 60_000 }).toBeGreaterThan(200);
      const waiting = await Promise.all(replicas.map((one) => one.metric('unsent_events')));
      // The newest state of each object of each WEC, not every change, and a heartbeat. The batch that is being sent may hold
      // as many older ones.
      expect(Math.max(...waiting)).toBeLessThanOrEqual(2 * (world.subjects.length + 1));
      expect(Math.max(...waiting)).toBeGreaterThan(world.subjects.length / 2);
      await cutQueue(false);
      await killStack(3);
    });
    const { command, inProcess } = await world.printedTwice();
    expect(command).toBe(inProcess);
  });
});
