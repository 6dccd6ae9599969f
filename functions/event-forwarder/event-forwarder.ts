import type { ForwarderEvent } from '#shared/core/event.ts';
import { isSourceName } from '#shared/events/names.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { Waiting } from './backoff.ts';
import { runBatcher } from './batcher.ts';
import { Ledger } from './ledger.ts';
import { Outbox } from './outbox.ts';
import type { ReflectorState } from './reflector.ts';
import type { Source } from './source.ts';
import { WdsSource } from './wds-source.ts';
import { type WecSelection, WecSource } from './wec-source.ts';

/** The cluster that is watched, and what of it is told. */
export type ForwarderSource =
  | ({ readonly type: 'wec'; readonly name: string } & WecSelection)
  | { readonly type: 'wds'; readonly name: string };

/** Times, in milliseconds; the defaults are those of the design, section 7. */
interface ForwarderTimes {
  /** Events gather so long before they are sent. Default 200. */
  readonly windowMs?: number;
  /** Between two heartbeats. Default 30 s. */
  readonly heartbeatMs?: number;
  /** Between two snapshots when nothing else asks for one. Default 10 h. */
  readonly resyncMs?: number;
}

/** Structured log, as Powertools' logger has it. */
interface ForwarderLogger {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** What a forwarder needs of the world. */
export interface ForwarderOptions extends Waiting {
  readonly api: ResourceApi;
  readonly queue: MessageQueue;
  readonly source: ForwarderSource;
  readonly config?: ForwarderTimes;
  /** Greater than that of every forwarder that has spoken for this source. An integer below 2^53. */
  readonly epoch: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly logger: ForwarderLogger;
  /** Called when something of the state has changed, the counts of events apart. */
  readonly onState?: (state: ForwarderState) => void;
}

/** How a forwarder is. */
export interface ForwarderState {
  /** The cluster answers: at least one resource of it is being watched. Only then heartbeats are sent. */
  readonly connected: boolean;
  /** A first whole snapshot has been handed to the sender. */
  readonly complete: boolean;
  /** By `<resource>.<group>/<version>`. */
  readonly resources: ReadonlyMap<string, ReflectorState>;
  /** Why the source as a whole waits (discovery), where it does. */
  readonly sourceError?: string;
  /** Why the last attempt to send failed, until one succeeds. */
  readonly queueError?: string;
  /** Events that wait to be sent. */
  readonly unsent: number;
  /** Objects that stand in the source, as far as is known. */
  readonly objects: number;
  /** Events that were too large for any message, since the start. */
  readonly tooLarge: number;
}

/** A running forwarder. */
export interface Forwarder {
  /** Ends it; when the promise is fulfilled nothing of it runs any more. What is unsent is told by the next one. */
  stop(): Promise<void>;
  state(): ForwarderState;
}

const DEFAULTS = { windowMs: 200, heartbeatMs: 30_000, resyncMs: 10 * 60 * 60_000 };

function checkSource(source: ForwarderSource): void {
  if (!isSourceName(source.name))
    throw new RangeError(
      `source ${source.name}: a cluster's name has 1 to 253 letters, digits and . _ : @ -: give it another`,
    );
  const all =
    source.type === 'wec' && source.labelSelector === undefined && source.resources === undefined;
  if (all)
    throw new RangeError(
      `source ${source.name}: neither labelSelector nor resources is given: name which objects of the WEC came from the WDS`,
    );
}

class RunningForwarder implements Forwarder {
  readonly #options: ForwarderOptions;
  readonly #times: Required<ForwarderTimes>;
  readonly #outbox: Outbox;
  readonly #ledger: Ledger;
  readonly #source: Source;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<unknown>;
  #snapshotWanted = true;
  #complete = false;
  #wasConnected = false;
  #queueError: string | undefined;
  #tooLarge = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#times = { ...DEFAULTS, ...options.config };
    const { source, epoch, clock, sleep, random } = options;
    const { type, name } = source;
    this.#outbox = new Outbox({ source: { type, name }, epoch, clock });
    this.#ledger = new Ledger(this.#outbox);
    const deps = {
      api: options.api,
      ledger: this.#ledger,
      sleep,
      random,
      onProgress: ({ relist }: { readonly relist: boolean }) => this.#progress(relist),
    };
    this.#source = source.type === 'wec' ? new WecSource(deps, source) : new WdsSource(deps);
    const { signal } = this.#stopping;
    this.#ended = Promise.all([
      this.#source.run(signal),
      this.#send(signal),
      this.#every(this.#times.heartbeatMs, () => this.#beat()),
      this.#every(this.#times.resyncMs, () => this.#progress(true)),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  state(): ForwarderState {
    const sourceError = this.#source.error();
    return {
      connected: this.#isConnected(),
      complete: this.#complete,
      resources: this.#source.states(),
      ...(sourceError === undefined ? {} : { sourceError }),
      ...(this.#queueError === undefined ? {} : { queueError: this.#queueError }),
      unsent: this.#outbox.size,
      objects: this.#ledger.size,
      tooLarge: this.#tooLarge,
    };
  }

