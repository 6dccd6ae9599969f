import { describe, expect, it } from 'vitest';
import { contentHash } from '#shared/content-hash.ts';
import { at, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import { readApplied } from '#shared/state/head.ts';
import { readSilentWecs } from '#shared/state/silence.ts';
import { batches, histories } from '#test/histories.ts';
import { freezeTimers } from './frozen-timers.ts';
import { play } from './history.ts';
import { ambiguous, BAD, lastOf, type Received } from './receivers.ts';
import { silence } from './silence.ts';
import type { World } from './world.ts';
import { worldOf } from './worlds.ts';

const HISTORIES = histories({ first: 5, all: 80 });
const BATCH = Math.min(10, HISTORIES);
const ACTIONS = 25;
const REJECTING = histories({ first: 11, all: 16 });

/** The status of each topic that has one, and whether it ever had another one. */
interface Present {
  readonly status: string;
  readonly hasChanged: boolean;
}

function topicOf(type: string, pk: string): string {
  const [wds, ...rest] = pk.slice(2).split('/');
  return `${type} /wds/${wds} ${rest.join('/')}`;
}

async function presentOf(world: World): Promise<ReadonlyMap<string, Present>> {
  const present = new Map<string, Present>();
  for (const [pk, statuses] of world.verdicts.of)
    present.set(topicOf(EVENT_TYPES.verdict, pk), {
      status: statuses.at(-1) ?? '',
      hasChanged: statuses[0] !== statuses.at(-1),
    });
  for (const pk of world.verdicts.of.keys()) {
    const { reported } = await readApplied(world.store, pk);
    const isRefused = reported.length > 0;
    present.set(topicOf(EVENT_TYPES.refusals, pk), {
      status: isRefused ? 'Refused' : 'Accepted',
      hasChanged: isRefused,
    });
  }
  const silent = await readSilentWecs(world.store);
  for (const name of world.destinations)
    present.set(`${EVENT_TYPES.silence} /wec/${name} ${name}`, {
      status: silent.has(name) ? 'Silent' : 'Reporting',
      hasChanged: silent.has(name),
    });
  return present;
}

function statusOf(event: JsonObject): string {
  return String(at(event, 'data', 'status'));
}

/** What the last events of a receiver say otherwise than the present. */
function wrongLast(
  received: readonly Received[],
  present: ReadonlyMap<string, Present>,
  applies: (status: string) => boolean,
): readonly string[] {
  const last = lastOf(received);
  return [...present].flatMap(([topic, { status, hasChanged }]) => {
    if (!applies(status)) return [];
    const event = last.get(topic);
    if (event === undefined) return hasChanged ? [`${topic}: never told, is ${status}`] : [];
    const told = statusOf(event);
    return told === status ? [] : [`${topic}: told ${told}, is ${status}`];
  });
}

/** Events that say what the one before of the same topic has said. */
function repeated(received: readonly Received[]): readonly string[] {
  const bySequence = new Map(
    received.map(({ topic, event }) => [`${topic} ${event['sequence']}`, { topic, event }]),
  );
  return [...bySequence.values()].flatMap(({ topic, event }) =>
    at(event, 'data', 'previous') === at(event, 'data', 'status') &&
    at(event, 'data', 'refused') === undefined
      ? [`${topic} ${event['sequence']}`]
      : [],
  );
}

/** Each status at most once for each topic. */
function moreThanOnce(received: readonly Received[]): readonly string[] {
  const ids = new Map<string, Set<string>>();
  for (const { topic, event } of received) {
    const key = `${topic} ${statusOf(event)}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(String(event['id'])));
  }
  return [...ids].flatMap(([key, { size }]) => (size > 1 ? [key] : []));
}

async function wrongIn(world: World): Promise<readonly string[]> {
  const of = (name: string): readonly Received[] => world.receivers.received.get(name) ?? [];
  const present = await presentOf(world);
  return [
    ...wrongLast(of('all'), present, () => true),
    ...wrongLast(of('bad'), present, (status) => status !== BAD),
    ...repeated(of('all')),
    ...moreThanOnce(of('once')),
    ...ambiguous(world.receivers),
    ...world.failures.map(String),
  ];
}

/** About half of all statuses. */
function isRejected(status: JsonValue): boolean {
  return /^[0-7]/.test(contentHash(stringifyJson(status)));
}

/** Plays a history with receivers that fail now and then, and then answer. */
async function played(
  seed: number,
  rejects: (status: JsonValue) => boolean = () => false,
): Promise<World> {
  const world = worldOf(seed, { notifications: true });
  world.rejects = rejects;
  world.receivers.faults = seed % 5 === 0 ? 0.3 : 0.05;
  await play(world, ACTIONS);
  const isSilent = seed % 2 === 0;
  if (isSilent) {
    await world.quiesce();
    await silence(world);
  }
  world.receivers.faults = 0;
  // Forwarders that are down stay down, so that WECs stay silent.
  await (isSilent ? world.rest() : world.quiesce());
  return world;
}

function countOf(world: World, type: string): number {
  const all = world.receivers.received.get('all') ?? [];
  return all.filter(({ event }) => event['type'] === type).length;
}

freezeTimers();

describe('receivers of events', () => {
  let events = 0;

  it('know what the API server rejects', async () => {
    let refusals = 0;
    for (let seed = 0; seed < REJECTING; seed += 1) {
      const world = await played(seed, isRejected);
      refusals += countOf(world, EVENT_TYPES.refusals);
      expect({ seed, wrong: await wrongIn(world) }).toEqual({ seed, wrong: [] });
    }
    expect(refusals).toBeGreaterThan(REJECTING);
  });

  it.each(batches(HISTORIES, BATCH))(
    'know the present state, after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = await played(seed);
        events += world.receivers.received.get('all')?.length ?? 0;
        expect({ seed, wrong: await wrongIn(world) }).toEqual({ seed, wrong: [] });
      }
      expect(events).toBeGreaterThan(BATCH);
    },
  );

  it('hear nothing more if nothing changes any more', async () => {
    const world = await played(1);
    const before = world.receivers.received.get('all')?.length;
    for (const forwarder of world.forwarders) {
      forwarder.crash();
      forwarder.start();
    }
    await world.quiesce();
    expect(world.receivers.received.get('all')?.length).toBe(before);
  });
});
