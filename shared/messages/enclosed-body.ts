import { gzipSync } from 'node:zlib';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';

/**
 * JSON text that SQS takes whatever is in it: of the characters that it refuses (Amazon SQS API Reference, SendMessage)
 * JSON escapes all but two.
 */
function messageText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}

/**
 * The text of a message that holds the body of another one. A batch of events in plain JSON is kept compressed, as
 * forwarders send large ones, where it would not fit as it is.
 *
 * @param enclosing makes the message of the body
 * @returns `undefined` when no message can hold it
 */
export function encloseBody(
  body: string,
  enclosing: (body: string) => unknown,
): string | undefined {
  const fits = (text: string): boolean => Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
  const plain = messageText(enclosing(body));
  if (fits(plain)) return plain;
  // What is not well-formed would come out of UTF-8 as something else.
  if (!body.startsWith('[') || !body.isWellFormed()) return undefined;
  const compressed = messageText(enclosing(gzipSync(body).toString('base64')));
  return fits(compressed) ? compressed : undefined;
}

/** The JSON of a message that may be anything; `undefined` for what is no JSON object. */
export function parseEnclosing(text: string): unknown {
  // Most messages are batches of events, and large.
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
