import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ServeApiHandler } from '#functions/serve-api/lambda.ts';
import { addressFault } from '#local/intake/address-error.ts';
import { close, listen, serverUrl } from '#shared/adapters/http/listen.ts';
import { foreignRequest } from '#shared/adapters/http/own-request.ts';
import { AppError } from '#shared/errors.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import { INTERNAL_ERROR } from './messages.ts';
import { localContext } from './poller.ts';

/** The API cannot be served at the requested address. The message names the address, the problem and the remedy. */
export class ApiServerError extends AppError {
  override readonly name = 'ApiServerError';
  readonly code = 'api-server';
  readonly retryable = false;
}

/** The options of the API server. */
export interface ApiServerOptions {
  /** An address of this machine only, because clients are not authenticated. */
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly handler: ServeApiHandler;
  /** What else is served at the address. Returns whether it answers the request. It has to reject requests of other hosts. */
  readonly besides?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Called with errors for which the handler returned no answer. */
  readonly onError: (error: unknown) => void;
}

/** A running server. */
export interface ApiServer {
  /** `http://127.0.0.1:8081` */
  readonly url: string;
  /** Accepts no more requests, and waits a moment for requests in progress. */
  stop(): Promise<void>;
}

const NAME = 'serve-api';
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 };
const MAX_CONNECTIONS = 100;
const STOP_MS = 500;

/** The event that an HTTP API of API Gateway makes from a request (payload format 2.0). */
function eventOf({ method = '', url = '', headers }: IncomingMessage): APIGatewayProxyEventV2 {
  const mark = url.indexOf('?');
  const rawPath = mark < 0 ? url : url.slice(0, mark);
  const rawQueryString = mark < 0 ? '' : url.slice(mark + 1);
  const query = new Map<string, string>();
  // A parameter that occurs twice has both values.
  for (const [key, value] of new URLSearchParams(rawQueryString))
    query.set(key, query.has(key) ? `${query.get(key)},${value}` : value);
  const nowMs = Date.now();
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]),
    ),
    ...(query.size === 0 ? {} : { queryStringParameters: Object.fromEntries(query) }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: 'localhost',
      domainPrefix: 'localhost',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date(nowMs).toISOString(),
      timeEpoch: nowMs,
    },
    isBase64Encoded: false,
  };
}

function respond(
  response: ServerResponse,
  { statusCode = 200, headers, body = '' }: APIGatewayProxyStructuredResultV2,
): void {
  const bytes = Buffer.from(body);
  for (const [name, value] of Object.entries(headers ?? {}))
    response.setHeader(name, String(value));
  response.writeHead(statusCode, { 'content-length': bytes.length });
  response.end(bytes);
}

function refusal(status: number, detail: string): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: { ...SECURITY_HEADERS, 'content-type': 'application/problem+json' },
    body: JSON.stringify({ type: 'about:blank', status, detail }),
  };
}

async function serve(
  { handler, onError }: ApiServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The body of a request is ignored.
  request.resume();
  const foreign = foreignRequest(request);
  if (foreign !== undefined) return respond(response, refusal(403, foreign));
  const event = eventOf(request);
  try {
    respond(response, await handler(event, localContext(NAME, event.requestContext.requestId)));
  } catch (error) {
    onError(error);
    respond(response, refusal(500, INTERNAL_ERROR));
  }
}

function createApiServer(options: ApiServerOptions): Server {
  const server = createServer(LIMITS, (request, response) => {
    if (options.besides?.(request, response) !== true) void serve(options, request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/**
 * Serves the API over HTTP on this machine, like API Gateway on AWS, but without authentication.
 *
 * @throws ApiServerError if it cannot listen at the address
 */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { host, port, onError } = options;
  const server = createApiServer(options);
  const taken = await listen(server, { host, port }).catch((error: unknown) => {
    throw new ApiServerError(addressFault({ host, port }, '--api', error), { cause: error });
  });
  server.on('error', onError);
  return { url: serverUrl('http', { host, port: taken }), stop: () => close(server, STOP_MS) };
}
