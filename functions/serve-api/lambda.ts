import { MetricUnit } from '@aws-lambda-powertools/metrics';
import httpRouter from '@middy/http-router';
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';
import { AppError } from '#shared/errors.ts';
import { type Observability, withMiddleware } from '#shared/runtime/batch.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import { INTERNAL_ERROR, nothingAt, ONLY_GET, STORE_UNAVAILABLE } from './messages.ts';
import { notFound, Problem } from './problem.ts';
import { pageOf, stateOf, subjectOf, upstreamOf } from './request.ts';
import { listDeployments, listDifferences, type ServeApiDeps } from './use-case.ts';

/** A Lambda function behind an HTTP API of API Gateway. */
export type ServeApiHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

type Serve = (event: APIGatewayProxyEventV2) => Promise<string>;

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function problemAnswer({ status, message, headers }: Problem): APIGatewayProxyStructuredResultV2 {
  const title = TITLES[status] ?? '';
  return {
    statusCode: status,
    headers: {
      ...SECURITY_HEADERS,
      'content-type': 'application/problem+json',
      ...headers,
    },
    body: JSON.stringify({ type: 'about:blank', title, status, detail: message }),
  };
}

async function answer(text: Promise<string>): Promise<APIGatewayProxyStructuredResultV2> {
  return {
    statusCode: 200,
    headers: { ...SECURITY_HEADERS, 'content-type': 'application/json' },
    body: await text,
  };
}

async function refuseMethod(): Promise<never> {
  throw new Problem(405, ONLY_GET, { headers: { allow: 'GET' } });
}

/** Creates the router for the paths. */
function createRouter(paths: Readonly<Record<string, Serve>>): ServeApiHandler {
  const router = httpRouter<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>({
    routes: Object.entries(paths).flatMap(([path, serve]) => [
      { method: 'GET', path, handler: (event: APIGatewayProxyEventV2) => answer(serve(event)) },
      { method: 'ANY', path, handler: refuseMethod },
    ]),
    notFoundResponse: () => {
      throw notFound(nothingAt(Object.keys(paths)));
    },
  });
  // The router is a plain function that returns the result of the route's handler, or throws.
  return async (event, context) => (router as unknown as ServeApiHandler)(event, context);
}

/** The problem for the client, without internal details. */
function failure(error: unknown): Problem {
  const isPassing = error instanceof AppError && error.retryable;
  return isPassing
    ? new Problem(503, STORE_UNAVAILABLE, { headers: { 'retry-after': '5' } })
    : new Problem(500, INTERNAL_ERROR);
}

/** Logs and counts an error that no client caused. */
function noteFailure(error: unknown, path: string, { logger, metrics }: Observability): void {
  const metric = failure(error).status === 503 ? 'RetryableFailures' : 'TerminalFailures';
  metrics.addMetric(metric, MetricUnit.Count, 1);
  logger.error('a request could not be answered', {
    path,
    error: error instanceof Error ? error : new Error(String(error)),
  });
}

/** The problem that answers a request. A failure is logged and counted. */
function problemOf(error: unknown, path: string, observability: Observability): Problem {
  if (error instanceof Problem) return error;
  noteFailure(error, path, observability);
  return failure(error);
}

/** What answers requests about statuses. It is loaded when the first one comes. */
export type LoadStatuses = (
  onError: (error: unknown) => void,
) => Promise<{ handle(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> }>;

const STATUSES = '/wds/';

/** Adds the API of what WECs report to the paths about Fleet. */
function withStatuses(
  fleet: ServeApiHandler,
  load: LoadStatuses,
  observability: Observability,
): ServeApiHandler {
  let loading: ReturnType<LoadStatuses> | undefined;
  return async (event, context) => {
    if (!event.rawPath.startsWith(STATUSES)) return fleet(event, context);
    loading ??= load((error) => noteFailure(error, STATUSES, observability));
    // What could not be loaded is loaded again for the next request.
    loading.catch(() => {
      loading = undefined;
    });
    return (await loading).handle(event);
  };
}

/**
 * The function behind the HTTP API. A failure is answered with a problem, logged and counted.
 *
 * @param statuses absent if only Fleet is served
 */
export function createServeApi(
  deps: ServeApiDeps,
  observability: Observability,
  statuses?: LoadStatuses,
): ServeApiHandler {
  const router = createRouter({
    '/v1/fleet/{upstream}/differences': async (event) =>
      listDifferences(deps, upstreamOf(event), pageOf(event)),
    '/v1/fleet/{upstream}/{resource}/{namespace}/{name}/deployments': async (event) =>
      listDeployments(deps, subjectOf(event), {
        ...pageOf(event, ['state']),
        state: stateOf(event),
      }),
  });
  const served = statuses ? withStatuses(router, statuses, observability) : router;
  return withMiddleware(
    (event, context) =>
      served(event, context).catch((error: unknown) =>
        problemAnswer(problemOf(error, event.rawPath, observability)),
      ),
    observability,
  );
}
