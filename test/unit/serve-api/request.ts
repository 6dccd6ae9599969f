import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ServeApiHandler } from '#functions/serve-api/lambda.ts';
import { localContext } from '#local/stack/poller.ts';
import { type JsonObject, parseJson } from '#shared/core/json.ts';

/** What an HTTP API of API Gateway makes of a request. */
export function httpEvent(url: string, method = 'GET'): APIGatewayProxyEventV2 {
  const [rawPath = '', rawQueryString = ''] = url.split('?');
  const query = Object.fromEntries(new URLSearchParams(rawQueryString));
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: {},
    ...(rawQueryString === '' ? {} : { queryStringParameters: query }),
    requestContext: {
      accountId: '111122223333',
      apiId: 'api',
      domainName: 'api.example',
      domainPrefix: 'api',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: '' },
      requestId: 'request',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
    isBase64Encoded: false,
  };
}

/** An answer, read. */
export interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: JsonObject;
  readonly text: string;
}

/** Asks a handler. */
export async function ask(handler: ServeApiHandler, url: string, method = 'GET'): Promise<Answer> {
  const {
    statusCode,
    headers = {},
    body = '',
  } = await handler(httpEvent(url, method), localContext('serve-api', 'request'));
  // Every answer is a JSON object.
  return { status: statusCode, headers, body: parseJson(body) as JsonObject, text: body };
}
