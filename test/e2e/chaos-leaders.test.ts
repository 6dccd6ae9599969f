import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { leaseRef } from '#functions/event-forwarder/lease.ts';
import { subjectsOf } from './chaos/objects.ts';
import { record } from './chaos/record.ts';
import type { Replica } from './chaos/replica.ts';
import { ChaosWorld } from './chaos/world.ts';
import { clusters, remove, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually, inWds } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment } from './workloads.ts';

const LIMIT_MS = 120_000;
const HOUR_MS = 3_600_000;
const NAME = 'chaos-leaders';
const { wds, wec1, wec2 } = clusters();
const binding = controlRef('bindings', `${NAME}-single`);
const counter = deployment({ namespace: NAME, name: `${NAME}-counter` });
const doomed = deployment({ namespace: NAME, name: `${NAME}-doomed` });
let world: ChaosWorld;
/** Of wec1: the one that leads, and the one that stands by. */
let leader: Replica;
let standby: Replica;
/** Of wec2. */
let other: Replica;

beforeAll(async () => {
  world = await ChaosWorld.start(NAME, { wds, wec1, wec2 }, [counter, doomed]);
  leader = await world.startReplica('wec1');
  await leader.leads();
  [standby, other] = [await world.startReplica('wec1'), await world.startReplica('wec2')];
  await standby.standsBy();
  await other.leads();
  await world.settled();
}, LIMIT_MS);
afterEach(() => {
  // What a failed test left frozen or held back would fail all those after it.
  for (const replica of [leader, standby]) {
    replica.kill('SIGCONT');
    replica.way.release();
  }
});
afterAll(async () => {
  try {
    const subjects = subjectsOf(NAME).map(({ ref }) => ref);
    const bindings = [binding, controlRef('bindings', NAME)];
    await clear(wds, [...bindings, counter.ref, doomed.ref, ...subjects]);
  } finally {
    await world?.dispose();
  }
});

/** The one that stood by leads now, and this one stands by. */
function swap(next: Replica): void {
  [leader, standby] = [standby, next];
}

/** Finds out who leads: on a busy machine a Lease of seconds may have changed hands by itself. */
async function meetLeader(): Promise<void> {
  await expect
    .poll(() => Promise.all([leader, standby].map((replica) => replica.metric('leader'))), {
      timeout: 20_000,
    })
    .toSatisfy(([first, second]) => first + second === 1);
  if ((await standby.metric('leader')) === 1) [leader, standby] = [standby, leader];
  await leader.leads();
  await standby.standsBy();
}

/** Sets the numbers one after the other as the counter's replicas in wec1. */
async function count(from: number, to: number): Promise<void> {
  for (let replicas = from; replicas <= to; replicas += 1)
    await setStatus(wec1, counter.ref, rolledOut(1, replicas, minute(1)));
}

/** How far a replica is with what it has told. */
function toldBy(replica: Replica): Promise<number> {
  return replica.metric('batches_sent_total');
}

/** Lets the replica tell of some changes. */
async function hears(replica: Replica): Promise<void> {
  const before = await toldBy(replica);
  await expect.poll(() => toldBy(replica), { timeout: 20_000 }).toBeGreaterThan(before + 5);
}

/** Of each replica of wec1: whether its term began after this epoch; undefined where it does not lead. */
function newTerms(epoch: number): Promise<readonly (boolean | undefined)[]> {
  return Promise.all(
    [leader, standby].map(async (replica) =>
      (await replica.metric('leader')) === 1 ? (await replica.metric('epoch')) > epoch : undefined,
    ),
  );
}

/** What a replica took for the time when it started, in milliseconds since the epoch. */
function clockOf(replica: Replica): number {
  const started = replica.log().find(({ message }) => message === 'started');
  return Date.parse(String(started?.['timestamp']));
}

const shownReplicas = inWds(counter.ref, 'status', 'replicas');

