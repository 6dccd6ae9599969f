import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen } from '#shared/adapters/http/listen.ts';
import { internalError } from '#shared/adapters/http/messages.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import type { Check } from './checks.ts';

/** The options of the server. */
export interface HealthServerOptions {
  /** The port. 0: any free port. */
  readonly port: number;
  readonly host: string;
  readonly liveness: () => readonly Check[];
  readonly readiness: () => readonly Check[];
  /** The metrics as text in the Prometheus format, with the content type. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
  /** Called if the metrics cannot be read (the scraper gets status 500), or a connection cannot be accepted. */
  readonly onError: (error: unknown) => void;
}

/** A listening server. */
export interface HealthServer {
  readonly port: number;
  /** Stops the server and closes all connections. */
  close(): Promise<void>;
}

/** The server cannot listen at its address. The message names the address, the fault and the remedy. */
export class HealthServerError extends Error {
  override readonly name = 'HealthServerError';
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const PLAIN = 'text/plain; charset=utf-8';
const NOT_FOUND = 'not found: there are /healthz, /readyz and /metrics\n';

/** Formats checks like the Kubernetes API server: a line for each check, and the outcome. */
function checked(name: string, checks: readonly Check[], verbose: boolean): Answer {
  const bad = checks.filter(({ ok }) => !ok);
  const status = bad.length === 0 ? 200 : 503;
  const shown = verbose ? checks : bad;
  if (shown.length === 0) return { status, text: 'ok\n' };
  const lines = shown.map(({ name: of, ok, text }) => `[${ok ? '+' : '-'}]${of}: ${text}`);
  const outcome = `${name} check ${bad.length === 0 ? 'passed' : 'failed'}`;
  return { status, text: `${[...lines, outcome].join('\n')}\n` };
}

async function answer(options: HealthServerOptions, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, text: 'use GET\n', headers: { Allow: 'GET, HEAD' } };
  const url = URL.parse(`http://localhost${request.url}`);
  const verbose = url?.searchParams.has('verbose') ?? false;
  switch (url?.pathname) {
    case '/healthz':
      return checked('healthz', options.liveness(), verbose);
    case '/readyz':
      return checked('readyz', options.readiness(), verbose);
    case '/metrics':
      return { status: 200, ...(await options.metrics()) };
    default:
      return { status: 404, text: NOT_FOUND };
  }
}

async function respond(
  options: HealthServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, text, contentType = PLAIN, headers } = await answer(options, request);
    response.writeHead(status, {
      ...SECURITY_HEADERS,
      'content-type': contentType,
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  } catch (error) {
    options.onError(error);
    response
      .writeHead(500, { ...SECURITY_HEADERS, 'content-type': PLAIN })
      .end(`${internalError('the forwarder')}\n`);
  }
}

function unavailable(
  { host, port }: HealthServerOptions,
  error: NodeJS.ErrnoException,
): HealthServerError {
  const remedies: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another process listens there: choose another server.port, or end that process',
    EACCES: 'this process may not listen there: choose a server.port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address: correct server.host',
    ENOTFOUND: 'there is no such host: correct server.host',
  };
  const remedy = remedies[error.code ?? ''] ?? 'check server.host and server.port';
  return new HealthServerError(
    `cannot listen on ${host} port ${port} (${error.code ?? error.message}): ${remedy}`,
    { cause: error },
  );
}

/**
 * Serves /healthz, /readyz and /metrics (docs/forwarder.md, "Endpoints").
 *
 * @throws HealthServerError if it cannot listen
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    // respond() always answers.
    void respond(options, request, response);
  });
  const port = await listen(server, options).catch((error: NodeJS.ErrnoException) => {
    throw unavailable(options, error);
  });
  // For example, there is no descriptor left for a connection. This is no reason to end the process.
  server.on('error', options.onError);
  return { port, close: () => close(server, 0) };
}
