import { epochAt } from '#shared/core/epoch.ts';
import type { EventContent } from '#shared/core/event.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { removeWec } from '#shared/outbox/remove-wec.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import { registerSender } from '#shared/state/senders.ts';
import { NOW_MS } from '#test/hostile/record-bench.ts';
import { playBeside } from './beside.ts';
import { listAnew, passDays } from './days.ts';
import { setBinding } from './history.ts';
import { HOSTILE_WEC, HostileSources } from './hostile-sources.ts';
import { HOSTILE_WDS } from './hostile-statements.ts';
import { manifest, workloads } from './objects.ts';
import { principalFor } from './queues.ts';
import { Random } from './scheduler.ts';
import { World } from './world.ts';

/** The quota of a WEC: a few more objects than an honest one has, with what crashes make it count. */
export const OBJECTS_PER_WEC = 24;
const HONEST = ['wec1', 'wec2', 'wec3'];

/** One history, of which there are two worlds: one with hostile sources, and one in which they never were. */
export class HostileHistory {
  readonly world: World;
  /** The most objects that the hostile WEC had in the state. */
  most = 0;
  readonly #hostile: HostileSources | undefined;

  readonly #seed: number;

  constructor(seed: number, withHostile: boolean) {
    this.#seed = seed;
    const hostile = withHostile ? new HostileSources(seed) : undefined;
    const sharding = seed % 3 === 0 ? { unsharded: 2, late: seed % 2 === 0 } : {};
    this.world = new World(seed, HONEST, {
      ...sharding,
      deeds: seed,
      objectsPerWec: OBJECTS_PER_WEC,
      narrow: seed % 5 === 0,
      // Each death is a receipt: what ends its process is set aside at the second one.
      ...(seed % 4 === 0 ? { maxReceives: 1_000_000 } : {}),
      // Where no Binding sends anything to it, every status and every result has to be as it is without it.
      ...(seed % 2 === 0 ? { foreignWecs: [HOSTILE_WEC] } : {}),
      ...(hostile === undefined ? {} : { otherWdses: new Map([[HOSTILE_WDS, hostile.api]]) }),
    });
    this.world.scheduler.now = NOW_MS;
    this.#hostile = hostile;
    const [web] = workloads(this.world);
    if (hostile !== undefined && web !== undefined && seed % 4 === 0)
      this.world.poisoned.add(
        `W#${HOSTILE_WDS}/${web.group}/${web.resource}/${web.namespace}/${web.name}`,
      );
  }

  /** Plays it until nothing is left to do. */
  async play(): Promise<void> {
    const { world } = this;
    await this.#hostile?.register(world);
    for (const forwarder of world.forwarders) forwarder.start();
    await this.#sayNothing();
    await playBeside(world, { act: () => this.#act(), worked: () => this.#countObjects() });
    this.#hostile?.stop();
    await world.quiesce();
    await this.#countObjects();
  }

  /** The WEC that will be hostile says once, as others do, that this is all that it has: nothing. */
  async #sayNothing(): Promise<void> {
    const { world } = this;
    const source = { type: 'wec', name: HOSTILE_WEC } as const;
    await registerSender(world.store, { source, principal: principalFor(source) });
    const time = new Date(world.scheduler.now).toISOString();
    const contents: readonly EventContent[] = [
      { type: 'heartbeat' },
      { type: 'snapshot', since: { epoch: 0, sequence: 0 } },
    ];
    const events = contents.map((content, sequence) =>
      encodeEvent({ source, version: { epoch: 0, sequence }, time, content }),
    );
    await world.queues.events
      .sentBy(`${principalFor(source)}:forwarder`)
      .send([{ body: encodeBatch(events) }]);
  }

  async #countObjects(): Promise<void> {
    const pk = sourcePartition({ type: 'wec', name: HOSTILE_WEC });
    const { items } = await this.world.store.query(range(pk, RANGE.reported));
    this.most = Math.max(this.most, items.length);
  }

  /** Three weeks pass; then everything is listed anew. */
  async age(): Promise<void> {
    await passDays(this.world, 21);
    await listAnew(this.world);
  }

  /** After that, some Binding names each object again. */
  async nameAgain(): Promise<void> {
    const { world } = this;
    this.#sameDeeds();
    for (const _ref of workloads(world)) setBinding(world);
    await world.rest();
    await listAnew(world);
  }

  /** Both worlds go on with the same deeds, however many they drew before: forwarders crash in one of them alone. */
  #sameDeeds(): void {
    this.world.deeds = new Random(this.#seed);
  }

  #act(): void {
    const many = this.world.scheduler.random.below(3);
    for (let act = 0; act <= many; act += 1) this.#hostile?.act(this.world);
  }

  /** Some honest WECs fall silent. */
  async fallSilent(): Promise<void> {
    const { world } = this;
    for (const forwarder of world.wecForwarders(true))
      if (world.deeds.chance(0.4)) forwarder.crash();
    world.pass(2 * SILENCE_LIMIT_MS);
    this.#act();
    world.sweepStale();
    await world.rest();
  }

  /**
   * An operator removes the hostile WEC; an honest one comes under its name. The second removal is the one that operators are
   * asked for: registrations are remembered for a while.
   */
  async replaceWec(): Promise<void> {
    const { world } = this;
    this.#sameDeeds();
    for (let removal = 0; removal < 2; removal += 1) {
      await removeWec(
        { store: world.store, dirty: world.queues.dirty },
        HOSTILE_WEC,
        world.scheduler.now,
      );
      await world.rest();
    }
    const { cluster, forwarder } = world.join(HOSTILE_WEC);
    for (const ref of workloads(world))
      if (world.deeds.chance(0.7))
        cluster.apply(ref, {
          ...manifest(ref, { replicas: 2 }),
          status: { replicas: world.deeds.below(4) },
        });
    forwarder.start(epochAt(world.scheduler.now));
    await world.quiesce();
  }
}
