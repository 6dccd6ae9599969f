import { describe, expect, it } from 'vitest';
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { registerSender } from '#shared/state/senders.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { batches, histories } from '#test/histories.ts';
import { type MakeBackend, memoryBackend } from './backend.ts';
import { freezeTimers } from './frozen-timers.ts';
import { play } from './history.ts';
import { differences } from './oracle.ts';
import { principalFor, type SimulatedQueue } from './queues.ts';
import { lastOf } from './receivers.ts';
import { STAGES, World } from './world.ts';

// biome-ignore lint/style/noProcessEnv: how long to look, and from which seed on, is for whoever starts the tests to say.
const { STARFOLD_LOST_SEEDS = `0:${histories({ first: 5, all: 100 })}` } = process.env;
/** `FIRST:HISTORIES`, a number of batches. */
const [FIRST = 0, HISTORIES = 0] = STARFOLD_LOST_SEEDS.split(':').map(Number);
const BATCH = histories({ first: 5, all: 10 });
/** Of these, the state is lost twice as late. */
const NOTIFYING = histories({ first: 5, all: 40 });
const ACTIONS = 12;
/** What says why it is held. */
const TOLD = ['bindings', 'bindingpolicies'];
const ROUND_MS = 2_000;
const WECS = ['wec1', 'wec2', 'wec3', 'wec4'];

/** A queue that compares the deduplication identifiers of one life of the state. */
function withinLife(queue: SimulatedQueue, life: () => number): SimulatedQueue {
  const identified = (message: OutgoingMessage): OutgoingMessage =>
    message.deduplicationId === undefined
      ? message
      : { ...message, deduplicationId: `${life()}-${message.deduplicationId}` };
  return {
    ...queue,
    sentBy: (senderId) => {
      const sender = queue.sentBy(senderId);
      return { ...sender, send: (sent, signal) => sender.send(sent.map(identified), signal) };
    },
  };
}

/**
 * A store that can be lost, with queues that stay: what waits in them speaks of a state that is gone. The five minutes for which
 * SQS remembers identifiers are over before the new state begins (docs/operations.md, "A lost table").
 */
function losable(): { readonly backend: MakeBackend; lose(): void } {
  let current: ItemStore = createMemoryItemStore();
  let lives = 0;
  const store: ItemStore = {
    get: (keys, signal) => current.get(keys, signal),
    query: (query, signal) => current.query(query, signal),
    put: (puts, signal) => current.put(puts, signal),
    delete: (deletes, signal) => current.delete(deletes, signal),
  };
  return {
    backend: (scheduler, maxReceives) => {
      const { queues } = memoryBackend(scheduler, maxReceives);
      const remembering = {
        ...queues,
        dirty: withinLife(queues.dirty, () => lives),
        hints: withinLife(queues.hints, () => lives),
      };
      return { store, queues: remembering };
    },
    lose: () => {
      lives += 1;
      current = createMemoryItemStore();
    },
  };
}

