import * as z from 'zod/mini';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import type { Topic, TopicState } from '#shared/core/notification/topic.ts';
import { sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { bodyCodec } from './body.ts';
import { compareAndPut } from './compare-and-put.ts';
import { RANGE, sortableNumber } from './keys.ts';

/** What receivers were notified of about a topic. */
export interface Notified {
  /** The number of the last change: greater than the one before, and at least the time in milliseconds since 1970. */
  readonly revision: number;
  /** The state after the last change. */
  readonly state: TopicState;
  /** The event of the last change, and who gets it, as long as the messages may not have been sent. */
  readonly unsent?: { readonly event: JsonObject; readonly receivers: readonly string[] };
  /** For each receiver, the last change that was sent to it. */
  readonly sentTo: Readonly<Record<string, number>>;
  /** For each rule with `oncePer`, the hashes of the last values. */
  readonly once: Readonly<Record<string, readonly string[]>>;
}

const NOTIFIED = bodyCodec<Notified>(
  'note of what receivers were notified of',
  looseObject({
    revision: z.number(),
    state: looseObject({
      status: z.string(),
      message: z.exactOptional(z.string()),
      refused: z.exactOptional(z.array(z.string())),
      lastContact: z.exactOptional(z.string()),
    }),
    unsent: z.exactOptional(
      looseObject({ event: z.custom<JsonObject>(isObject), receivers: z.array(z.string()) }),
    ),
    sentTo: z.record(z.string(), z.number()),
    once: z.record(z.string(), z.array(z.string())),
  }),
);

/** The key of what receivers were notified of about a topic. */
export function notifiedKey(topic: Topic): ItemKey {
  const pk =
    topic.type === 'silence'
      ? sourcePartition({ type: 'wec', name: topic.wec })
      : subjectPartition({ type: 'workload', workload: topic.workload });
  return { pk, sk: `${RANGE.notified}${topic.type}` };
}

function versionOf({ revision, unsent }: Notified): string {
  return `${sortableNumber(revision)}.${unsent === undefined ? 1 : 0}`;
}

/** Reads what receivers were notified of about a topic. Undefined if nobody ever was. */
export async function readNotified(store: ItemStore, topic: Topic): Promise<Notified | undefined> {
  const [item] = await store.get([notifiedKey(topic)]);
  return item === undefined ? undefined : NOTIFIED.decode(item);
}

/**
 * Replaces what was read.
 *
 * @returns false if it has changed meanwhile: start again
 */
export function putNotified(
  store: ItemStore,
  topic: Topic,
  { before, next }: { readonly before: Notified | undefined; readonly next: Notified },
): Promise<boolean> {
  const item = { ...notifiedKey(topic), version: versionOf(next), body: NOTIFIED.encode(next) };
  return compareAndPut(store, item, before === undefined ? '' : versionOf(before));
}
