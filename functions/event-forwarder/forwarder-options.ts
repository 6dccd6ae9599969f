import type { EventContent } from '#shared/core/event.ts';
import type { WecInventory } from '#shared/core/wec-inventory.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
import type { BoundSelection } from './bound-source.ts';
import type { InventorySelection } from './inventory-source.ts';
import type { ItsSelection } from './its-source.ts';
import type { WecSelection } from './wec-source.ts';
import type { WorkSelection } from './work-source.ts';

/** The cluster that is watched, and the objects of it that are reported. */
export type ForwarderSource =
  | ({
      readonly type: 'wec';
      readonly name: string;
      /** The labels and annotations of the WEC, unless it has a ManagedCluster. Absent: none. */
      readonly inventory?: WecInventory;
    } & (WecSelection | WorkSelection | BoundSelection))
  | ({ readonly type: 'its'; readonly name: string } & ItsSelection)
  | ({ readonly type: 'inventory'; readonly name: string } & InventorySelection)
  | { readonly type: 'wds'; readonly name: string }
  | { readonly type: 'fleet'; readonly name: string };

/** Times, in milliseconds; the defaults are those of docs/architecture.md, section 7. */
export interface ForwarderTimes {
  /** The time to collect events before they are sent. Default: 200. */
  readonly windowMs?: number;
  /** The interval between two heartbeats. Default: 30 s. */
  readonly heartbeatMs?: number;
  /** The interval between two snapshots. Default: 10 h. */
  readonly resyncMs?: number;
}

/** A structured log, like the logger of Powertools. */
interface ForwarderLogger {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** The events that the queue accepted in one request. */
export interface SentEvents {
  readonly events: Readonly<Partial<Record<EventContent['type'], number>>>;
  readonly messages: number;
  /** The duration of the request. */
  readonly milliseconds: number;
}

/** The dependencies of a forwarder. */
export interface ForwarderOptions extends Waiting {
  readonly api: ResourceApi;
  /** The API keeps every object that it has returned in memory, so the forwarder keeps no copy. Default: it does not. */
  readonly objectsAreHeld?: true;
  readonly queue: MessageSender;
  readonly source: ForwarderSource;
  readonly config?: ForwarderTimes;
  /** Greater than the epoch of every earlier forwarder of this source. An integer below 2^53. */
  readonly epoch: number;
  /** The version of the forwarder, which its heartbeats report: 1 to 64 letters, digits and `. _ + -`. */
  readonly version?: string;
  /** Whether this process may still send. Checked before each attempt to send. Default: always. */
  readonly isLeading?: () => boolean;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly logger: ForwarderLogger;
  /** Called when the state has changed. Not called for changes of the counts of events, or for further problems. */
  readonly onState?: (state: ForwarderState) => void;
  /** Called after each request that the queue has accepted. */
  readonly onSent?: (sent: SentEvents) => void;
  /** Called after each attempt to send that failed. */
  readonly onSendFailure?: (error: unknown) => void;
}

/** The state of a forwarder. */
export interface ForwarderState {
  /** The cluster answers: at least one resource of it is watched. Heartbeats are sent only then. */
  readonly connected: boolean;
  /** A first complete snapshot has been handed to the sender. */
  readonly complete: boolean;
  /** The states of the reflectors by `<resource>.<group>/<version>`. */
  readonly resources: ReadonlyMap<string, ReflectorState>;
  /** The reason why the whole source waits (discovery), if it does. */
  readonly sourceError?: string;
  /** Objects that cannot be reported, with the remedy. At most a few. */
  readonly problems: readonly string[];
  /** The error of the last attempt to send, until an attempt succeeds. */
  readonly queueError?: string;
  /** Events that wait to be sent. */
  readonly unsent: number;
  /** The time since which the oldest unsent event waits, in milliseconds since the epoch. */
  readonly unsentSince?: number;
  /** The number of known objects that exist in the source. */
  readonly objects: number;
  /** The number of events since the start that were too large for any message. */
  readonly tooLarge: number;
}
