import type { EventContent } from '#shared/core/event.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
import type { BoundSelection } from './bound-source.ts';
import type { ItsSelection } from './its-source.ts';
import type { WecSelection } from './wec-source.ts';
import type { WorkSelection } from './work-source.ts';

/** The cluster that is watched, and what of it is told. */
export type ForwarderSource =
  | ({ readonly type: 'wec'; readonly name: string } & (
      | WecSelection
      | WorkSelection
      | BoundSelection
    ))
  | ({ readonly type: 'its'; readonly name: string } & ItsSelection)
  | { readonly type: 'wds'; readonly name: string }
  | { readonly type: 'fleet'; readonly name: string };

/** Times, in milliseconds; the defaults are those of docs/architecture.md, section 7. */
export interface ForwarderTimes {
  /** Events gather so long before they are sent. Default 200. */
  readonly windowMs?: number;
  /** Between two heartbeats. Default 30 s. */
  readonly heartbeatMs?: number;
  /** Between two snapshots. Default 10 h. */
  readonly resyncMs?: number;
}

/** Structured log, as Powertools' logger has it. */
interface ForwarderLogger {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** What was accepted by the queue in one request. */
export interface SentEvents {
  readonly events: Readonly<Partial<Record<EventContent['type'], number>>>;
  readonly messages: number;
  /** How long the request took. */
  readonly milliseconds: number;
}

/** What a forwarder needs of the world. */
export interface ForwarderOptions extends Waiting {
  readonly api: ResourceApi;
  /** The API keeps every object that it has given in memory: the forwarder keeps no copy of its own. Default: it does not. */
  readonly objectsAreHeld?: true;
  readonly queue: MessageSender;
  readonly source: ForwarderSource;
  readonly config?: ForwarderTimes;
  /** Greater than that of every forwarder that has spoken for this source. An integer below 2^53. */
  readonly epoch: number;
  /** Whether this process still may speak: asked before each attempt to send. Default: always. */
  readonly isLeading?: () => boolean;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly logger: ForwarderLogger;
  /** Called when something of the state has changed: of the counts of events, and of further problems, nothing is told. */
  readonly onState?: (state: ForwarderState) => void;
  /** Called after each request that the queue has accepted. */
  readonly onSent?: (sent: SentEvents) => void;
  /** Called after each attempt to send that failed. */
  readonly onSendFailure?: (error: unknown) => void;
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
  /** What cannot be told, and what to do about it; at most a few. */
  readonly problems: readonly string[];
  /** Why the last attempt to send failed, until one succeeds. */
  readonly queueError?: string;
  /** Events that wait to be sent. */
  readonly unsent: number;
  /** Since when the oldest of them waits, in milliseconds since the epoch. */
  readonly unsentSince?: number;
  /** Objects that stand in the source, as far as is known. */
  readonly objects: number;
  /** Events that were too large for any message, since the start. */
  readonly tooLarge: number;
}
