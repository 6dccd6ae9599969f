import * as z from 'zod/mini';
import { contentHash } from '#shared/content-hash.ts';
import { type EventSource, type EventVersion, SOURCE_TYPES } from '#shared/core/event.ts';
import { AGGREGATED_RESOURCES, type AggregatedResource } from '#shared/core/fleet-object.ts';
import { sourceText } from '#shared/core/source-text.ts';
import {
  inventoryPartition,
  type Subject,
  sourcePartition,
  subjectPartition,
} from '#shared/core/subject.ts';
import { type OutgoingMessage, wholeTenant } from '#shared/ports/message-queue.ts';
import type { Recount } from '#shared/state/quota.ts';
import type { ChangeTime } from './change-time.ts';
import { tenantName } from './group-name.ts';
import { messageCodec } from './message-codec.ts';

const subject = z.union([
  z.object({
    type: z.literal('workload'),
    workload: z.object({
      wds: z.string(),
      group: z.string(),
      resource: z.string(),
      namespace: z.string(),
      name: z.string(),
    }),
  }),
  z.object({ type: z.enum(['binding', 'collector']), wds: z.string(), name: z.string() }),
  z.object({
    type: z.literal('fleet'),
    upstream: z.string(),
    resource: z.enum(AGGREGATED_RESOURCES),
    namespace: z.string(),
    name: z.string(),
  }),
]);

const objects = z.array(z.object({ namespace: z.string(), name: z.string() }));
const foldedShards = z.pipe(
  z.object({
    table: z.optional(z.string()),
    // The name in release 0.1.
    era: z.number(),
    shards: z.number(),
    left: z.array(z.number()),
  }),
  z.transform(({ era, ...folded }) => ({ ...folded, layoutRevision: era })),
);
const version = z.object({ epoch: z.number(), sequence: z.number() });
/** These fields only measure and order. A message is accepted whatever value they have. */
const changedMs = z.catch(z.optional(z.number()), undefined);
const changedBy = z.catch(z.optional(z.string()), undefined);

const dirtyMessage = z.union([
  z.object({
    type: z.literal('subject'),
    subject,
    wecs: z.optional(z.array(z.string())),
    rows: z.optional(z.array(z.string())),
    silence: z.optional(z.literal(true)),
    rest: z.optional(z.array(foldedShards)),
    strays: z.optional(objects),
    changedMs,
    changedBy,
  }),
  z.object({
    type: z.literal('members'),
    wds: z.string(),
    binding: z.string(),
    revision: z.number(),
    cursor: z.string(),
    changedMs,
    changedBy,
  }),
  z.object({
    type: z.literal('sweep'),
    source: z.object({ type: z.enum(SOURCE_TYPES), name: z.string() }),
    since: version,
    cursor: z.optional(z.string()),
    recount: z.optional(z.object({ entries: z.number(), at: z.number() })),
    changedMs,
    changedBy,
  }),
  z.object({
    type: z.literal('fleet-inventory'),
    upstream: z.string(),
    namespace: z.string(),
    resource: z.enum(AGGREGATED_RESOURCES),
    token: z.string(),
    cursor: z.optional(z.string()),
    changedMs,
    changedBy,
  }),
]);

const hintMessage = z.object({
  subject,
  /** CombinedStatus objects to check, besides those that are desired or were applied. */
  objects,
  changedMs,
  changedBy,
});

/**
 * Work for aggregate-workload.
 * - `subject`: the results of a subject may be out of date. `wecs` names the rows that changed, if rows did (for an object of
 *   Fleet `rows`, each `<family>#<id>`). `silence`: only the silence of WECs has changed, or for a Binding also which WECs have
 *   ever reported; `wecs` then names them, unless there are too many. `rest`: a late aggregation has folded the changes of other
 *   messages, except in these shards. `strays`: CombinedStatuses whose labels name the subject, and of which nothing was ever
 *   wanted.
 * - `members`: the next page of a Binding's workload objects, for a revision of the Binding's head.
 * - `sweep`: the next page of the entries from before a complete listing of a source. `recount`: what the previous pages of a
 *   WEC have counted.
 * - `fleet-inventory`: the Clusters, ClusterGroups, GitRepos or HelmOps of a namespace have changed, and the inventory got this
 *   token. The message is for the next page of the objects of a resource that are to be notified.
 */
export type DirtyMessage = ChangeTime & DirtyWork;

type DirtyWork =
  | {
      readonly type: 'subject';
      readonly subject: Subject;
      readonly wecs?: readonly string[];
      readonly rows?: readonly string[];
      readonly silence?: true;
      readonly rest?: readonly FoldedShards[];
      readonly strays?: readonly NamedObject[];
    }
  | {
      readonly type: 'members';
      readonly wds: string;
      readonly binding: string;
      readonly revision: number;
      readonly cursor: string;
    }
  | {
      readonly type: 'sweep';
      readonly source: EventSource;
      readonly since: EventVersion;
      readonly cursor?: string;
      readonly recount?: Recount;
    }
  | {
      readonly type: 'fleet-inventory';
      readonly upstream: string;
      readonly namespace: string;
      readonly resource: AggregatedResource;
      readonly token: string;
      readonly cursor?: string;
    };

/**
 * How far a table of rows (for an object of Fleet, of one family) has been folded into parts, and how it was divided then. If
 * it is now divided in another way, those parts do not count, and all of its rows may have changed.
 */
