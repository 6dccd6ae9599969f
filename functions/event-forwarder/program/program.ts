import { type Forwarder, startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import type { SentEvents } from '#functions/event-forwarder/forwarder-options.ts';
import { runLeaderElection } from '#functions/event-forwarder/leader-election.ts';
import type {
  LeaderElectionState,
  LeaderElectionTimes,
  Leadership,
} from '#functions/event-forwarder/leader-election-options.ts';
import packageJson from '#package.json' with { type: 'json' };
import { untilAborted } from '#shared/concurrency.ts';
import { epochAt } from '#shared/core/epoch.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import { readiness } from './checks.ts';
import type { ForwarderConfig } from './config.ts';
import type { Connections } from './connections.ts';
import { forwarderSource } from './forwarder-source.ts';
import { forwarderTimes } from './forwarder-times.ts';
import type { ProgramLog } from './log.ts';
import { createMetrics, type ForwarderMetrics } from './metrics.ts';
import { ReadinessLog } from './readiness-log.ts';
import { configuredResources, ServedResources } from './served-resources.ts';
import type { ProgramStatus } from './status.ts';

/** The dependencies of the process. */
export interface ProgramOptions extends Waiting {
  readonly config: ForwarderConfig;
  readonly connections: Connections;
  /** The identity of this process as the holder of the Lease. Unique for each process. */
  readonly identity: string;
  readonly log: ProgramLog;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds from an arbitrary start. The clock is never set back, and also runs while the process is frozen. */
  readonly monotonic: () => number;
}

interface Term {
  readonly epoch: number;
  readonly forwarder: Forwarder;
  /** Aborts at the end of the term. */
  readonly signal: AbortSignal;
  readonly served: ServedResources;
  sent: boolean;
}

/** Whether the cluster does not serve a resource that the configuration names. */
function isOneUnserved({ configured, term }: ProgramStatus): boolean {
  return configured.some((name) => term?.forwarder.resources.get(name)?.phase === 'not-served');
}

/** The times of the Lease in a configuration. */
export function leaderElectionTimes(
  election: ForwarderConfig['leaderElection'],
): LeaderElectionTimes {
  return {
    leaseDurationMs: election.leaseDurationSeconds * 1_000,
    renewDeadlineMs: election.renewDeadlineSeconds * 1_000,
    retryPeriodMs: election.retryPeriodSeconds * 1_000,
  };
}

/** The process. It takes part in the election, and forwards while it leads. */
export class Program {
  readonly #options: ProgramOptions;
  readonly #ending = new AbortController();
  readonly #readinessLog: ReadinessLog;
  readonly metrics: ForwarderMetrics;
  #election: LeaderElectionState | undefined;
  #term: Term | undefined;
  #stopping = false;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#readinessLog = new ReadinessLog(options.log, options.sleep, this.#ending.signal);
    this.metrics = createMetrics({ status: () => this.status(), clock: options.clock });
  }

  status(): ProgramStatus {
    const stopping = this.#stopping;
    const election = this.#election;
    const term = this.#term;
    return {
      stopping,
      identity: this.#options.identity,
      configured: configuredResources(this.#options.config.source),
      ...(election === undefined ? {} : { election }),
      ...(term === undefined
        ? {}
        : {
            term: {
              epoch: term.epoch,
              sent: term.sent,
              forwarder: term.forwarder.state(),
              served: term.served.names(),
            },
          }),
    };
  }

  /** Runs until the signal aborts. Unsent events are then sent for as long as the configuration allows. */
  async run(signal: AbortSignal): Promise<void> {
    const { config, connections, identity, clock, log } = this.#options;
    const { enabled, namespace, name } = config.leaderElection;
    signal.addEventListener('abort', () => {
      this.#stopping = true;
      this.#ending.abort();
      log.info('stopping', { shutdownSeconds: config.shutdownSeconds });
    });
    const lead = (leadership: Leadership): Promise<void> => this.#lead(leadership);
    if (!enabled) {
      // The second in which the process was started replaces the second in which a Lease was acquired.
      return lead({ epoch: epochAt(clock()), signal, holds: () => true });
    }
    const { sleep, random, monotonic } = this.#options;
    await runLeaderElection(
      {
        api: connections.leaseApi,
        lease: { namespace, name },
        identity,
        times: leaderElectionTimes(config.leaderElection),
        ...{ sleep, random, monotonic, clock, lead },
        onState: (state) => this.#elected(state),
      },
      signal,
    );
  }

  #elected(state: LeaderElectionState): void {
    const before = this.#election;
    this.#election = state;
    const { holder } = state;
    if (holder !== before?.holder && holder !== undefined && holder !== '')
      this.#options.log.info('the Lease has a holder', { holder });
    this.#note();
  }

  async #lead({ epoch, signal, holds }: Leadership): Promise<void> {
    const { log, config } = this.#options;
    log.setEpoch(epoch);
    log.info('leading', {});
    this.metrics.termBegan();
    const forwarder = this.#startForwarder(epoch, holds);
    const served = new ServedResources(this.#options.connections.api);
    this.#term = { epoch, forwarder, signal, served, sent: false };
    await untilAborted(signal);
    const flushMs = holds() ? config.shutdownSeconds * 1_000 : 0;
    await forwarder.stop(flushMs);
    const state = forwarder.state();
    this.metrics.observe(state);
    this.#term = undefined;
    log.info('no longer leading', { unsent: state.unsent, stopped: this.#stopping });
    log.setEpoch(undefined);
  }

  #startForwarder(epoch: number, holds: () => boolean): Forwarder {
    const { config, connections, clock, sleep, random, log } = this.#options;
    return startForwarder({
      api: connections.api,
      queue: connections.queue,
      source: forwarderSource(config.source),
      config: forwarderTimes(config),
      epoch,
      version: packageJson.version,
      isLeading: holds,
      ...{ clock, sleep, random },
      logger: log,
      onState: () => this.#note(),
      onSent: (sent) => this.#accepted(sent),
      onSendFailure: () => this.metrics.sendFailed(),
    });
  }

  #accepted(sent: SentEvents): void {
    this.metrics.sent(sent);
    if (this.#term === undefined || this.#term.sent) return;
    this.#term.sent = true;
    this.#note();
  }

  #note(): void {
    if (this.#stopping) return;
    const status = this.status();
    if (this.#term !== undefined && isOneUnserved(status))
      this.#term.served.ask(this.#term.signal, () => this.#note());
    if (this.#term?.served.isAsking()) return;
    this.#readinessLog.note(readiness(status));
  }
}
