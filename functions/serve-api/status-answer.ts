import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ApiAnswer } from '#shared/api/api-request.ts';
import { type StatusError, tooLarge } from '#shared/api/status-error.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import { LARGE_ANSWER } from './messages.ts';

/**
 * Lambda answers with at most 6 MB (AWS Lambda, "Lambda quotas"), in which the body is a JSON text. The rest is for headers.
 */
const MAX_BODY_BYTES = 6_000_000;
/**
 * So many bytes of text fit in base64, whatever the characters are. The rest is for what a list has besides its objects.
 */
export const MAX_LIST_BYTES = 4_400_000;
/** Kubernetes compresses from this size on. */
const GZIP_BYTES = 128 * 1024;

const gzip = promisify(zlib.gzip);

/** The bytes of a text within a JSON text. */
function quotedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** A body as Lambda takes it. */
type Body = Pick<APIGatewayProxyStructuredResultV2, 'body' | 'isBase64Encoded' | 'headers'>;

function checked(body: Body & { readonly body: string }): Body {
  if (body.body.length <= MAX_BODY_BYTES) return body;
  throw tooLarge(LARGE_ANSWER);
}

async function bodyOf(text: string, isGzipAccepted: boolean): Promise<Body> {
  if (isGzipAccepted && text.length >= GZIP_BYTES) {
    const zipped = await gzip(text, { level: zlib.constants.Z_BEST_SPEED });
    const headers = { 'content-encoding': 'gzip' };
    return checked({ body: zipped.toString('base64'), isBase64Encoded: true, headers });
  }
  if (quotedBytes(text) <= MAX_BODY_BYTES) return { body: text };
  return checked({ body: Buffer.from(text).toString('base64'), isBase64Encoded: true });
}

const HEADERS = {
  ...SECURITY_HEADERS,
  'cache-control': 'no-cache, private',
  vary: 'Accept, Accept-Encoding',
};

/**
 * An answer of the API as the answer of the function.
 *
 * @param acceptEncoding the header `Accept-Encoding`
 * @throws StatusError 413 if it is too large for Lambda; what the pieces throw
 */
export async function lambdaAnswer(
  { code, headers, body }: ApiAnswer,
  acceptEncoding: string,
): Promise<APIGatewayProxyStructuredResultV2> {
  let text = '';
  for await (const piece of body) text += piece;
  const { headers: encoded, ...rest } = await bodyOf(text, /\bgzip\b/.test(acceptEncoding));
  return { statusCode: code, headers: { ...HEADERS, ...headers, ...encoded }, ...rest };
}

/** An error as the answer of the function. */
export function errorAnswer(error: StatusError): APIGatewayProxyStructuredResultV2 {
  const headers = { ...HEADERS, 'content-type': 'application/json' };
  return { statusCode: error.code, headers, body: stringifyJson(error.toStatus()) };
}
