import type { EventContent, EventSource } from '#shared/core/event.ts';
import { isSourceName } from '#shared/core/names.ts';
import { boundedInventory } from '#shared/core/wec-inventory.ts';
import { messageOf } from '#shared/errors.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import { runBatcher, type SentParcels } from './batcher.ts';
import { BoundSource } from './bound-source.ts';
import { FleetSource } from './fleet-source.ts';
import type {
  ForwarderOptions,
  ForwarderSource,
  ForwarderState,
  ForwarderTimes,
} from './forwarder-options.ts';
import { InventorySource } from './inventory-source.ts';
import { ItsSource } from './its-source.ts';
import {
  EVENT_TOO_LARGE,
  invalidName,
  largeInventory,
  NEW_STATE,
  nothingSelected,
} from './messages.ts';
import type { EncodedEvent } from './parcels.ts';
import { SendBuffer } from './send-buffer.ts';
import { SentDigests } from './sent-digests.ts';
import type { Source, SourceDeps } from './source.ts';
import { WdsSource } from './wds-source.ts';
import { WecSource } from './wec-source.ts';
import { WorkSource } from './work-source.ts';

/** A running forwarder. */
export interface Forwarder {
  /**
   * Stops the forwarder. When the promise is fulfilled, no part of it runs any more.
   *
   * @param flushMs the time to send the unsent events. The next forwarder reports anything that is still unsent after it.
   *   Default: 0, nothing more is sent.
   */
  stop(flushMs?: number): Promise<void>;
  state(): ForwarderState;
}

const DEFAULTS = { windowMs: 200, heartbeatMs: 30_000, resyncMs: 10 * 60 * 60_000 };

function checkInventory({ inventory, name }: Extract<ForwarderSource, { type: 'wec' }>): void {
  if (inventory === undefined || boundedInventory(inventory).leftOut.length === 0) return;
  throw new RangeError(largeInventory(name));
}

function checkSource(source: ForwarderSource): void {
  if (source.type === 'wec') checkInventory(source);
  if (!isSourceName(source.name)) throw new RangeError(invalidName(source.name));
  const all =
    source.type === 'wec' &&
    !('appliedManifestWorks' in source) &&
    !('bound' in source) &&
    source.labelSelector === undefined &&
    source.resources === undefined;
  if (all) throw new RangeError(nothingSelected(source.name));
}

function createSource(source: ForwarderSource, deps: SourceDeps): Source {
  if (source.type === 'wds') return new WdsSource(deps, source.name);
  if (source.type === 'fleet') return new FleetSource(deps, source.name);
  if (source.type === 'its') return new ItsSource(deps, source);
  if (source.type === 'inventory') return new InventorySource(deps, source);
  if ('bound' in source) return new BoundSource(deps, source.name, source);
  return 'appliedManifestWorks' in source
    ? new WorkSource(deps, source.name, source)
    : new WecSource(deps, source.name, source);
}

