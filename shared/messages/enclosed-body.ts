import { gzipSync } from 'node:zlib';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';

/**
 * Encodes JSON that SQS accepts whatever it contains. Of the characters that SQS rejects (Amazon SQS API Reference,
 * SendMessage), JSON escapes all but two.
 */
function messageText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}

/**
 * Encodes a message that contains the body of another one. If a batch of events in plain JSON does not fit, the batch is
 * compressed, in the same way as forwarders compress large ones.
 *
 * @param enclosing creates the message with the body
 * @returns undefined if it does not fit into a message
 */
export function encloseBody(
  body: string,
  enclosing: (body: string) => unknown,
): string | undefined {
  const fits = (text: string): boolean => Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
  const plain = messageText(enclosing(body));
  if (fits(plain)) return plain;
  // Text that is not well-formed would change in UTF-8.
  if (!body.startsWith('[') || !body.isWellFormed()) return undefined;
  const compressed = messageText(enclosing(gzipSync(body).toString('base64')));
  return fits(compressed) ? compressed : undefined;
}

/** Parses the JSON of a message that may be any text. Returns undefined unless it is a JSON object. */
export function parseEnclosing(text: string): unknown {
  // Most messages are batches of events, and large.
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