/** Lets invocations of all stages take turns, and die. */
async function turns(world: World, count: number): Promise<void> {
  const { random } = world.scheduler;
  for (let turn = 0; turn < count; turn += 1) {
    if (world.running.length < 6 && random.chance(0.5)) world.invoke(random.pick(STAGES));
    const [actor] = world.running;
    if (actor !== undefined && random.chance(0.01)) world.crash(actor);
    await world.scheduler.advance();
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function isHeldError(error: JsonValue): boolean {
  return typeof error === 'string' && error.startsWith('starfold: held since ');
}

/** A Binding or BindingPolicy, but for the error that it is held, and what any write changes. */
function withoutHeld(object: JsonObject): string {
  const { resourceVersion: _version, ...metadata } = objectOf(member(object, 'metadata'));
  const { errors, ...status } = objectOf(member(object, 'status'));
  const others = (isArray(errors) ? errors : []).filter((error) => !isHeldError(error));
  return stringifyJson({ ...object, metadata, status: { ...status, errors: others } });
}

/** What happened in the WDS in the course of something. */
interface Changes {
  /** Whatever changed but for the error of a Binding that it is held. */
  readonly others: readonly string[];
  /** How often that error was written, or removed. */
  readonly held: number;
}

async function changesDuring(world: World, work: () => Promise<void>): Promise<Changes> {
  const others: string[] = [];
  let held = 0;
  const key = (ref: ObjectRef): string => `${ref.resource} ${ref.namespace}/${ref.name}`;
  const stood = new Map(world.wds.objects().map(({ ref, object }) => [key(ref), object]));
  const tell = world.wds.onChange;
  world.wds.onChange = (change) => {
    const { type, ref, object } = change;
    const before = stood.get(key(ref));
    stood.set(key(ref), object);
    const isSame = before !== undefined && withoutHeld(before) === withoutHeld(object);
    if (type === 'MODIFIED' && TOLD.includes(ref.resource) && isSame) held += 1;
    else others.push(`${type} ${key(ref)}`);
    tell(change);
  };
  await work();
  world.wds.onChange = tell;
  return { others, held };
}

/** Loses the state, and has each source told anew, in any order, while invocations take turns. */
async function loseState(world: World, lose: () => void): Promise<void> {
  const { random } = world.scheduler;
  for (const actor of world.running) world.crash(actor);
  lose();
  for (const { source, registration } of world.forwarders)
    await registerSender(world.store, { source: registration, principal: principalFor(source) });
  // Results do not wait for hubs: docs/adr/0016. So the hub comes first.
  const left = world.forwarders.toSorted((a, b) => Number(b.isHub) - Number(a.isHub));
  while (left.length > 0) {
    const at = left[0]?.isHub === true ? 0 : random.below(left.length);
    const [forwarder] = left.splice(at, 1);
    const since = forwarder?.relist();
    await turns(world, random.below(120));
    // What was told is recorded before the end of the listing is: docs/adr/0016.
    await world.rest();
    if (since !== undefined) forwarder?.endListing(since);
    await turns(world, random.below(120));
  }
  await world.rest();
}

/** Has all events sent and recorded, and nothing aggregated. */
async function recordAll(world: World): Promise<void> {
  for (;;) {
    while (await world.scheduler.advance());
    const { visible, inFlight, delayed } = await world.queues.events.counts();
    if (visible + inFlight + delayed === 0 && world.running.length === 0) return;
    world.invoke('record-events');
    while (await world.scheduler.advance());
    world.scheduler.pass(ROUND_MS);
  }
}

/** Loses the state, and has everything told and recorded anew before anything is aggregated. */
async function loseAndRecord(world: World, lose: () => void): Promise<void> {
  for (const actor of world.running) world.crash(actor);
  lose();
  for (const { source, registration } of world.forwarders)
    await registerSender(world.store, { source: registration, principal: principalFor(source) });
  const told = world.forwarders.map((forwarder) => ({ forwarder, since: forwarder.relist() }));
  // What was told is recorded before the end of the listing is: docs/adr/0016.
  await recordAll(world);
  for (const { forwarder, since } of told) if (since !== undefined) forwarder.endListing(since);
  await recordAll(world);
  await world.rest();
}

freezeTimers();

describe('a state that is lost while forwarders and WDS go on, simulated', () => {
  it.each(batches(HISTORIES, BATCH, FIRST))(
    'leaves what stands in the WDS but for telling why, and ends equal to a fresh fold, in the histories of seeds %i and following',
    async (first) => {
      let told = 0;
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const { backend, lose } = losable();
        const unsharded = seed % 2 === 0 ? 2 : 128;
        const variant = { narrow: seed % 5 === 0, crowded: seed % 3 === 1 };
        const world = new World(seed, WECS, { backend, unsharded, ...variant });
        await play(world, ACTIONS);
        await world.quiesce();
        const before = differences(world);
        const changes = await changesDuring(world, () => loseState(world, lose));
        told += changes.held;
        const wrong = [...differences(world), ...world.failures.map(String)];
        expect({ seed, before, changes: changes.others, wrong }).toEqual({
          seed,
          before: [],
          changes: [],
          wrong: [],
        });
      }
      // In most histories a wait is longer than a minute.
      expect(told).toBeGreaterThan(BATCH);
    },
  );
});

describe('the receivers of notifications of a state that is lost, simulated', () => {
  it.each(batches(NOTIFYING, BATCH))(
    'are not told the verdicts again that they know, in the histories of seeds %i and following',
    async (first) => {
      let known = 0;
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const { backend, lose } = losable();
        const world = new World(seed, WECS, { backend, notifications: true });
        await play(world, 2 * ACTIONS);
        await world.quiesce();
        const received = world.receivers.received.get('all') ?? [];
        const before = lastOf(received);
        const count = received.length;
        await (seed % 2 === 0 ? loseState : loseAndRecord)(world, lose);
        known += before.size;
        const told = received
          .slice(count)
          .map(({ topic, event }) => `${topic} ${stringifyJson(event)}`);
        expect({ seed, told, failures: world.failures }).toEqual({ seed, told: [], failures: [] });
      }
      // Else the test would say nothing.
      expect(known).toBeGreaterThan(BATCH / 2);
    },
  );
});
