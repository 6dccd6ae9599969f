import type { IncomingMessage } from 'node:http';

const MIB = 1024 * 1024;

/** Of one object: etcd keeps 1.5 MiB of it unless told otherwise, and what JSON escapes may take several times that. */
export const MAX_OBJECT_BYTES = 8 * MIB;

/** Of one page of a list, or of discovery. */
export const MAX_PAGE_BYTES = 64 * MIB;

/** Of a refusal, of which the beginning is told. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** An answer that is longer than whoever asked can keep. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
  constructor(maxBytes: number) {
    super(`an answer of more than ${maxBytes / MIB} MiB, which no API server gives`);
  }
}

/** Reads no further than a limit, so that no API server decides how much memory its client takes. */
async function upTo(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > maxBytes) return { text: Buffer.concat(chunks).toString(), isWhole: false };
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString(), isWhole: true };
}

/**
 * The body of an answer.
 *
 * @throws AnswerTooLargeError beyond the limit, and what the connection fails with.
 */
export async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<string> {
  const { text, isWhole } = await upTo(response, maxBytes);
  if (!isWhole) throw new AnswerTooLargeError(maxBytes);
  return text;
}

/** The body of a refusal; of a long one its beginning. */
export async function refusalBodyOf(response: IncomingMessage): Promise<string> {
  return (await upTo(response, MAX_REFUSAL_BYTES)).text;
}
