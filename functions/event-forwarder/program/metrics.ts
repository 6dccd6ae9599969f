import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ForwarderState, SentEvents } from '#functions/event-forwarder/forwarder-options.ts';
import type { EventContent } from '#shared/core/event.ts';
import type { ProgramStatus } from './status.ts';

/** Converts counts that are reset from time to time into growth. */
class Growth {
  readonly #last = new Map<string, number>();

  /** Returns the growth of a count since the last call. A count that is smaller than before was reset to 0. */
  of(key: string, count: number): number {
    const last = this.#last.get(key) ?? 0;
    this.#last.set(key, count);
    return count < last ? count : count - last;
  }

  /** Resets all counts. */
  reset(): void {
    this.#last.clear();
  }
}

const PREFIX = 'starfold_forwarder_';
/** Buckets in seconds, from a nearby queue to a queue that is throttled and retried several times. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type EventType = EventContent['type'];

const TYPES: readonly EventType[] = [
  'wec-object',
  'wds-object',
  'fleet-object',
  'snapshot',
  'heartbeat',
  'inventory',
  'hub-snapshot',
];

/** The metrics of the process, and the events that they record. */
export interface ForwarderMetrics {
  /** Records that the queue has accepted these events. */
  sent(sent: SentEvents): void;
  /** Records that the queue has not accepted a request. */
  sendFailed(): void;
  /** Records that a forwarder has been started. The counts in its states begin at 0. */
  termBegan(): void;
  /** Records that the state of the forwarder has changed. */
  observe(state: ForwarderState): void;
  /** All metrics in Prometheus' text format, and its content type. */
  text(): Promise<{ readonly text: string; readonly contentType: string }>;
}

interface View {
  readonly status: () => ProgramStatus;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

function addGauges(registry: Registry, { status, clock }: View): void {
  const gauge = (name: string, help: string, value: () => number): void => {
    const one: Gauge = new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers: [registry],
      collect: () => one.set(value()),
    });
  };
  gauge(
    'unsent_events',
    'Events that wait to be sent.',
    () => status().term?.forwarder.unsent ?? 0,
  );
  gauge(
    'objects',
    'Objects known to exist in the source.',
    () => status().term?.forwarder.objects ?? 0,
  );
  gauge('leader', '1 if this process forwards events, otherwise 0.', () =>
    Number(status().term !== undefined),
  );
  gauge(
    'epoch',
    'Epoch of the current term; 0 if this process does not lead.',
    () => status().term?.epoch ?? 0,
  );
  gauge('behind_seconds', 'Age of the oldest unsent event; 0 if there is none.', () => {
    const since = status().term?.forwarder.unsentSince;
    return since === undefined ? 0 : Math.max(0, clock() - since) / 1_000;
  });
}

/** Creates counters of a registry. A counter without labels begins at 0. */
function counters(registry: Registry) {
  return <Label extends string = never>(name: string, help: string, ...labels: Label[]) =>
    new Counter({ name: `${PREFIX}${name}`, help, labelNames: labels, registers: [registry] });
}

function addSending(
  registry: Registry,
  clock: View['clock'],
): Pick<ForwarderMetrics, 'sent' | 'sendFailed'> {
  const counter = counters(registry);
  const events = counter('events_sent_total', 'Events that the queue has accepted.', 'type');
  for (const type of TYPES) events.inc({ type }, 0);
  const batches = counter('batches_sent_total', 'Requests that the queue has accepted.');
  const snapshots = counter('snapshots_total', 'Ends of snapshots that the queue has accepted.');
  const heartbeats = counter('heartbeats_total', 'Heartbeats that the queue has accepted.');
  const failures = counter('send_failures_total', 'Requests that the queue has not accepted.');
  const duration = new Histogram({
    name: `${PREFIX}send_duration_seconds`,
    help: 'Duration of the requests that the queue has accepted.',
    buckets: BUCKETS,
    registers: [registry],
  });
  const lastSend = new Gauge({
    name: `${PREFIX}last_successful_send_timestamp_seconds`,
    help: 'When the queue last accepted something, in Unix time; 0: never.',
    registers: [registry],
  });
  return {
    sent: ({ events: counts, milliseconds }) => {
      for (const type of TYPES) events.inc({ type }, counts[type] ?? 0);
      snapshots.inc(counts.snapshot ?? 0);
      heartbeats.inc(counts.heartbeat ?? 0);
      batches.inc();
      // The clock may be set back meanwhile.
      duration.observe(Math.max(0, milliseconds) / 1_000);
      lastSend.set(clock() / 1_000);
    },
    sendFailed: () => failures.inc(),
  };
}

function addFollowing(registry: Registry): Pick<ForwarderMetrics, 'termBegan' | 'observe'> {
  const counter = counters(registry);
  const tooLarge = counter(
    'too_large_events_total',
    'Events that did not fit in a message, and were sent without spec and status.',
  );
  const restarts = counter(
    'watch_restarts_total',
    'Number of times a watch was started again.',
    'resource',
  );
  const relists = counter(
    'relists_total',
    'Number of times a resource was listed again.',
    'resource',
  );
  const errors = counter('watch_errors_total', 'Lists and watches that failed.', 'resource');
  const growth = new Growth();
  return {
    termBegan: () => growth.reset(),
    observe: (state) => {
      tooLarge.inc(growth.of('too large', state.tooLarge));
      for (const [resource, { listings, watches, failures }] of state.resources) {
        relists.inc({ resource }, growth.of(`list ${resource}`, Math.max(0, listings - 1)));
        restarts.inc({ resource }, growth.of(`watch ${resource}`, Math.max(0, watches - 1)));
        errors.inc({ resource }, growth.of(`fail ${resource}`, failures));
      }
    },
  };
}

/** Creates the metrics with a registry of their own, which also contains the metrics of the process itself. */
export function createMetrics(view: View): ForwarderMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addGauges(registry, view);
  const following = addFollowing(registry);
  return {
    ...following,
    ...addSending(registry, view.clock),
    text: async () => {
      const { term } = view.status();
      if (term !== undefined) following.observe(term.forwarder);
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}
