import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventually,
  type ForwarderWorld,
  startForwarderWorld,
  type WorldOptions,
} from './forwarder-world.ts';

/** Path of the resource that is changed. */
export const DEPLOYMENTS = '/apis/apps/v1/deployments';
/** How many of them, for {@link coreUnderChanges}. */
export const CHANGES_PER_SECOND = 50;
/** How often every object changes while the queue is down. */
export const ROUNDS = 4;

const SECONDS = 15;
const TICK_MS = 20;
/** Longer than a forwarder rests before it gives memory back. */
const SETTLE_MS = 25_000;
/** V8 leaves garbage lying where there is room; about so much room there is in a container of the chart. */
const HEAP_LIMIT = ['--max-old-space-size=256'];

/** Memory and CPU of a forwarder that has listed its objects, in bytes. */
export interface Listed {
  readonly peakRss: number;
  readonly peakHeap: number;
  /** As it is once the forwarder has rested. */
  readonly rss: number;
  /** After a full collection. */
  readonly liveHeap: number;
  /** From its start until everything was sent. */
  readonly cpuSeconds: number;
}

/** Looks at a forwarder that has listed everything, now and some seconds later. */
export async function settle({ program, listed, peakHeap }: ForwarderWorld): Promise<Listed> {
  await sleep(SETTLE_MS);
  const { rss } = await program.process.usage();
  const { peakRss, cpuSeconds } = listed;
  return { peakRss, peakHeap, rss, cpuSeconds, liveHeap: await program.process.liveHeap() };
}

/** Starts a forwarder, measures and stops it. */
export async function withForwarder<T>(
  watched: Omit<WorldOptions, 'nodeOptions'> & Partial<WorldOptions>,
  measure: (world: ForwarderWorld) => Promise<T>,
): Promise<T> {
  const world = await startForwarderWorld({ nodeOptions: HEAP_LIMIT, ...watched });
  try {
    return await measure(world);
  } finally {
    await world.stop();
  }
}

/** The share of a core (0 to 1) that it takes while Deployments change one after the other; there are `count` of them. */
export async function coreUnderChanges({ server, program }: ForwarderWorld, count: number) {
  const before = (await program.process.usage()).cpuSeconds;
  const began = performance.now();
  const total = CHANGES_PER_SECOND * SECONDS;
  for (let done = 0; done < total; await sleep(TICK_MS)) {
    const due = Math.min(
      total,
      Math.floor(((performance.now() - began) * CHANGES_PER_SECOND) / 1000),
    );
    for (; done < due; done += 1) server.change(DEPLOYMENTS, (done * 7) % count);
  }
  const seconds = (performance.now() - began) / 1000;
  return ((await program.process.usage()).cpuSeconds - before) / seconds;
}

/**
 * Memory in bytes while nothing can be sent: the heap after each of the rounds in which every Deployment changes, RSS after
 * the last, the heap when all was sent, and how many events that were.
 */
export async function queueDown({ server, drain, program }: ForwarderWorld, count: number) {
  drain.isDown = true;
  const heaps: number[] = [];
  let seen = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let index = 0; index < count; index += 1) {
      server.change(DEPLOYMENTS, index);
      // In pieces, as an API server sends them.
      if (index % 100 === 99) await sleep(TICK_MS);
    }
    await eventually('every change waits to be sent', async () => {
      const usage = await program.process.usage();
      const isQuiet = usage.cpuSeconds - seen < 0.05;
      seen = usage.cpuSeconds;
      // The first batch has been taken from what waits, and is retried and again.
      if (!isQuiet) await sleep(500);
      return isQuiet && (await program.metric('unsent_events')) >= count * 0.8;
    });
    heaps.push(await program.process.liveHeap());
  }
  const { rss, peakRss } = await program.process.usage();
  const sent = await program.metric('events_sent_total');
  drain.isDown = false;
  await eventually('everything is sent', async () => (await program.metric('unsent_events')) === 0);
  const afterwards = (await program.metric('events_sent_total')) - sent;
  return { heaps, rss, peakRss, afterwards, liveHeap: await program.process.liveHeap() };
}
