import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiRequest } from '#shared/api/api-request.ts';
import { ENCODED_BODY } from '#shared/api/messages.ts';
import { requestTooLarge, unsupportedMediaType } from '#shared/api/status-error.ts';

/** The body of a request's event. API Gateway has read it whole, and encodes it unless it is text. */
export function bodyOf({
  body,
  headers,
  isBase64Encoded,
}: APIGatewayProxyEventV2): Pick<ApiRequest, 'body'> {
  if (body === undefined) return {};
  const bytes = async (maxBytes: number): Promise<Buffer> => {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw unsupportedMediaType(ENCODED_BODY);
    const whole = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
    if (whole.length > maxBytes) throw requestTooLarge(maxBytes);
    return whole;
  };
  return { body: { contentType: headers['content-type'] ?? '', bytes } };
}
