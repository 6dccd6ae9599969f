import type { IncomingMessage } from 'node:http';
import { largeAnswer } from './messages.ts';

const MIB = 1024 * 1024;

/** The limit for one object. By default, etcd stores 1.5 MiB of it, and JSON's escapes may multiply that. */
export const MAX_OBJECT_BYTES = 8 * MIB;

/** The limits for a page of a list with several objects. A page that is larger is requested again with fewer objects. */
export const MAX_PAGE_BYTES = 4 * MIB;
export const MAX_PAGE_VALUES = 100_000;

/** The limit for a page of one object. A server that ignores `limit` returns all its objects. */
export const MAX_LAST_PAGE_BYTES = 16 * MIB;

/** The limit for an answer of discovery: several times that of a cluster with a thousand CustomResourceDefinitions. */
export const MAX_DISCOVERY_BYTES = 8 * MIB;

/** The limit for an error response, of which only the beginning is quoted. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** An answer that is longer than the client accepts. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
  /** @param limit with its unit */
  constructor(limit: string) {
    super(largeAnswer(limit));
  }
}

/** The error of an answer, or of a line of a watch, that has more bytes. */
export function moreThan(maxBytes: number): AnswerTooLargeError {
  return new AnswerTooLargeError(`${maxBytes / MIB} MiB`);
}

/** Reads up to a limit, so that an API server cannot decide how much memory its client uses. */
async function upTo(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) return { text: Buffer.concat(chunks).toString(), isWhole: false };
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString(), isWhole: true };
}

/**
 * Reads the body of an answer.
 *
 * @throws AnswerTooLargeError beyond the limit, and the error of the connection.
 */
export async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<string> {
  const { text, isWhole } = await upTo(response, maxBytes);
  if (!isWhole) throw moreThan(maxBytes);
  return text;
}

/** Reads the body of an error response, or its beginning if it is long. */
export async function refusalBodyOf(response: IncomingMessage): Promise<string> {
  return (await upTo(response, MAX_REFUSAL_BYTES)).text;
}
