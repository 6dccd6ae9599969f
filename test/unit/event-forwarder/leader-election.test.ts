import { expect, it } from 'vitest';
import { leaseDeleted, notRenewed } from '#functions/event-forwarder/messages.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { ApiConflictError, ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { Candidate, epochAfter, LeaseWorld, NOW, REF } from './leader-election-candidate.ts';

const lost = async (): Promise<never> => {
  throw new ApiUnavailableError('replace lease', 'connection reset');
};

/** An API whose writes and reads can be made to fail. */
function switched(api: ObjectApi): ObjectApi & { down: boolean } {
  const own: ObjectApi & { down: boolean } = {
    ...api,
    down: false,
    get: (...call) => (own.down ? lost() : api.get(...call)),
    replace: (...call) => (own.down ? lost() : api.replace(...call)),
  };
  return own;
}

it('creates the Lease as client-go does, and leads with its epoch', async () => {
  const world = new LeaseWorld();
  const candidate = new Candidate(world, 'a');
  await world.time.settle();
  expect(world.spec()).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    leaseTransitions: 0,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.000000Z',
  });
  expect(candidate.terms.map(({ epoch }) => epoch)).toEqual([epochAfter(0, 0)]);
  expect(candidate.state).toEqual({
    role: 'leader',
    holder: 'a',
    epoch: epochAfter(0, 0),
    renewedAt: 0,
    error: undefined,
  });
});

it('renews the Lease every retry period, and nothing else of it', async () => {
  const world = new LeaseWorld();
  const candidate = new Candidate(world, 'a');
  await world.time.settle();
  const before = world.spec();
  await world.time.advance(60_000);
  expect(world.spec()).toEqual({
    ...Object(before),
    renewTime: '2026-01-01T00:01:00.000000Z',
  });
  expect(candidate.state?.renewedAt).toBe(60_000);
  expect(candidate.terms).toHaveLength(1);
  expect(candidate.leads).toBe(true);
});

it('takes over when it has seen no renewal for the lease duration, whatever the clocks say', async () => {
  const world = new LeaseWorld();
  const api = switched(world.api);
  const first = new Candidate(world, 'a', { api, clock: () => NOW - 1e11 });
  await world.time.settle();
  const second = new Candidate(world, 'b', { clock: () => NOW + 1e11 });
  await world.time.advance(100_000);
  expect(second.terms).toHaveLength(0);
  expect(second.state?.holder).toBe('a');
  api.down = true;
  await world.time.advance(14_900);
  expect(world.holder()).toBe('a');
  await world.time.advance(5000);
  expect(world.holder()).toBe('b');
  expect(at(world.lease(), 'spec', 'leaseTransitions')).toBe(1);
  expect(second.terms.map(({ epoch }) => epoch)).toEqual([epochAfter(0, 1)]);
  expect(first.leads).toBe(false);
});

it('waits for as long as the holder asked for', async () => {
  const world = new LeaseWorld();
  await world.api.create(REF, {
    metadata: {},
    spec: { holderIdentity: 'other', leaseDurationSeconds: 60, leaseTransitions: 3 },
  });
  const candidate = new Candidate(world, 'a');
  await world.time.advance(59_900);
  expect(candidate.terms).toHaveLength(0);
  await world.time.advance(5000);
  expect(candidate.terms[0]?.epoch).toBe(epochAfter(0, 4));
});

it('does not wait if the Lease was released, and keeps what others wrote into it', async () => {
  const world = new LeaseWorld();
  const labels = { team: 'platform' };
  await world.api.create(REF, { metadata: { labels }, spec: { strategy: 'x' } });
  const candidate = new Candidate(world, 'a');
  await world.time.settle();
  expect(candidate.terms[0]?.epoch).toBe(epochAfter(0, 1));
  expect(world.lease()).toMatchObject({
    metadata: { labels },
    spec: { strategy: 'x', holderIdentity: 'a', leaseTransitions: 1 },
  });
});

it('leads until the renew deadline if the API server is down, and later with a new epoch', async () => {
  const world = new LeaseWorld();
  const api = switched(world.api);
  const candidate = new Candidate(world, 'a', { api });
  await world.time.advance(2000);
  api.down = true;
  await world.time.advance(9999);
  const [term] = candidate.terms;
  expect([term?.holds(), term?.signal.aborted]).toEqual([true, false]);
  await world.time.advance(1);
  expect([term?.holds(), term?.signal.aborted]).toEqual([false, true]);
  expect(candidate.states.map(({ error }) => error)).toContain(
    notRenewed(
      'Lease starfold/forwarder: API server unavailable: replace lease: connection reset',
      10,
    ),
  );
  api.down = false;
  await world.time.advance(5000);
  expect(world.holder()).toBe('a');
  expect(candidate.terms.map(({ epoch }) => epoch)).toEqual([epochAfter(0, 0), epochAfter(0, 1)]);
  expect(candidate.leads).toBe(true);
  expect(term?.holds()).toBe(false);
});

it('counts a renewal from when it was sent', async () => {
  const world = new LeaseWorld();
  let delayMs = 0;
  const replace: ObjectApi['replace'] = async (...call) => {
    const stored = await world.api.replace(...call);
    if (delayMs < 5000) await world.time.sleep(delayMs);
    else await new Promise(() => undefined);
    return stored;
  };
  const candidate = new Candidate(world, 'a', { api: { ...world.api, replace } });
  await world.time.settle();
  delayMs = 4000;
  await world.time.advance(6000);
  expect(candidate.state?.renewedAt).toBe(2000);
  delayMs = 5000;
  await world.time.advance(5999);
  expect(candidate.leads).toBe(true);
  await world.time.advance(1);
  expect(candidate.leads).toBe(false);
});

