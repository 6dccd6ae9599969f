import fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '#shared/core/json.ts';
import { histories } from '#test/histories.ts';
import { ElectionWorld, type Fate, type Nature, type Process } from './leader-election-world.ts';

/** An epoch is a second since 1970 times this, and more. */
const TRANSITIONS = 2 ** 20;

type Step =
  | { readonly type: 'freeze' | 'thaw' | 'stop' | 'kill'; readonly process: number }
  | { readonly type: 'start'; readonly nature: Nature }
  | { readonly type: 'delete' }
  | { readonly type: 'wait'; readonly ms: number };

const nature: fc.Arbitrary<Nature> = fc.record({
  skewMs: fc.constantFrom(0, -1e10, 1e10, 3000),
  wallRate: fc.constantFrom(1, 0, -1, 2),
  rate: fc.constantFrom(1, 0.95, 1.05),
  flushMs: fc.constantFrom(0, 500, 7000, 30_000),
  random: fc.constantFrom(0, 0.5, 0.99),
});

const latency = fc.oneof(
  { weight: 15, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
);
const fate: fc.Arbitrary<Fate> = fc.record({
  there: latency,
  back: latency,
  outcome: fc.oneof(
    { weight: 12, arbitrary: fc.constant('ok' as const) },
    { weight: 3, arbitrary: fc.constantFrom('refused' as const, 'lost', 'silent') },
  ),
});

const wait = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 3000, max: 40_000 }));
const step = (deletions: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constantFrom('freeze' as const, 'thaw', 'freeze', 'thaw', 'stop', 'kill'),
        process: fc.nat({ max: 2 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('start' as const), nature }) },
    { weight: 8, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: wait }) },
    ...(deletions ? [{ weight: 1, arbitrary: fc.constant({ type: 'delete' as const }) }] : []),
  );
const history = (deletions: boolean) =>
  fc.record({
    natures: fc.array(nature, { minLength: 2, maxLength: 3 }),
    fates: fc.array(fate, { maxLength: 150, size: 'max' }),
    steps: fc.array(step(deletions), { maxLength: 30, size: 'max' }),
  });
type History = typeof history extends (deletions: boolean) => fc.Arbitrary<infer H> ? H : never;

/** Lets time pass in short pieces; after each of them at most one term may hold. */
async function pass(world: ElectionWorld, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    await world.time.advance(Math.min(left, 500));
    checkHolders(world);
  }
}

/** Two may hold for a moment only where the Lease of the one was deleted. */
function checkHolders(world: ElectionWorld): void {
  const holders = world.holders();
  const leases = holders.map(({ lease }) => lease);
  if (new Set(leases).size < holders.length)
    world.wrong.push(`hold at once: ${holders.map(({ epoch }) => epoch)}`);
}

function act(world: ElectionWorld, what: 'freeze' | 'thaw' | 'stop' | 'kill', of: Process): void {
  if (what === 'freeze') of.frozen = true;
  if (what === 'thaw') thaw(of);
  // A frozen process gets no signal.
  if (what === 'stop' && !of.frozen) of.stop.abort();
  if (what === 'kill') {
    of.killed = true;
    of.frozen = true;
  }
  checkHolders(world);
}

function thaw(process: Process): void {
  process.frozen = false;
  process.thaw();
  process.thaw = () => undefined;
}

async function take(world: ElectionWorld, one: Step): Promise<void> {
  if (one.type === 'wait') return pass(world, one.ms);
  if (one.type === 'delete') return deleteLease(world);
  const { running } = world;
  if (one.type === 'start') {
    if (running.length < 3) world.start(one.nature);
    return;
  }
  const process = running[one.process % Math.max(running.length, 1)];
  if (process !== undefined) act(world, one.type, process);
}

async function play(world: ElectionWorld, { natures, steps }: History): Promise<void> {
  for (const own of natures) world.start(own);
  for (const one of steps) await take(world, one);
}

/**
 * Deletes the Lease, in another second than that of its epoch: a process that has never seen it cannot know that epoch,
 * and would give it again.
 */
async function deleteLease(world: ElectionWorld): Promise<void> {
  const second = () => {
    const epoch = Number(at(world.lease, 'metadata', 'annotations', 'starfold.dev/epoch') ?? 0);
    return Math.floor(epoch / TRANSITIONS) * 1000;
  };
  while (second() > world.time.clock() - 1000) await pass(world, 1000);
  world.deleteLease();
}

/** The epochs in the order in which leadership began, of each Lease. */
function epochsByLease(world: ElectionWorld): readonly (readonly number[])[] {
  const byLease = Map.groupBy(world.terms, ({ lease }) => lease);
  return [...byLease.values()].map((terms) => terms.map(({ epoch }) => epoch));
}

function isGrowing(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > Number(numbers[index - 1]));
}

/** Ends all failures; one process leads then, with the greatest epoch, and gives the Lease up when all are stopped. */
async function expectOneLeader(world: ElectionWorld, spare: Nature): Promise<void> {
  world.calm();
  for (const process of world.running) thaw(process);
  if (world.running.length === 0) world.start(spare);
  await pass(world, 120_000);
  const [leader, ...others] = world.holders();
  expect(others).toEqual([]);
  expect(leader?.epoch).toBe(Math.max(...world.terms.map(({ epoch }) => epoch)));
  const { running } = world;
  for (const process of running) process.stop.abort();
  await pass(world, 60_000);
  expect(running.every(({ hasEnded }) => hasEnded)).toBe(true);
  expect(at(world.lease, 'spec', 'holderIdentity')).toBe('');
}

const spare: Nature = { skewMs: 0, wallRate: 1, rate: 1, flushMs: 0, random: 0 };

test('at most one leads at any moment, epochs grow, and in the end one leads', async () => {
  await fc.assert(
    fc.asyncProperty(history(false), async (given) => {
      const world = new ElectionWorld(given.fates);
      await play(world, given);
      await expectOneLeader(world, spare);
      expect(world.wrong).toEqual([]);
      expect(isGrowing(world.terms.map(({ epoch }) => epoch))).toBe(true);
    }),
    { numRuns: histories({ first: 20, all: 150 }) },
  );
});

test('where the Lease is deleted, at most one leads of each Lease, and no epoch comes twice', async () => {
  await fc.assert(
    fc.asyncProperty(history(true), async (given) => {
      const world = new ElectionWorld(given.fates);
      await play(world, given);
      await expectOneLeader(world, spare);
      expect(world.wrong).toEqual([]);
      expect(epochsByLease(world).every(isGrowing)).toBe(true);
      expect(new Set(world.terms.map(({ epoch }) => epoch)).size).toBe(world.terms.length);
    }),
    { numRuns: histories({ first: 20, all: 150 }) },
  );
});
