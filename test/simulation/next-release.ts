import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { decodeText, encodeText } from '#shared/state/body.ts';

/** The version that the next release gives to everything that it writes. */
const NEXT = 2;
/** It counts revisions from here: whoever takes its heads for his own takes every later one for outdated. */
const FIRST_REVISION = 1_000_000;

function revised(value: JsonObject, by: number): JsonObject {
  const { revision } = value;
  return typeof revision === 'number' ? { ...value, revision: revision + by } : value;
}

function jsonOf(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    // A chunk of a document that takes several items.
    return null;
  }
}

/** Specs are of no release (`SpecStore`). */
function isVersioned({ pk }: Item): boolean {
  return !pk.startsWith('S#');
}

/** A value with a version is an object, which has what was a list in this member. */
const LIST = 'listOfNextRelease';

function nextForm(value: JsonObject | readonly JsonValue[]): JsonObject {
  return isObject(value) ? revised(value, FIRST_REVISION) : { [LIST]: value };
}

function formerForm(value: JsonObject): JsonValue {
  return member(value, LIST) ?? revised(value, -FIRST_REVISION);
}

function written(item: Item): Item {
  const value = item.body === undefined ? null : jsonOf(decodeText(item.body));
  if (!(isVersioned(item) && (isObject(value) || isArray(value)))) return item;
  return { ...item, body: encodeText(stringifyJson({ ...nextForm(value), bodyVersion: NEXT })) };
}

function read(item: Item): Item {
  const value = item.body === undefined ? null : jsonOf(decodeText(item.body));
  if (!isObject(value) || value['bodyVersion'] !== NEXT) return item;
  const { bodyVersion: _version, ...rest } = value;
  return { ...item, body: encodeText(stringifyJson(formerForm(rest))) };
}

/**
 * The store of a process of the next release. That release writes what this one cannot read, and reads what this one has
 * written.
 */
export function nextReleaseStore(store: ItemStore): ItemStore {
  return {
    get: async (keys) => (await store.get(keys)).map((item) => item && read(item)),
    async query(query) {
      const page = await store.query(query);
      return { ...page, items: page.items.map(read) };
    },
    put: (puts) => store.put(puts.map((put) => ({ ...put, item: written(put.item) }))),
    delete: (deletes) => store.delete(deletes),
  };
}

/** The same for a queue. */
export function nextReleaseQueue(queue: MessageQueue): MessageQueue {
  return {
    ...queue,
    send: (messages) =>
      queue.send(
        messages.map((message) => ({
          ...message,
          body: JSON.stringify({ ...JSON.parse(message.body), messageVersion: NEXT }),
        })),
      ),
    async receive(options) {
      const messages = await queue.receive(options);
      return messages.map((message) => {
        const { messageVersion: _version, ...rest } = JSON.parse(message.body);
        return { ...message, body: JSON.stringify(rest) };
      });
    },
  };
}
