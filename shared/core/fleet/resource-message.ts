import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import { cutText } from './text.ts';

/** The maximum length of each message and patch. A status contains many of them. */
const MAX_CHARACTERS = 512;

/** Cuts a text to 512 characters. A status contains many such texts. */
export function boundedText(text: string): string {
  return cutText(text, MAX_CHARACTERS);
}

function messageOf(entry: JsonObject): string {
  const list = at(entry, 'summary', 'message');
  return isArray(list) ? list.filter((text) => typeof text === 'string').join(', ') : '';
}

/**
 * The message of a resource that is not ready, as one text of at most 512 characters, or `''` if there is none.
 *
 * @param entry JSON of a NonReadyStatus
 */
export function resourceMessage(entry: JsonObject): string {
  return boundedText(messageOf(entry));
}

/** The members of an entry that are texts, and the members that are flags (Fleet's code, ModifiedStatus and NonReadyStatus). */
const TEXTS = ['uid', 'kind', 'apiVersion', 'namespace', 'name', 'patch'] as const;
const FLAGS = ['missing', 'exist', 'delete'] as const;

function textsOf(object: JsonValue | undefined, names: readonly string[]): JsonObject {
  const texts = names.flatMap((name): readonly (readonly [string, JsonValue])[] => {
    const text = member(object, name);
    return typeof text === 'string' ? [[name, boundedText(text)]] : [];
  });
  return Object.fromEntries(texts);
}

function flagsOf(object: JsonValue | undefined, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (member(object, name) === true ? [[name, true]] : [])),
  );
}

/** If the messages together are too long, they become one text, as in the lines. */
function messagesOf(entry: JsonObject): JsonObject {
  const list = at(entry, 'summary', 'message');
  const texts = isArray(list) ? list.filter((text) => typeof text === 'string') : [];
  if (texts.length === 0) return {};
  const isShort = messageOf(entry).length <= MAX_CHARACTERS;
  return { message: isShort ? texts : [resourceMessage(entry)] };
}

function summaryOf(entry: JsonObject): JsonObject {
  const summary = member(entry, 'summary');
  if (!isObject(summary)) return {};
  const texts = textsOf(summary, ['state']);
  return {
    summary: { ...texts, ...flagsOf(summary, ['error', 'transitioning']), ...messagesOf(entry) },
  };
}

/**
 * Returns the known members of an entry. Each text, and all messages together, have at most 512 characters, because a status
 * contains many entries.
 *
 * @param entry JSON of a ModifiedStatus or NonReadyStatus
 */
export function boundedEntry(entry: JsonObject): JsonObject {
  return { ...textsOf(entry, TEXTS), ...flagsOf(entry, FLAGS), ...summaryOf(entry) };
}