  #send(signal: AbortSignal): Promise<void> {
    const { queue, sleep, random } = this.#options;
    const deps = {
      queue,
      sleep,
      random,
      windowMs: this.#times.windowMs,
      onTooLarge: (event: ForwarderEvent, bytes: number) => this.#refuse(event, bytes),
      onAttempt: (error: unknown) => this.#attempted(error),
    };
    return runBatcher(deps, this.#outbox, signal);
  }

  async #every(ms: number, work: () => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#options.sleep(ms, signal);
      if (!signal.aborted) work();
    }
  }

  /** A snapshot waits until every reflector has listed: what one of them does not know yet must not be taken for gone. */
  #progress(relist: boolean): void {
    this.#snapshotWanted ||= relist;
    if (this.#snapshotWanted && this.#source.complete()) {
      this.#snapshotWanted = false;
      if (this.#complete) this.#ledger.snapshot();
      else this.#ledger.complete();
      this.#complete = true;
      const { source, logger } = this.#options;
      logger.info('snapshot', { source: source.name, objects: this.#ledger.size });
    }
    const connected = this.#isConnected();
    if (connected && !this.#wasConnected) this.#outbox.putHeartbeat();
    this.#wasConnected = connected;
    this.#tellState();
  }

  /** A forwarder that does not see its cluster is silent: its rows become stale (design, section 9.9). */
  #beat(): void {
    if (this.#isConnected()) this.#outbox.putHeartbeat();
  }

  #isConnected(): boolean {
    const states = [...this.#source.states().values()];
    if (states.length === 0) return this.#source.complete();
    return states.some(({ phase }) => phase === 'watching' || phase === 'not-served');
  }

  #refuse({ version, content }: ForwarderEvent, bytes: number): void {
    this.#tooLarge += 1;
    const subject = 'subject' in content ? content.subject : undefined;
    this.#options.logger.error('event too large for a message', {
      source: this.#options.source.name,
      subject,
      version,
      bytes,
    });
    this.#tellState();
  }

  #attempted(error: unknown): void {
    const reason = error instanceof Error ? error.message : error && String(error);
    if (reason === this.#queueError) return;
    this.#queueError = typeof reason === 'string' ? reason : undefined;
    const fields = { source: this.#options.source.name, unsent: this.#outbox.size };
    if (error === undefined) this.#options.logger.info('sending again', fields);
    else this.#options.logger.warn('cannot send', { ...fields, reason });
    this.#tellState();
  }

  #tellState(): void {
    this.#options.onState?.(this.state());
  }
}

/**
 * Watches one cluster and tells the events queue of it (design, section 7), until it is stopped. A cluster or a queue that
 * is down, from the start or later, is tried again for ever.
 *
 * @throws RangeError when nothing says which objects of a WEC are meant.
 */
export function startForwarder(options: ForwarderOptions): Forwarder {
  checkSource(options.source);
  return new RunningForwarder(options);
}
