import { runLeaderElection } from '#functions/event-forwarder/leader-election.ts';
import type {
  LeaderElectionOptions,
  Leadership,
} from '#functions/event-forwarder/leader-election-options.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { createMemoryCluster } from '#test/fakes/memory-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

/** What becomes of a request. */
export interface Fate {
  /** Milliseconds until the API server gets it, and until the client gets the answer. */
  readonly there: number;
  readonly back: number;
  /** `refused`: it does nothing and fails. `lost`: it does what it should and fails. `silent`: no answer ever comes. */
  readonly outcome: 'ok' | 'refused' | 'lost' | 'silent';
}

/** What a process has of its own. */
export interface Nature {
  /** Its wall clock: how far ahead, and how fast (0: it stands still). */
  readonly skewMs: number;
  readonly wallRate: number;
  /** How fast its monotonic clock and its timers are. */
  readonly rate: number;
  /** How long its work takes to end. */
  readonly flushMs: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/** A term of leadership that a process was given. */
export interface Term extends Leadership {
  /** The uid of its Lease. */
  readonly lease: unknown;
  readonly process: Process;
  /** Whether its work has ended. */
  over: boolean;
  /** Whether it has been seen not to hold. */
  hasLost: boolean;
}

/** One run of a process that takes part. */
export interface Process {
  readonly nature: Nature;
  readonly stop: AbortController;
  /** Whether it takes part no more. */
  hasEnded: boolean;
  killed: boolean;
  frozen: boolean;
  /** The uid of the Lease that it has written last. */
  lease: unknown;
  /** Lets it run again. */
  thaw: () => void;
}

/** Processes that elect their leader on an API server that is unreliable for as long as fates are left. */
export class ElectionWorld {
  readonly time = new VirtualTime(NOW);
  readonly terms: Term[] = [];
  /** What was seen that must never be. */
  readonly wrong: string[] = [];
  readonly processes: Process[] = [];
  #fates: Fate[];
  #uid = 0;
  readonly #cluster = createMemoryCluster(() => `uid-${this.#uid++}`);

  constructor(fates: readonly Fate[]) {
    this.#fates = [...fates];
  }

  /** The Lease as it stands. */
  get lease(): JsonObject | undefined {
    return this.#cluster.objects()[0]?.object;
  }

  /** Starts another process. */
  start(nature: Nature): void {
    const { time } = this;
    const stop = new AbortController();
    const process: Process = {
      nature,
      stop,
      hasEnded: false,
      killed: false,
      frozen: false,
      lease: undefined,
      thaw: () => undefined,
    };
    const awake = () => this.#awake(process);
    const options: LeaderElectionOptions = {
      api: this.#apiOf(awake, (stored) => {
        process.lease = at(stored, 'metadata', 'uid');
      }),
      lease: { namespace: 'starfold', name: 'forwarder' },
      identity: `process-${this.processes.length}`,
      times: { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 },
      monotonic: () => (time.clock() - NOW) * nature.rate,
      clock: () => NOW + nature.skewMs + (time.clock() - NOW) * nature.wallRate,
      sleep: (ms, signal) => time.sleep(ms / nature.rate, signal).then(awake),
      random: () => nature.random,
      lead: (leadership) => this.#lead(process, leadership),
    };
    void runLeaderElection(options, stop.signal).then(() => {
      process.hasEnded = true;
    });
    this.processes.push(process);
  }

  /** Deletes the Lease. */
  deleteLease(): void {
    for (const { ref } of this.#cluster.objects()) this.#cluster.remove(ref);
  }

  /** From now on every request is answered at once. */
  calm(): void {
    this.#fates = [];
  }

  /** Processes that live, and are not told to stop. */
  get running(): readonly Process[] {
    return this.processes.filter(({ killed, stop }) => !killed && !stop.signal.aborted);
  }

  /** Terms that hold now. Who is frozen would find so when it wakes up. */
  holders(): readonly Term[] {
    return this.terms.filter((term) => {
      const holds = !term.process.killed && term.holds();
      if (holds && term.hasLost) this.wrong.push(`epoch ${term.epoch} holds again`);
      term.hasLost ||= !holds;
      return holds;
    });
  }

  #awake(process: Process): Promise<void> | undefined {
    if (!process.frozen) return undefined;
    return new Promise((resolve) => {
      const before = process.thaw;
      process.thaw = () => {
        before();
        resolve();
      };
    });
  }

  async #lead(process: Process, leadership: Leadership): Promise<void> {
    const term: Term = {
      ...leadership,
      process,
      lease: process.lease,
      over: false,
      hasLost: false,
    };
    const unfinished = this.terms.some((other) => other.process === process && !other.over);
    if (unfinished) this.wrong.push(`epoch ${term.epoch} begins before its process is ready`);
    this.terms.push(term);
    const { signal } = leadership;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await this.time.sleep(process.nature.flushMs).then(() => this.#awake(process));
    term.over = true;
  }

  /** The API as one process sees it. */
  #apiOf(
    awake: () => Promise<void> | undefined,
    onStored: (stored: JsonObject) => void,
  ): ObjectApi {
    const { api } = this.#cluster;
    const call = <T>(request: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
      new Promise((resolve, reject) => {
        const abort = () => reject(new ApiUnavailableError('request', 'aborted'));
        signal?.addEventListener('abort', abort, { once: true });
        // A request that its sender has given up may reach the API server all the same.
        this.#answer(request, awake).then(resolve, reject);
      });
    const stored = (object: JsonObject) => {
      onStored(object);
      return object;
    };
    return {
      ...api,
      get: (ref, signal) => call(() => api.get(ref), signal),
      create: (ref, object, signal) =>
        call(() => api.create(ref, this.#born(object)), signal).then(stored),
      replace: (ref, object, signal) =>
        call(() => api.replace(ref, this.#stamped(object)), signal).then(stored),
    };
  }

  async #answer<T>(request: () => Promise<T>, awake: () => Promise<void> | undefined): Promise<T> {
    const fate = this.#fates.shift() ?? { there: 1, back: 1, outcome: 'ok' };
    await this.time.sleep(fate.there);
    const failure = new ApiUnavailableError('request', fate.outcome);
    const answer = fate.outcome === 'refused' ? Promise.reject(failure) : request();
    // The error is thrown below, once its answer has come back.
    await answer.catch(() => undefined);
    await this.time.sleep(fate.back);
    if (fate.outcome === 'silent') await new Promise(() => undefined);
    await awake();
    if (fate.outcome === 'lost') throw failure;
    return answer;
  }

  #now(): string {
    return new Date(this.time.clock()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  #born(object: JsonObject): JsonObject {
    const metadata = { ...Object(at(object, 'metadata')), creationTimestamp: this.#now() };
    return this.#stamped({ ...object, metadata });
  }

  /** The object with the time of its last write, as an API server notes it. */
  #stamped(object: JsonObject): JsonObject {
    const managedFields = [{ manager: 'starfold', operation: 'Update', time: this.#now() }];
    return { ...object, metadata: { ...Object(at(object, 'metadata')), managedFields } };
  }
}
