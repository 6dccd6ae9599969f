import { expect, it } from 'vitest';
import { epochOfHolder, epochOfLease, parseLease } from '#functions/event-forwarder/lease.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { ApiForbiddenError, ApiNotFoundError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { Candidate, epochAfter, LeaseWorld, REF, TIMES } from './leader-election-candidate.ts';

const leaseOf = (creationTimestamp: string | undefined) =>
  parseLease({ metadata: creationTimestamp === undefined ? {} : { creationTimestamp } });

it.each([
  ['1970-01-01T00:00:01Z', 5, 2 ** 20 + 5],
  ['2026-01-01T00:00:00Z', 0, epochAfter(0, 0)],
  ['2026-01-01T00:00:00Z', 2 ** 20 - 1, epochAfter(1, 0) - 1],
  ['2242-03-16T12:56:31Z', 2 ** 20 - 1, Number.MAX_SAFE_INTEGER],
])('the epoch of a Lease of %s after %i transitions', (created, transitions, epoch) => {
  expect(epochOfLease(leaseOf(created), transitions)).toEqual({ epoch });
});

it.each([
  [undefined, 0, 'metadata.creationTimestamp is ""'],
  ['yesterday', 0, 'metadata.creationTimestamp is "yesterday"'],
  ['2026-13-01T00:00:00Z', 0, 'metadata.creationTimestamp'],
  ['1970-01-01T00:00:00Z', 0, 'metadata.creationTimestamp'],
  ['2242-03-16T12:56:32Z', 0, 'metadata.creationTimestamp'],
  ['2026-01-01T00:00:00Z', 2 ** 20, 'spec.leaseTransitions would be 1048576'],
])('no epoch comes of a Lease of %s after %i transitions', (created, transitions, fault) => {
  const expected = { fault: expect.stringContaining(fault) };
  expect(epochOfLease(leaseOf(created), transitions)).toEqual(expected);
});

it.each([
  ['without creationTimestamp', { metadata: {}, spec: {} }, 'metadata.creationTimestamp'],
  [
    'with too many transitions',
    {
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { leaseTransitions: 2 ** 20 - 1 },
    },
    'spec.leaseTransitions',
  ],
])('does not lead with a Lease %s, and reports it', async (_what, object, field) => {
  const world = new LeaseWorld();
  world.cluster.restore(REF, object);
  const before = world.lease();
  const candidate = new Candidate(world, 'a');
  await world.time.advance(20_000);
  expect(candidate.terms).toHaveLength(0);
  expect(world.lease()).toEqual(before);
  expect(candidate.state?.error).toContain(`Lease starfold/forwarder: ${field}`);
  expect(candidate.state?.error).toContain('delete the Lease');
  world.remove();
  await world.time.advance(5000);
  expect(candidate.leads).toBe(true);
});

it('leads with a greater epoch also if the Lease is an older one than before', async () => {
  const world = new LeaseWorld();
  const candidate = new Candidate(world, 'a');
  await world.time.advance(1000);
  const object = { metadata: { creationTimestamp: '2025-01-01T00:00:00Z' }, spec: {} };
  world.cluster.restore(REF, object);
  await world.time.advance(20_000);
  expect(candidate.leads).toBe(true);
  const [first, second] = candidate.terms.map(({ epoch }) => epoch);
  expect(second).toBe((first ?? 0) + 1);
});

const WRITTEN = '2026-01-01T00:10:00Z';

it.each<[string, JsonObject, { readonly seen: number; readonly epoch: number }]>([
  ['a new Lease', {}, { seen: 0, epoch: epochAfter(0, 3) }],
  [
    'when it was written',
    { managedFields: [{ time: WRITTEN }, {}] },
    { seen: 0, epoch: epochAfter(600, 0) },
  ],
  [
    'what was written, where that is more',
    {
      annotations: { 'starfold.dev/epoch': String(epochAfter(900, 7)) },
      managedFields: [{ time: WRITTEN }],
    },
    { seen: 0, epoch: epochAfter(900, 8) },
  ],
  [
    'what was seen, where that is more',
    { managedFields: [{ time: WRITTEN }] },
    { seen: epochAfter(700, 1), epoch: epochAfter(700, 2) },
  ],
  [
    'no text that is no epoch',
    { annotations: { 'starfold.dev/epoch': 'soon' } },
    { seen: 0, epoch: epochAfter(0, 3) },
  ],
  [
    'no epoch that leaves no room for others',
    { annotations: { 'starfold.dev/epoch': String(Number.MAX_SAFE_INTEGER) } },
    { seen: 0, epoch: epochAfter(0, 3) },
  ],
  [
    'no time that is none',
    { managedFields: [{ time: 'now' }, { time: 7 }] },
    { seen: 0, epoch: epochAfter(0, 3) },
  ],
])('the epoch of a holder goes by %s', (_what, metadata, { seen, epoch }) => {
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const object = { metadata: { creationTimestamp, ...metadata }, spec: { leaseTransitions: 3 } };
  expect(epochOfHolder(parseLease(object), seen)).toEqual({ epoch });
});