it('knows right after the process was frozen that it leads no more, and a late answer does not change that', async () => {
  const world = new LeaseWorld();
  let answer: (() => void) | undefined;
  let isLate = false;
  const replace: ObjectApi['replace'] = async (...call) => {
    const stored = await world.api.replace(...call);
    if (isLate)
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
    return stored;
  };
  const candidate = new Candidate(world, 'a', { api: { ...world.api, replace } });
  await world.time.settle();
  isLate = true;
  await world.time.advance(2000);
  candidate.frozenMs = 9000;
  const [term] = candidate.terms;
  expect([term?.holds(), term?.signal.aborted]).toEqual([false, false]);
  answer?.();
  await world.time.settle();
  expect([term?.holds(), term?.signal.aborted]).toEqual([false, true]);
});

it('does not begin to lead with an answer that is too old', async () => {
  const world = new LeaseWorld();
  const frozen: { candidate?: Candidate } = {};
  const create: ObjectApi['create'] = async (...call) => {
    const stored = await world.api.create(...call);
    if (frozen.candidate !== undefined) frozen.candidate.frozenMs = 10_000;
    return stored;
  };
  frozen.candidate = new Candidate(world, 'a', { api: { ...world.api, create } });
  await world.time.settle();
  expect(frozen.candidate.terms).toHaveLength(0);
  await world.time.advance(5000);
  expect(frozen.candidate.terms[0]?.epoch).toBe(epochAfter(0, 1));
});

it('continues in the same term when somebody else has changed the Lease, or an answer was lost', async () => {
  const world = new LeaseWorld();
  let calls = 0;
  const replace: ObjectApi['replace'] = async (...call) => {
    const stored = await world.api.replace(...call);
    calls += 1;
    return calls % 3 === 0 ? lost() : stored;
  };
  const candidate = new Candidate(world, 'a', { api: { ...world.api, replace } });
  for (let round = 0; round < 20; round += 1) {
    await world.time.advance(3100);
    const metadata = at(world.lease(), 'metadata') as JsonObject; // A Lease has metadata.
    world.cluster.apply(REF, {
      ...world.lease(),
      metadata: { ...metadata, labels: { n: `${round}` } },
    });
  }
  expect(candidate.terms).toHaveLength(1);
  expect(candidate.leads).toBe(true);
  expect(at(world.lease(), 'metadata', 'labels')).toEqual({ n: '19' });
});

it.each([
  ['another holder', { holderIdentity: 'other' }, 'is now held by other'],
  ['nobody', { holderIdentity: '' }, 'is now held by nobody'],
  ['another term', { leaseTransitions: 7 }, 'is now held by a'],
])('ends the term when the Lease says %s', async (_who, change, reason) => {
  const world = new LeaseWorld();
  const candidate = new Candidate(world, 'a');
  await world.time.advance(1000);
  world.edit(change);
  await world.time.advance(1000);
  const [term] = candidate.terms;
  expect([term?.holds(), term?.signal.aborted]).toEqual([false, true]);
  const errors = candidate.states.map(({ error }) => error);
  expect(errors).toContain(`Lease starfold/forwarder ${reason}`);
});

it('ends the term when another Lease of the same content has taken the place of its own', async () => {
  const world = new LeaseWorld();
  const candidate = new Candidate(world, 'a');
  await world.time.advance(1000);
  const object = { ...world.lease(), metadata: {} };
  world.remove();
  await world.api.create(REF, object);
  await world.time.advance(1000);
  expect(candidate.terms.map(({ epoch }) => epoch)).toEqual([epochAfter(0, 0), epochAfter(1, 1)]);
});

it('writes its lease duration in whole seconds, rounded up', async () => {
  const world = new LeaseWorld();
  const times = { leaseDurationMs: 1500, renewDeadlineMs: 1000, retryPeriodMs: 200 };
  const candidate = new Candidate(world, 'a', { times });
  await world.time.settle();
  expect(at(world.spec(), 'leaseDurationSeconds')).toBe(2);
  await world.time.advance(1000);
  expect(at(world.spec(), 'leaseDurationSeconds')).toBe(2);
  expect(candidate.terms).toHaveLength(1);
});

it.each(['404', '409'])('makes a deleted Lease again, as a new term (%s)', async (code) => {
  const world = new LeaseWorld();
  const replace: ObjectApi['replace'] = async (...call) => {
    // An API server compares the uid, which no object has.
    if (code === '409' && world.lease() === undefined) throw new ApiConflictError('replace', 'UID');
    return world.api.replace(...call);
  };
  const candidate = new Candidate(world, 'a', { api: { ...world.api, replace } });
  const other = new Candidate(world, 'b');
  await world.time.advance(61_900);
  world.remove();
  await world.time.advance(4100);
  expect(candidate.terms.map(({ epoch }) => epoch)).toEqual([epochAfter(0, 0), epochAfter(62, 1)]);
  expect(candidate.terms[0]?.signal.aborted).toBe(true);
  expect(candidate.states.map(({ error }) => error)).toContain(
    leaseDeleted('Lease starfold/forwarder'),
  );
  // It may not know yet that it leads no more.
  expect(other.terms).toHaveLength(0);
});

it.each([
  ['stands still', 0],
  ['runs backwards', -1],
])('renews a Lease visibly also if its clock %s', async (_how, rate) => {
  const world = new LeaseWorld();
  const clock = () => NOW + (world.time.clock() - NOW) * rate;
  const first = new Candidate(world, 'a', { clock });
  await world.time.settle();
  const second = new Candidate(world, 'b', { random: () => 0 });
  await world.time.advance(100_000);
  expect([first.leads, second.terms.length]).toEqual([true, 0]);
});
