import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip, constants as zlib } from 'node:zlib';
import type { ApiAnswer } from '#shared/api/api-request.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';

/** A smaller answer is not worth compressing. Kubernetes has the same limit. */
const GZIP_BYTES = 128 * 1024;

/** How an answer is sent. */
export interface SendOptions {
  /** A client that has not read anything for this long is disconnected, in milliseconds. */
  readonly stallMs: number;
}

/** Waits until the client has read. Returns false if it has not for too long, or has gone. */
async function drained(
  sink: Writable,
  response: ServerResponse,
  stallMs: number,
): Promise<boolean> {
  const gone = new AbortController();
  const end = (): void => gone.abort();
  const stalled = setTimeout(end, stallMs);
  response.once('close', end);
  try {
    await once(sink, 'drain', { signal: gone.signal });
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(stalled);
    response.off('close', end);
  }
}

function headersOf({ headers }: ApiAnswer): Readonly<Record<string, string>> {
  return { ...SECURITY_HEADERS, 'cache-control': 'no-cache, private', vary: 'Accept', ...headers };
}

/** Sends the pieces as fast as the client reads them. */
async function pump(
  pieces: AsyncIterable<string>,
  { sink, response }: { readonly sink: Writable; readonly response: ServerResponse },
  { stallMs }: SendOptions,
): Promise<void> {
  for await (const piece of pieces) {
    const isRoomy = sink.write(piece);
    const goesOn = isRoomy || (await drained(sink, response, stallMs));
    if (response.destroyed || !goesOn) {
      response.destroy();
      return;
    }
  }
  sink.end();
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
}

async function* followedBy(first: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function sendStream(
  answer: ApiAnswer,
  response: ServerResponse,
  options: SendOptions,
): Promise<void> {
  response.writeHead(answer.code, headersOf(answer));
  // A watch may have nothing to say for long.
  response.flushHeaders();
  await pump(answer.body, { sink: response, response }, options);
}

async function sendWhole(
  answer: ApiAnswer,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  options: SendOptions,
): Promise<void> {
  const pieces = answer.body[Symbol.asyncIterator]();
  const { value: first, done } = await pieces.next();
  const text = done === true ? '' : first;
  const body = followedBy(text, pieces);
  if (text.length < GZIP_BYTES || !acceptsGzip(request)) {
    response.writeHead(answer.code, headersOf(answer));
    await pump(body, { sink: response, response }, options);
    return;
  }
  response.writeHead(answer.code, { ...headersOf(answer), 'content-encoding': 'gzip' });
  const zip = createGzip({ level: zlib.Z_BEST_SPEED });
  zip.pipe(response);
  await pump(body, { sink: zip, response }, options);
}

/**
 * Sends an answer. A client that stops reading holds one piece of it, until it is disconnected.
 *
 * @throws what the pieces throw; the connection is then to be cut off
 */
export async function sendAnswer(
  answer: ApiAnswer,
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  options: SendOptions,
): Promise<void> {
  if (answer.isStream) await sendStream(answer, exchange.response, options);
  else await sendWhole(answer, exchange, options);
}
