import { isUtf8 } from 'node:buffer';
import type { RequestBody } from './api-request.ts';
import { NOT_UTF8 } from './messages.ts';
import { badRequest } from './status-error.ts';

/**
 * The body of a request as text. `''` if there is none.
 *
 * @param maxBytes at most so many bytes are read
 * @throws StatusError 400 if it is not UTF-8; what {@link RequestBody.bytes} throws
 */
export async function requestText(
  body: RequestBody | undefined,
  maxBytes: number,
): Promise<string> {
  const bytes = await body?.bytes(maxBytes);
  if (bytes === undefined) return '';
  if (!isUtf8(bytes)) throw badRequest(NOT_UTF8);
  return bytes.toString();
}

/** The media type of a body, in lower case and without parameters. `''` if there is none. */
export function mediaTypeOf(body: RequestBody | undefined): string {
  return ((body?.contentType ?? '').split(';')[0] ?? '').trim().toLowerCase();
}