describe('the WDS says what it must after', { timeout: LIMIT_MS }, () => {
  it('the leader was killed in the middle of changes', async () => {
    await world.during(async () => {
      await hears(leader);
      await leader.end('SIGKILL');
      swap(await world.startReplica('wec1'));
      await leader.leads();
      await hears(leader);
    });
    await standby.standsBy();
  });

  it('the leader was frozen and woke up, and nothing that was older than what was shown came back', async () => {
    await bind({
      name: binding.name,
      destinations: ['wec1'],
      objects: [counter, doomed].map(({ ref }) => [ref, { wantSingletonReportedState: true }]),
    });
    await setStatus(wec1, doomed.ref, rolledOut(1, 7, minute(1)));
    await count(1, 5);
    await eventually(shownReplicas, 5);
    await eventually(inWds(doomed.ref, 'status', 'replicas'), 7);
    const recordings = await Promise.all([counter, doomed].map(({ ref }) => record(wds, ref)));
    const [counted, gone] = recordings;

    // One request is on its way, and more is to follow, when the leader is frozen: whoever sends it leads.
    await meetLeader();
    const replicas = [leader, standby];
    for (const { way } of replicas) way.hold();
    await count(6, 10);
    const heldBack = () => Math.max(...replicas.map(({ way }) => way.held()));
    await expect.poll(heldBack, { timeout: 20_000 }).toBeGreaterThan(0);
    if (leader.way.held() === 0) swap(leader);
    standby.way.release();
    const told = await toldBy(leader);
    leader.kill('SIGSTOP');
    await remove(wec1, doomed.ref);
    await count(11, 15);
    await standby.leads();
    await eventually(shownReplicas, 15);
    await eventually(inWds(doomed.ref, 'status', 'replicas'), undefined);
    await count(16, 20);
    await eventually(shownReplicas, 20);

    // What was on its way arrives, and the one that was frozen wants to go on.
    expect(leader.way.release()).toBeGreaterThan(0);
    await world.settled();
    leader.kill('SIGCONT');
    swap(leader);
    await standby.standsBy();
    await leader.leads();
    await count(21, 25);
    await eventually(shownReplicas, 25);
    await world.settled();

    for (const recording of recordings) await recording.stop();
    const shown = counted?.shown('replicas') ?? [];
    expect(shown).toEqual(shown.toSorted((a, b) => Number(a) - Number(b)));
    expect(shown.at(-1)).toBe(25);
    const absent = gone?.shown('replicas') ?? [];
    expect(absent.slice(absent.indexOf(undefined)).filter(Boolean)).toEqual([]);
    expect(absent.length).toBeGreaterThan(0);
    expect(await toldBy(standby)).toBeLessThanOrEqual(told + 1);
  });

  it('the Lease was deleted, so that two believed to lead for a moment', async () => {
    await world.during(async () => {
      for (let deletions = 0; deletions < 3; deletions += 1) {
        const before = Math.max(await leader.metric('epoch'), await standby.metric('epoch'));
        await remove(wec1, leaseRef({ namespace: NAME, name: 'wec1' }));
        await expect
          .poll(() => newTerms(before), { timeout: 20_000 })
          .toEqual(expect.arrayContaining([true, undefined]));
        // A standby that has not seen this Lease, and makes another one within the same second, gives it the same epoch.
        await delay(1_500);
      }
    });
    if ((await leader.metric('leader')) === 0) swap(leader);
    await leader.leads();
    await standby.standsBy();
  });

  it('replicas whose clocks are an hour early and an hour late led in turn, and handed back', async () => {
    await world.during(async () => {
      await standby.end('SIGTERM');
      for (const clockShiftMs of [HOUR_MS, -HOUR_MS, 0]) {
        standby = await world.startReplica('wec1', { clockShiftMs });
        await standby.standsBy();
        expect(Math.abs(clockOf(standby) - Date.now() - clockShiftMs)).toBeLessThan(HOUR_MS / 2);
        await leader.end(clockShiftMs === 0 ? 'SIGTERM' : 'SIGKILL');
        await standby.leads();
        await hears(standby);
        leader = standby;
      }
    });
  });

  it('two led all the time without an election, until one of them was stopped', async () => {
    await other.end('SIGTERM');
    await world.during(async () => {
      const first = await world.startReplica('wec2', { elected: false });
      await first.leads();
      const second = await world.startReplica('wec2', { elected: false });
      await second.leads();
      for (const replica of [first, second]) await hears(replica);
      await first.end('SIGTERM');
      await hears(second);
      other = second;
    });
  });

  it('an election took the place of none, with a Lease that is new', async () => {
    await world.during(async () => {
      await other.end('SIGTERM');
      await remove(wec2, leaseRef({ namespace: NAME, name: 'wec2' }));
      other = await world.startReplica('wec2');
      await other.leads();
      await hears(other);
    });
  });
});
