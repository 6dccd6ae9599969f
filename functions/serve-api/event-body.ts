import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiRequest } from '#shared/api/api-request.ts';
import { badRequest, requestTooLarge, unsupportedMediaType } from '#shared/api/status-error.ts';

/** The body of a request's event. API Gateway has read it whole, and encodes what is no text. */
export function bodyOf({
  body,
  headers,
  isBase64Encoded,
}: APIGatewayProxyEventV2): Pick<ApiRequest, 'body'> {
  if (body === undefined) return {};
  const text = async (maxBytes: number): Promise<string> => {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity')
      throw unsupportedMediaType('the body of the request must have no content-encoding');
    const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
    if (bytes.length > maxBytes) throw requestTooLarge(maxBytes);
    if (!isUtf8(bytes)) throw badRequest('the body of the request is not UTF-8');
    return bytes.toString();
  };
  return { body: { contentType: headers['content-type'] ?? '', text } };
}
