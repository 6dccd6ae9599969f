import { runLeaderElection } from '#functions/event-forwarder/leader-election.ts';
import type {
  LeaderElectionOptions,
  LeaderElectionState,
  Leadership,
} from '#functions/event-forwarder/leader-election-options.ts';
import { leaseRef } from '#functions/event-forwarder/lease.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { createMemoryCluster } from '#test/fakes/memory-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const LEASE = { namespace: 'starfold', name: 'forwarder' };
export const REF = leaseRef(LEASE);
export const TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };

/** The epoch of a Lease that was created so many seconds after {@link NOW}. */
export function epochAfter(seconds: number, transitions: number): number {
  return (NOW / 1000 + seconds) * 2 ** 20 + transitions;
}

/** An API server with Leases, on a time of its own. */
export class LeaseWorld {
  readonly time = new VirtualTime(NOW);
  readonly cluster = createMemoryCluster(() => `uid-${this.time.clock()}`);
  readonly api: ObjectApi = {
    ...this.cluster.api,
    create: (ref, object, signal) => this.cluster.api.create(ref, this.born(object), signal),
  };

  /** The object as an API server creates it now. */
  born(object: JsonObject): JsonObject {
    const creationTimestamp = new Date(this.time.clock()).toISOString().replace(/\.\d+Z$/, 'Z');
    return { ...object, metadata: { ...Object(object['metadata']), creationTimestamp } };
  }

  /** The Lease as it stands. */
  lease(): JsonObject | undefined {
    return this.cluster.objects()[0]?.object;
  }

  spec(): JsonValue | undefined {
    return at(this.lease(), 'spec');
  }

  holder(): JsonValue | undefined {
    return at(this.lease(), 'spec', 'holderIdentity');
  }

  /** Changes the Lease's spec as somebody with kubectl would. */
  edit(change: JsonObject): void {
    this.cluster.apply(REF, { ...this.lease(), spec: { ...Object(this.spec()), ...change } });
  }

  remove(): void {
    this.cluster.remove(REF);
  }
}

/** A candidate, with what it was given to do. */
export class Candidate {
  readonly terms: Leadership[] = [];
  readonly states: LeaderElectionState[] = [];
  /** Milliseconds by which its monotonic clock is ahead: raised, it is as if the process had been frozen. */
  frozenMs = 0;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();

  constructor(world: LeaseWorld, identity: string, own: Partial<LeaderElectionOptions> = {}) {
    const { time, api } = world;
    const options: LeaderElectionOptions = {
      api,
      lease: LEASE,
      identity,
      times: TIMES,
      monotonic: () => time.clock() - NOW + this.frozenMs,
      clock: time.clock,
      sleep: time.sleep,
      random: () => 0.5,
      lead: ({ signal }) => aborted(signal),
      onState: (state) => this.states.push(state),
      ...own,
    };
    const lead = (leadership: Leadership) => {
      this.terms.push(leadership);
      return options.lead(leadership);
    };
    this.ended = runLeaderElection({ ...options, lead }, this.#stop.signal);
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.ended;
  }

  /** The state that was told last. */
  get state(): LeaderElectionState | undefined {
    return this.states.at(-1);
  }

  get leads(): boolean {
    return this.terms.at(-1)?.holds() ?? false;
  }
}

/** Ends when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
