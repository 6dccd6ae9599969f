import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runLeaderElection } from '#functions/event-forwarder/leader-election.ts';
import type {
  LeaderElectionState,
  Leadership,
} from '#functions/event-forwarder/leader-election-options.ts';
import { leaseRef } from '#functions/event-forwarder/lease.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { at } from '#shared/core/json.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { clusters, createNamespace, kubectl, read, remove } from './clusters.ts';
import { clear, eventually } from './controls.ts';

const namespace = 'leader-election';
const { wec1, kubeconfigPath } = clusters();
const lease = { namespace, name: 'event-forwarder' };
const ref = leaseRef(lease);
const times = { leaseDurationMs: 8000, renewDeadlineMs: 6000, retryPeriodMs: 500 };
/** Terms and their ends, in their order: `<identity> leads`, `<identity> ends`. */
let happened: string[] = [];
let running: Candidate[] = [];

beforeAll(() => createNamespace(wec1, namespace));
afterEach(async () => {
  for (const candidate of running) await candidate.stop();
  await clear(wec1, [ref]);
  running = [];
  happened = [];
});

interface Candidate {
  readonly epochs: readonly number[];
  leads(): boolean;
  state(): LeaderElectionState | undefined;
  /** From now on its requests fail. */
  disconnect(): void;
  stop(): Promise<void>;
}

/** An API whose requests fail while `isDown` says so. */
function breakable(isDown: () => boolean): ObjectApi {
  const api = createKubernetesApi(loadKubeConfig(kubeconfigPath, 'wec1'), {
    context: 'wec1',
    requestTimeoutMs: 10_000,
    fieldManager: 'starfold',
  });
  const check = () => {
    if (isDown()) throw new ApiUnavailableError('request', 'cut off');
  };
  return {
    ...api,
    get: async (...call) => {
      check();
      return api.get(...call);
    },
    replace: async (...call) => {
      check();
      return api.replace(...call);
    },
  };
}

function start(identity: string): Candidate {
  const stop = new AbortController();
  const terms: Leadership[] = [];
  let state: LeaderElectionState | undefined;
  let isDown = false;
  const lead = async (term: Leadership) => {
    happened.push(`${identity} leads`);
    terms.push(term);
    await new Promise((resolve) => term.signal.addEventListener('abort', resolve, { once: true }));
    happened.push(`${identity} ends`);
  };
  const ended = runLeaderElection(
    {
      api: breakable(() => isDown),
      lease,
      identity,
      times,
      monotonic: () => performance.now(),
      clock: Date.now,
      // The abort ends the sleep: it is no failure.
      sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
      random: () => 0.5,
      lead,
      onState: (next) => {
        state = next;
      },
    },
    stop.signal,
  );
  const candidate = {
    get epochs() {
      return terms.map(({ epoch }) => epoch);
    },
    leads: () => terms.at(-1)?.holds() ?? false,
    state: () => state,
    disconnect: () => {
      isDown = true;
    },
    stop: () => {
      stop.abort();
      return ended;
    },
  };
  running.push(candidate);
  return candidate;
}

/** A candidate that leads, and another one that waits. */
async function leaderAndStandby(): Promise<readonly [Candidate, Candidate]> {
  const leader = start('first');
  await eventually(async () => leader.leads(), true);
  const standby = start('second');
  await eventually(async () => standby.state()?.holder, 'first');
  return [leader, standby];
}

describe('an election on a real API server', () => {
  it('shows the holder as kubectl prints it, and takes the epoch from the Lease', async () => {
    const [leader] = await leaderAndStandby();
    const printed = await kubectl('wec1', ['get', 'lease', lease.name, '-n', namespace]);
    expect(printed).toMatch(/^NAME +HOLDER +AGE\nevent-forwarder +first +/);
    const metadata = at(await read(wec1, ref), 'metadata');
    const created = Date.parse(String(at(metadata, 'creationTimestamp'))) / 1000;
    const [epoch = 0] = leader.epochs;
    expect(epoch).toBeGreaterThanOrEqual(created * 2 ** 20);
    expect(epoch).toBeLessThan((created + 60) * 2 ** 20);
    expect(at(metadata, 'annotations')).toEqual({ 'starfold.dev/epoch': String(epoch) });
  });

  it('renews the Lease', async () => {
    await leaderAndStandby();
    const renewTime = async () => at(await read(wec1, ref), 'spec', 'renewTime');
    const before = await renewTime();
    expect(before).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await expect.poll(renewTime, { timeout: 20_000 }).not.toBe(before);
    expect(happened).toEqual(['first leads']);
  });

  it('hands over when the leader is stopped', async () => {
    const [leader, standby] = await leaderAndStandby();
    await leader.stop();
    const released = at(await read(wec1, ref), 'spec');
    expect(released).toMatchObject({ holderIdentity: expect.stringMatching(/^(second)?$/) });
    await eventually(async () => standby.leads(), true);
    expect(happened).toEqual(['first leads', 'first ends', 'second leads']);
    expect(standby.epochs).toEqual([expect.any(Number)]);
    expect(standby.epochs[0]).toBeGreaterThan(leader.epochs[0] ?? Number.POSITIVE_INFINITY);
    const { error } = standby.state() ?? {};
    expect(error).toBeUndefined();
  });

  it('takes over when the leader stops renewing, after that one has stopped', async () => {
    const [leader, standby] = await leaderAndStandby();
    leader.disconnect();
    await eventually(async () => standby.leads(), true);
    expect(leader.leads()).toBe(false);
    expect(happened).toEqual(['first leads', 'first ends', 'second leads']);
    expect(leader.state()?.error).toContain('cut off');
    // The second of the takeover, on the API server's clock: a Lease is taken over after more than a second here.
    const seconds = [leader, standby].map(({ epochs }) => Math.floor((epochs[0] ?? 0) / 2 ** 20));
    expect(seconds[1]).toBeGreaterThan(seconds[0] ?? Number.POSITIVE_INFINITY);
    expect(at(await read(wec1, ref), 'spec')).toMatchObject({
      holderIdentity: 'second',
      leaseTransitions: 1,
    });
  });

  it('begins a new term when the Lease is deleted', async () => {
    const [leader] = await leaderAndStandby();
    await remove(wec1, ref);
    await eventually(async () => leader.epochs.length > 1 && leader.leads(), true);
    const [first, second] = leader.epochs;
    expect(second).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY);
    expect(happened).toEqual(['first leads', 'first ends', 'first leads']);
  });

  it('goes on when somebody labels the Lease', async () => {
    const [leader] = await leaderAndStandby();
    await kubectl('wec1', ['label', 'lease', lease.name, '-n', namespace, 'team=platform']);
    const renewed = leader.state()?.renewedAt;
    await expect.poll(() => leader.state()?.renewedAt, { timeout: 20_000 }).not.toBe(renewed);
    expect(happened).toEqual(['first leads']);
    expect(at(await read(wec1, ref), 'metadata', 'labels')).toEqual({ team: 'platform' });
  });
});