class RunningForwarder implements Forwarder {
  readonly #options: ForwarderOptions;
  readonly #times: Required<ForwarderTimes>;
  readonly #sendBuffer: SendBuffer;
  readonly #digests = new Map<string, SentDigests>();
  readonly #source: Source;
  readonly #stopping = new AbortController();
  readonly #silencing = new AbortController();
  readonly #watched: Promise<unknown>;
  readonly #sent: Promise<void>;
  /** Set during a snapshot: every object that exists is reported from this version on, followed by the end of the snapshot. */
  #snapshotSince: { readonly epoch: number; readonly sequence: number } | undefined;
  #isComplete = false;
  #wasConnected = false;
  #queueError: string | undefined;
  /**
   * The receiver state for which events were sent. Absent before the first answer. `undefined` inside: the receiver did not
   * report its state.
   */
  #receiver: { readonly state: string | undefined } | undefined;
  #tooLarge = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#times = { ...DEFAULTS, ...options.config };
    const { source, epoch, clock, sleep, random, api, objectsAreHeld = false } = options;
    const { version } = options;
    this.#sendBuffer = new SendBuffer({
      epoch,
      clock,
      ...(version === undefined ? {} : { version }),
    });
    this.#snapshotSince = this.#sendBuffer.version;
    this.#source = createSource(source, {
      api,
      sleep,
      random,
      digestsOf: (of) => this.#digestsOf(of),
      objectsAreHeld,
      isResyncing: () => this.#snapshotSince !== undefined,
      onAlive: (of) => this.#sendBuffer.putHeartbeat(of),
      onManaged: (of, inventory) =>
        this.#sendBuffer.putInventory(of, {
          hub: options.source.name,
          ...(inventory && { inventory }),
        }),
      onProgress: () => this.#progress(),
    });
    this.#tellInventory();
    const { signal } = this.#stopping;
    this.#watched = Promise.all([
      this.#source.run(signal),
      this.#every(this.#times.heartbeatMs, () => this.#beat()),
      this.#every(this.#times.resyncMs, () => this.#resync()),
    ]);
    this.#sent = this.#send();
  }

  async stop(flushMs = 0): Promise<void> {
    this.#stopping.abort();
    await this.#watched;
    this.#sendBuffer.close();
    const { signal } = this.#silencing;
    if (flushMs > 0) await Promise.race([this.#sent, this.#options.sleep(flushMs, signal)]);
    this.#silencing.abort();
    await this.#sent;
  }

  state(): ForwarderState {
    const sourceError = this.#source.error?.();
    const since = this.#sendBuffer.oldest;
    let objects = 0;
    for (const { size } of this.#digests.values()) objects += size;
    return {
      connected: this.#isConnected(),
      complete: this.#isComplete,
      resources: this.#source.reflectors.states(),
      ...(sourceError === undefined ? {} : { sourceError }),
      problems: this.#source.problems?.() ?? [],
      ...(this.#queueError === undefined ? {} : { queueError: this.#queueError }),
      unsent: this.#sendBuffer.unsent,
      ...(since === undefined ? {} : { unsentSince: since }),
      objects,
      tooLarge: this.#tooLarge,
    };
  }

  #digestsOf(source: EventSource): SentDigests {
    const existing = this.#digests.get(source.name);
    if (existing !== undefined) return existing;
    const digests = new SentDigests(this.#sendBuffer, source);
    this.#digests.set(source.name, digests);
    // A cluster that appears later: all its objects are reported in this epoch.
    if (this.#isComplete) digests.complete({ epoch: this.#options.epoch, sequence: 0 });
    return digests;
  }

  #send(): Promise<void> {
    const { queue, source, sleep, random, clock, isLeading = () => true } = this.#options;
    const deps = {
      queue,
      group: sourceGroup(source),
      sleep,
      random,
      clock,
      isLeading,
      windowMs: this.#times.windowMs,
      onTooLarge: (event: EncodedEvent, bytes: number) => this.#refuse(event, bytes),
      onFailure: (error: unknown) => this.#failed(error),
      onSent: (sent: SentParcels) => this.#accepted(sent),
    };
    return runBatcher(deps, this.#sendBuffer, this.#silencing.signal);
  }

  async #every(ms: number, work: () => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#options.sleep(ms, signal);
      if (!signal.aborted) work();
    }
  }

  /**
   * If the state of the receiver has changed, the receiver knows nothing: everything is sent again, followed by the end of the
   * snapshot. If the receiver does not report its state, the next resync sends everything again.
   */
  #noteReceiver(): void {
    const state = this.#options.queue.receiverState?.();
    const before = this.#receiver;
    this.#receiver = { state };
    if (state === undefined || before === undefined || before.state === state) return;
    this.#options.logger.warn(NEW_STATE, this.#fields({}));
    this.#sendBuffer.dropSnapshots();
    this.#snapshotSince = this.#sendBuffer.version;
    this.#tellInventory();
    this.#source.reflectors.relist();
  }

  #resync(): void {
    this.#snapshotSince ??= this.#sendBuffer.version;
    this.#tellInventory();
    this.#source.reflectors.relist();
  }

  /** Sends the labels that the forwarder was given, after the beginning of each snapshot: the end of one removes older labels. */
  #tellInventory(): void {
    const { source } = this.#options;
    if (source.type !== 'wec' || source.inventory === undefined) return;
    const { type, name, inventory } = source;
    this.#sendBuffer.putInventory({ type, name }, { inventory });
  }

  /**
   * A snapshot ends only after every reflector has listed. Otherwise an object that one of them does not know yet would count
   * as deleted.
   */
  #progress(): void {
    if (this.#snapshotSince !== undefined && this.#source.complete()) {
      for (const digests of this.#digests.values()) digests.complete(this.#snapshotSince);
      const { type, name } = this.#options.source;
      if (type === 'its' || type === 'inventory')
        this.#sendBuffer.putHubSnapshot(name, this.#snapshotSince);
      this.#snapshotSince = undefined;
      this.#isComplete = true;
      this.#options.logger.info('snapshot', this.#fields({ objects: this.state().objects }));
    }
    const connected = this.#isConnected();
    if (connected && !this.#wasConnected) this.#beat();
    this.#wasConnected = connected;
    this.#tellState();
  }

  /**
   * A forwarder that cannot read its cluster sends no heartbeats, so its rows become stale (docs/architecture.md, section 9.9).
   */
  #beat(): void {
    if (!this.#isConnected() || this.#source.reflectors.blind()) return;
    for (const source of this.#source.alive()) this.#sendBuffer.putHeartbeat(source);
  }

  #isConnected(): boolean {
    const states = [...this.#source.reflectors.states().values()];
    // If nothing is followed, only discovery shows whether the cluster answers.
    if (states.length === 0) return this.#source.complete() && this.#source.error?.() === undefined;
    return states.some(({ phase }) => phase === 'watching' || phase === 'not-served');
  }

  #refuse({ type, key }: EncodedEvent, bytes: number): void {
    this.#tooLarge += 1;
    const { logger } = this.#options;
    logger.error(EVENT_TOO_LARGE, this.#fields({ type, object: key, bytes }));
    this.#tellState();
  }

  #failed(error: unknown): void {
    this.#options.onSendFailure?.(error);
    const reason = messageOf(error);
    if (reason === this.#queueError) return;
    this.#queueError = reason;
    this.#options.logger.warn(
      'cannot send',
      this.#fields({ unsent: this.#sendBuffer.unsent, reason }),
    );
    this.#tellState();
  }

  #accepted({ events, messages, milliseconds }: SentParcels): void {
    const counts: Partial<Record<EventContent['type'], number>> = {};
    for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
    this.#options.onSent?.({ events: counts, messages, milliseconds });
    this.#noteReceiver();
    if (this.#queueError === undefined) return;
    this.#queueError = undefined;
    this.#options.logger.info('sending again', this.#fields({ unsent: this.#sendBuffer.unsent }));
    this.#tellState();
  }

  #fields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return { source: this.#options.source.name, ...fields };
  }

  #tellState(): void {
    this.#options.onState?.(this.state());
  }
}

/**
 * Watches one cluster and reports it to the events queue (docs/architecture.md, section 7), until it is stopped. If the cluster
 * or the queue is down, at the start or later, the forwarder retries forever.
 *
 * @throws RangeError if the name of the source is invalid, or if nothing selects the objects of a WEC
 */
export function startForwarder(options: ForwarderOptions): Forwarder {
  checkSource(options.source);
  return new RunningForwarder(options);
}
