import type { IncomingMessage } from 'node:http';
import type { RequestBody } from '#shared/api/api-request.ts';
import { ENCODED_BODY } from '#shared/api/messages.ts';
import {
  badRequest,
  requestTimeout,
  requestTooLarge,
  StatusError,
  unsupportedMediaType,
} from '#shared/api/status-error.ts';
import { BODY_CUT_OFF } from './messages.ts';

/** A body must come within this time, in seconds. */
const BODY_SECONDS = 10;

async function gathered(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The request is not destroyed if its body is too long, because it must be answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw requestTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(requestTimeout(seconds)), seconds * 1_000);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    return await within(BODY_SECONDS, gathered(request, maxBytes));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(BODY_CUT_OFF, { cause: error });
  }
}

/** The body of a request, which is read only when it is asked for. */
export function createRequestBody(request: IncomingMessage): RequestBody {
  const { headers } = request;
  return {
    contentType: headers['content-type'] ?? '',
    async bytes(maxBytes) {
      const encoding = headers['content-encoding'] ?? 'identity';
      if (encoding !== 'identity') throw unsupportedMediaType(ENCODED_BODY);
      if (Number(headers['content-length'] ?? 0) > maxBytes) throw requestTooLarge(maxBytes);
      return bytesOf(request, maxBytes);
    },
  };
}
