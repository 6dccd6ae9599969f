import fc from 'fast-check';
import { expect } from 'vitest';
import { type Forwarder, startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import type { ForwarderSource } from '#functions/event-forwarder/forwarder-options.ts';
import { ApiUnavailableError, ResourceExpiredError } from '#shared/errors.ts';
import type { Resource, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { oneFollower } from '#shared/watch/one-follower.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { heard, SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

/** Longer than what heals takes: what a resync mends in the end would hide what was missed before. */
const RESYNC_MS = 200_000;

/** What may happen to a forwarder, its cluster's connections and its queue, whatever it follows. */
export type Trouble =
  | { readonly type: 'queue'; readonly mode: 'accept' | 'lost' | 'unknown' | 'late' }
  | {
      readonly type: 'compact' | 'disconnect' | 'break' | 'expire' | 'down' | 'up' | 'bookmark';
    }
  /** Stopped, with so much time to send what is unsent, and started anew. */
  | { readonly type: 'restart'; readonly flushMs: number }
  /** 200 s and more have a periodic resync in them. */
  | { readonly type: 'wait'; readonly ms: number };

/** Random troubles, with their weights for `fc.oneof`. */
export const troubles = [
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('queue' as const),
      mode: fc.constantFrom('accept' as const, 'accept', 'lost', 'unknown', 'late'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'compact' as const,
        'disconnect',
        'break',
        'expire',
        'down',
        'up',
        'bookmark',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('restart' as const),
      flushMs: fc.constantFrom(0, 50, 5000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 10, 500, 40_000, RESYNC_MS),
    }),
  },
];

/** A forwarder, the cluster that it follows and the queue that it sends to; time passes when a test says so. */
export class ForwarderWorld {
  readonly cluster = new FakeCluster();
  readonly queue = new SentMessages();
  readonly time = new VirtualTime();
  readonly #source: ForwarderSource;
  readonly #api: ResourceApi;
  #epoch = 0;
  #forwarder: Forwarder;

  /** @param isShared whether the forwarder reads the cluster by a follower that outlives it */
  constructor(source: ForwarderSource, served: readonly Resource[], isShared = false) {
    this.#source = source;
    const { clock: now, sleep } = this.time;
    this.#api = isShared ? oneFollower({ api: this.cluster, now, sleep }).api : this.cluster;
    for (const resource of served)
      this.cluster.serve({ ...resource, kind: 'Any', namespaced: true, statusSubresource: true });
    this.#forwarder = this.#start();
  }

  #start(): Forwarder {
    this.#epoch += 1;
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    return startForwarder({
      api: this.#api,
      ...(this.#api === this.cluster ? {} : { objectsAreHeld: true }),
      queue: this.queue,
      source: this.#source,
      config: { windowMs: 10, resyncMs: RESYNC_MS },
      epoch: this.#epoch,
      clock: this.time.clock,
      sleep: this.time.sleep,
      random: () => 0.5,
      logger: silent,
    });
  }

  /** Stops the forwarder, lets something happen, and starts the next one. */
  async restart(flushMs: number, meanwhile: () => void = () => undefined): Promise<void> {
    await this.#stop(flushMs);
    meanwhile();
    this.#forwarder = this.#start();
  }

  async #stop(flushMs: number): Promise<void> {
    const { mode } = this.queue;
    const stopped = this.#forwarder.stop(flushMs);
    await this.time.advance(flushMs);
    await stopped;
    if (flushMs >= 5000 && mode === 'accept') expect(this.#forwarder.state().unsent).toBe(0);
  }

  /** Lets everything work again, and enough time pass for everything to be told. */
  async heal(ms = 120_000): Promise<void> {
    this.cluster.failure = undefined;
    this.queue.mode = 'accept';
    this.queue.release();
    await this.time.advance(ms);
    await this.#stop(0);
  }

  /** The sources that have said in this epoch that this is all. */
  complete(): ReadonlySet<string> {
    const ends = this.queue
      .events()
      .filter(
        ({ content, version }) => content.type === 'snapshot' && version.epoch === this.#epoch,
      );
    return new Set(ends.map(({ source }) => `${source.type}/${source.name}`));
  }

  /** Lets one trouble happen. */
  async suffer(trouble: Trouble): Promise<void> {
    const { cluster, queue } = this;
    switch (trouble.type) {
      case 'queue':
        queue.mode = trouble.mode;
        return queue.release();
      case 'compact':
        return cluster.compact();
      case 'disconnect':
        return cluster.disconnect();
      case 'break':
        return cluster.disconnect(new ApiUnavailableError('watch', 'reset'));
      case 'expire':
        return cluster.disconnect(new ResourceExpiredError('watch'));
      case 'down':
        cluster.failure = new ApiUnavailableError('any', 'refused');
        return cluster.disconnect(cluster.failure);
      case 'up':
        cluster.failure = undefined;
        return;
      case 'bookmark':
        return cluster.bookmark();
      case 'restart':
        return this.restart(trouble.flushMs);
      case 'wait':
        return this.time.advance(trouble.ms);
    }
  }
}

function nameOf(key: string): string | undefined {
  return /^[^/]*\/(\S+) /.exec(key)?.[1];
}

/**
 * Expects that who hears the forwarder in any order knows exactly what stands, and that each source has ended a snapshot.
 *
 * @param truth what stands, as `heard` names it
 * @param rank the order in which the events are heard: that of these numbers
 * @param steady what stood from the start and did not change: no end of a snapshot may make it seem to be gone
 * @param comparable what of it is compared; default: all
 */
export function expectHeard(
  world: ForwarderWorld,
  truth: ReadonlyMap<string, unknown>,
  {
    rank,
    steady,
    comparable = (known) => known,
  }: {
    readonly rank: () => number;
    readonly steady: string;
    readonly comparable?: (known: ReadonlyMap<string, unknown>) => ReadonlyMap<string, unknown>;
  },
): void {
  const events = world.queue.events();
  const reordered = events
    .map((event) => ({ event, at: rank() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event);
  const expected = Object.fromEntries(comparable(truth));
  expect(Object.fromEntries(comparable(heard(events)))).toEqual(expected);
  expect(Object.fromEntries(comparable(heard(reordered)))).toEqual(expected);
  const complete = world.complete();
  for (const key of truth.keys()) expect(complete).toContain(key.slice(0, key.indexOf(' ')));
  for (const [index, { content }] of events.entries())
    if (content.type === 'snapshot' && events[index]?.source.name === nameOf(steady))
      expect([...heard(events.slice(0, index + 1)).keys()]).toContain(steady);
}