export interface FoldedShards {
  readonly table?: string;
  /** The layout revision of the parts. */
  readonly layoutRevision: number;
  /** The number of shards at that time. */
  readonly shards: number;
  /** The shards that may have changed and have not been folded since. */
  readonly left: readonly number[];
}

/** The name of a CombinedStatus. */
interface NamedObject {
  readonly namespace: string;
  readonly name: string;
}

/** A hint for write-results: the WDS may not have the desired result of a subject. */
export interface HintMessage extends ChangeTime {
  readonly subject: Subject;
  readonly objects: readonly NamedObject[];
}

/** The group of a message. Messages of one group are handled one after the other. */
export function dirtyGroup(message: DirtyMessage): string {
  switch (message.type) {
    case 'subject':
      return subjectPartition(message.subject);
    case 'members':
      return subjectPartition({ type: 'binding', wds: message.wds, name: message.binding });
    case 'sweep':
      return sourcePartition(message.source);
    case 'fleet-inventory':
      return inventoryPartition(message);
  }
}

/** The WDS or management cluster of a subject: `wds/<name>` or `fleet/<name>`. */
function clusterOf(subject: Subject): string {
  switch (subject.type) {
    case 'workload':
      return sourceText({ type: 'wds', name: subject.workload.wds });
    case 'fleet':
      return sourceText({ type: 'fleet', name: subject.upstream });
    default:
      return sourceText({ type: 'wds', name: subject.wds });
  }
}

/** The tenant of a message that does not follow from a known event. */
function clusterOfDirty(message: DirtyMessage): string {
  switch (message.type) {
    case 'subject':
      return clusterOf(message.subject);
    case 'members':
      return sourceText({ type: 'wds', name: message.wds });
    case 'sweep':
      return sourceText(message.source);
    case 'fleet-inventory':
      return sourceText({ type: 'fleet', name: message.upstream });
  }
}

/** The tenant of a message in the queue. */
function dirtyTenant(message: DirtyMessage): string {
  return tenantName(message.changedBy ?? clusterOfDirty(message));
}

/** The message with the field names of release 0.1. */
const DIRTY = messageCodec<DirtyMessage>('dirty message', dirtyMessage);
const HINT = messageCodec<HintMessage>('hint', hintMessage);

function storedDirty(message: DirtyMessage): object {
  if (message.type !== 'subject' || message.rest === undefined) return message;
  return {
    ...message,
    rest: message.rest.map(({ layoutRevision, ...folded }) => ({ ...folded, era: layoutRevision })),
  };
}

/** The name of a message's group in the queue. Groups may have any characters and lengths, those of queues may not. */
export function queueGroup(group: string): string {
  return contentHash(group);
}

/**
 * A Binding or a StatusCollector leads to work for every object that it names or counts for. A user who changes one again and again
 * would leave no time for the changes of other users of the same WDS.
 */
const REST_SECONDS = 1;

function restOf(message: DirtyMessage): Pick<OutgoingMessage, 'restSeconds'> {
  const isRested =
    message.type === 'subject' &&
    (message.subject.type === 'binding' || message.subject.type === 'collector');
  return isRested ? { restSeconds: REST_SECONDS } : {};
}

/** Encodes a message about dirty work. `cause` is a text that stays the same if a message is sent again for the same cause. */
export function encodeDirty(message: DirtyMessage, cause: string): OutgoingMessage {
  const group = dirtyGroup(message);
  return {
    body: DIRTY.encode({ group, ...storedDirty(message) }),
    group: queueGroup(group),
    tenant: dirtyTenant(message),
    ...restOf(message),
    deduplicationId: contentHash(`${group} ${cause}`),
  };
}

/** Encodes a hint; `cause` as in {@link encodeDirty}. */
export function encodeHint(hint: HintMessage, cause: string): OutgoingMessage {
  const group = subjectPartition(hint.subject);
  return {
    body: HINT.encode({ group, ...hint }),
    group: queueGroup(group),
    tenant: tenantName(
      clusterOf(hint.subject),
      ...(hint.changedBy === undefined ? [] : [hint.changedBy]),
    ),
    deduplicationId: contentHash(`${group} ${cause}`),
  };
}

/**
 * Reads a message of {@link encodeDirty}.
 *
 * @throws NewerMessageError if a newer release wrote it; Error if the body is another text.
 */
export function parseDirty(body: string): DirtyMessage {
  return DIRTY.decode(body);
}

/**
 * Reads a hint of {@link encodeHint}.
 *
 * @throws NewerMessageError if a newer release wrote it; Error if the body is another text.
 */
export function parseHint(body: string): HintMessage {
  return HINT.decode(body);
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

/**
 * Whether a message of {@link encodeDirty} makes one piece of work with those before it in its group: a subject is aggregated once for
 * all of them. The steps of a walk, and strays, are work of their own.
 */
export function joinsDirty(body: string): boolean {
  const { type, strays } = DIRTY.fields(body);
  return type === 'subject' && !isFilled(strays);
}

/** The same of a hint: a subject is written once. Further objects are work of their own. */
export function joinsHint(body: string): boolean {
  const { subject, objects } = HINT.fields(body);
  return subject !== undefined && !isFilled(objects);
}

/** The tenant of a message of {@link encodeDirty}. A message that cannot be read has none: `''`. */
export function tenantOfBody(body: string): string {
  try {
    return wholeTenant(dirtyTenant(parseDirty(body)));
  } catch {
    return '';
  }
}