it('writes its epoch into the Lease, for who leads after it', async () => {
  const world = new LeaseWorld();
  const first = new Candidate(world, 'a');
  await world.time.advance(1000);
  const written = (): unknown => at(world.lease(), 'metadata', 'annotations', 'starfold.dev/epoch');
  expect(written()).toBe(String(first.terms[0]?.epoch));
  const later = String(epochAfter(5000, 0));
  world.cluster.apply(REF, {
    ...world.lease(),
    metadata: {
      ...Object(at(world.lease(), 'metadata')),
      annotations: { 'starfold.dev/epoch': later },
    },
  });
  await first.stop();
  const second = new Candidate(world, 'b');
  await world.time.advance(30_000);
  expect(second.terms[0]?.epoch).toBe(epochAfter(5000, 1));
  expect(written()).toBe(String(epochAfter(5000, 1)));
});

it('starts higher when a Lease is made again within the same second', async () => {
  const world = new LeaseWorld();
  const times = { leaseDurationMs: 500, renewDeadlineMs: 300, retryPeriodMs: 100 };
  const candidate = new Candidate(world, 'a', { times });
  await world.time.advance(150);
  world.remove();
  await world.time.advance(300);
  expect(candidate.terms.map(({ epoch }) => epoch)).toEqual([epochAfter(0, 0), epochAfter(0, 1)]);
});

function forbidden(operation: string, unauthenticated = false) {
  return async (): Promise<never> => {
    throw new ApiForbiddenError(operation, 'no', { unauthenticated });
  };
}

const created: JsonObject = { metadata: {}, spec: {} };
const name = 'leases.coordination.k8s.io/v1 starfold/forwarder';

it.each<[string, Partial<ObjectApi>, string]>([
  ['get', { get: forbidden(`get ${name}`) }, 'the verb get is missing'],
  ['update', { replace: forbidden(`replace ${name}`) }, 'the verb update is missing'],
  ['a login', { get: forbidden(`get ${name}`, true) }, 'credentials that this API server knows'],
])('names what the API server does not allow: %s', async (_verb, broken, remedy) => {
  const world = new LeaseWorld();
  await world.api.create(REF, created);
  const candidate = new Candidate(world, 'a', { api: { ...world.api, ...broken } });
  await world.time.settle();
  expect(candidate.state).toMatchObject({ role: 'candidate', epoch: undefined });
  expect(candidate.state?.error).toContain('Lease starfold/forwarder: API server denies');
  expect(candidate.state?.error).toContain(remedy);
});

it('names the verb create, and a namespace that is missing', async () => {
  const world = new LeaseWorld();
  let create: ObjectApi['create'] = forbidden(`create ${name}`);
  const api: ObjectApi = { ...world.api, create: (...call) => create(...call) };
  const candidate = new Candidate(world, 'a', { api });
  await world.time.settle();
  expect(candidate.state?.error).toContain('the verb create is missing');
  create = async () => {
    throw new ApiNotFoundError(`create ${name}`, 'namespaces "starfold" not found');
  };
  await world.time.advance(5000);
  expect(candidate.state?.error).toContain('create the namespace starfold');
  create = world.api.create;
  await world.time.advance(5000);
  expect(candidate.state).toMatchObject({ role: 'leader', error: undefined });
});

it('gives up a request that is not answered, and retries', async () => {
  const world = new LeaseWorld();
  let hangs = true;
  const api: ObjectApi = {
    ...world.api,
    get: (...call) => (hangs ? new Promise(() => undefined) : world.api.get(...call)),
  };
  const candidate = new Candidate(world, 'a', { api });
  await world.time.advance(5000);
  expect(candidate.state?.error).toContain('no answer within 5 s');
  hangs = false;
  await world.time.advance(5000);
  expect(candidate.leads).toBe(true);
});

it.each([
  ['retryPeriod must be greater', { ...TIMES, retryPeriodMs: 0 }],
  ['renewDeadline must be greater', { ...TIMES, renewDeadlineMs: 2400 }],
  ['leaseDuration must be greater', { ...TIMES, leaseDurationMs: 10_000 }],
  ['leaseDuration must be greater', { ...TIMES, leaseDurationMs: Number.POSITIVE_INFINITY }],
  ['renewDeadline must be greater', { ...TIMES, renewDeadlineMs: Number.NaN }],
])('rejects times that no election can work with: %s', (message, times) => {
  expect(() => new Candidate(new LeaseWorld(), 'a', { times })).toThrow(RangeError);
  expect(() => new Candidate(new LeaseWorld(), 'a', { times })).toThrow(message);
});

it('rejects an empty identity: it would be the holder of every released Lease', () => {
  expect(() => new Candidate(new LeaseWorld(), '')).toThrow(RangeError);
});
