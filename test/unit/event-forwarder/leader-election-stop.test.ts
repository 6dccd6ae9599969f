import { expect, it } from 'vitest';
import { workFailed } from '#functions/event-forwarder/messages.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { aborted, Candidate, epochAfter, LeaseWorld } from './leader-election-candidate.ts';

it('renews while the work ends on stop, then releases the Lease', async () => {
  const world = new LeaseWorld();
  const flush = 40_000;
  const lead = async ({ signal }: { readonly signal: AbortSignal }) => {
    await aborted(signal);
    await world.time.sleep(flush);
  };
  const candidate = new Candidate(world, 'a', { lead });
  const other = new Candidate(world, 'b');
  await world.time.advance(3000);
  const ended = candidate.stop();
  const [term] = candidate.terms;
  expect([term?.holds(), term?.signal.aborted]).toEqual([true, true]);
  await world.time.advance(flush - 1);
  expect(term?.holds()).toBe(true);
  expect(candidate.state).toMatchObject({ role: 'resigning', renewedAt: 42_000 });
  await world.time.advance(1);
  await ended;
  expect(term?.holds()).toBe(false);
  expect(world.spec()).toEqual({
    holderIdentity: '',
    leaseDurationSeconds: 1,
    leaseTransitions: 0,
    acquireTime: '2026-01-01T00:00:43.000000Z',
    renewTime: '2026-01-01T00:00:43.000000Z',
  });
  await world.time.advance(4400);
  expect(other.terms.map(({ epoch }) => epoch)).toEqual([epochAfter(0, 1)]);
});

it('reports the work that still ends when the Lease is lost in the meantime', async () => {
  const world = new LeaseWorld();
  let isDown = false;
  const replace: ObjectApi['replace'] = (...call) =>
    isDown ? new Promise(() => undefined) : world.api.replace(...call);
  const lead = async ({ signal }: { readonly signal: AbortSignal }) => {
    await aborted(signal);
    await world.time.sleep(40_000);
  };
  const candidate = new Candidate(world, 'a', { lead, api: { ...world.api, replace } });
  const other = new Candidate(world, 'b');
  await world.time.settle();
  const ended = candidate.stop();
  isDown = true;
  await world.time.advance(9999);
  expect(candidate.leads).toBe(true);
  await world.time.advance(1);
  expect(candidate.leads).toBe(false);
  await world.time.advance(30_000);
  await ended;
  expect([other.leads, world.holder()]).toEqual([true, 'b']);
});

it('leaves the Lease alone on stop if another holds it', async () => {
  const world = new LeaseWorld();
  const candidate = new Candidate(world, 'a');
  await world.time.advance(1000);
  world.edit({ holderIdentity: 'other' });
  await candidate.stop();
  expect(world.holder()).toBe('other');
});

it('releases also a Lease whose acquisition it did not hear of', async () => {
  const world = new LeaseWorld();
  const create: ObjectApi['create'] = async (...call) => {
    await world.api.create(...call);
    return new Promise(() => undefined);
  };
  const candidate = new Candidate(world, 'a', { api: { ...world.api, create } });
  await world.time.settle();
  expect(world.holder()).toBe('a');
  await candidate.stop();
  expect(candidate.terms).toHaveLength(0);
  expect(world.holder()).toBe('');
});

it('releases the Lease if its work fails, and retries after a while', async () => {
  const world = new LeaseWorld();
  const lead = async () => {
    throw new Error('no such kubeconfig');
  };
  const candidate = new Candidate(world, 'a', { lead });
  await world.time.settle();
  expect(candidate.state?.error).toBe(workFailed('no such kubeconfig'));
  expect(world.holder()).toBe('');
  await world.time.advance(3199);
  expect(candidate.terms).toHaveLength(1);
  await world.time.advance(1);
  expect(candidate.terms.map(({ epoch }) => epoch)).toEqual([epochAfter(0, 0), epochAfter(0, 1)]);
});

it('leaves the Lease to others if it is stopped before it leads', async () => {
  const world = new LeaseWorld();
  const candidate = new Candidate(world, 'a');
  await candidate.stop();
  expect(candidate.terms).toHaveLength(0);
  expect([undefined, '']).toContain(world.holder());
});

it('is a candidate again only when the work of the term before has ended', async () => {
  const world = new LeaseWorld();
  let finish = (): void => undefined;
  const lead = () =>
    new Promise<void>((resolve) => {
      finish = resolve;
    });
  const candidate = new Candidate(world, 'a', { lead });
  await world.time.advance(1000);
  world.edit({ holderIdentity: '' });
  await world.time.advance(100_000);
  expect(candidate.terms).toHaveLength(1);
  expect(candidate.state).toMatchObject({ role: 'resigning', renewedAt: 0 });
  finish();
  await world.time.settle();
  expect(candidate.terms).toHaveLength(2);
  expect(candidate.state?.role).toBe('leader');
});
