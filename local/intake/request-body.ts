import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MAX_REQUEST_BYTES, MAX_REQUEST_MESSAGES } from '#shared/adapters/http/event-intake.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';
import {
  LARGE_REQUEST,
  largeMessage,
  NOT_UTF8,
  notGzip,
  REQUEST_FORM,
  slowBody,
  unsupportedEncoding,
} from './messages.ts';
import { Refusal } from './refusal.ts';

const decompressed = promisify(gunzip);

function tooLarge(): Refusal {
  return new Refusal(413, LARGE_REQUEST, { connection: 'close' });
}

/** The minimum rate of a body. */
export interface Pace {
  /** How long the rate is not checked, in milliseconds. */
  readonly bodyMs: number;
  /** The minimum rate after that time. */
  readonly bytesPerSecond: number;
}

/** How often the rate is checked, in parts of the time for which it is not checked. */
const LOOKS = 4;

async function gathered(request: IncomingMessage, onBytes: (bytes: number) => void) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The request is not destroyed if its body is too long, because it must be answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) throw tooLarge();
    chunks.push(chunk);
    onBytes(bytes);
  }
  return Buffer.concat(chunks, bytes);
}

async function read(
  request: IncomingMessage,
  { bodyMs, bytesPerSecond }: Pace,
  signal: AbortSignal,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_REQUEST_BYTES) throw tooLarge();
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const begun = performance.now();
  let bytes = 0;
  const looking = setInterval(() => {
    const counted = performance.now() - begun - bodyMs;
    if (counted < 0 || bytes * 1000 >= counted * bytesPerSecond) return;
    reject(new Refusal(408, slowBody(bytesPerSecond), { connection: 'close' }));
  }, bodyMs / LOOKS);
  const whole = gathered(request, (count) => {
    bytes = count;
  });
  try {
    return await Promise.race([whole, tooSlow]);
  } finally {
    clearInterval(looking);
    signal.removeEventListener('abort', stop);
  }
}

async function decoded(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'identity') return bytes;
  if (encoding !== 'gzip') throw new Refusal(415, unsupportedEncoding(encoding.slice(0, 20)));
  try {
    return await decompressed(bytes, { maxOutputLength: MAX_REQUEST_BYTES });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // zlib's errors have one.
    throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : new Refusal(400, notGzip(code));
  }
}

function parsed(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Refusal(400, NOT_UTF8);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // It is not valid JSON, so it does not have the required form.
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function messagesOf(value: unknown): readonly string[] {
  const isWhole = typeof value === 'object' && value !== null && 'messages' in value;
  const messages = isWhole ? value.messages : undefined;
  // The number is checked first, so that the elements of a list with millions of them are not checked.
  if (!Array.isArray(messages) || messages.length < 1 || messages.length > MAX_REQUEST_MESSAGES)
    throw new Refusal(400, REQUEST_FORM);
  if (!messages.every(isText)) throw new Refusal(400, REQUEST_FORM);
  const large = messages.findIndex((body) => Buffer.byteLength(body) > MAX_MESSAGE_BYTES);
  if (large >= 0) throw new Refusal(413, largeMessage(large));
  return messages;
}

/**
 * Reads the messages of a request. It keeps at most the limit in memory, and the same amount of compressed data. JSON
 * of another form is not processed further, and is freed before anything else is done.
 *
 * @param signal aborts reading the body, with its reason
 * @throws Refusal with 400, 408, 413 or 415; the reason of the signal; the error of the connection if it ends before
 *   the request
 */
export async function readMessages(
  request: IncomingMessage,
  pace: Pace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  return messagesOf(parsed(await decoded(await read(request, pace, signal), encoding)));
}
