import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { close, listen } from '#shared/adapters/http/listen.ts';
import { methodNotAllowed, StatusError, unknownResource } from '#shared/api/status-error.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import { type ApiRequest, parseRequestHead, readBody, requireOwn } from './api-request.ts';
import { type ApiTarget, type ClusterParts, storedNamespace, targetOf } from './api-target.ts';
import { coreVersions, group, groupList, resourceList, versionInfo } from './discovery.ts';
import { answerList } from './list-request.ts';
import { openApiDocument, openApiRoot, openApiV2 } from './openapi.ts';
import { scaleOf } from './scale.ts';
import { tableOf } from './table.ts';
import { answerWatch } from './watch-request.ts';
import type { WatchStream } from './watch-stream.ts';
import { answerWrite } from './write-requests.ts';

/** Longer than the idle time of the clients' connection pools, so that the clients close connections. */
const KEEP_ALIVE_MS = 120_000;
/** How long answers in progress have to reach their clients when the server closes. */
const LAST_BYTES_MS = 50;

function respond(
  response: ServerResponse,
  { code, text }: { readonly code: number; readonly text: string | Buffer },
  type = 'application/json',
): void {
  const bytes = Buffer.from(text);
  response.writeHead(code, {
    ...SECURITY_HEADERS,
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': 'no-cache, private',
  });
  response.end(bytes);
}

function respondError(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof StatusError
      ? error
      : new StatusError(
          { code: 500, reason: 'InternalError' },
          `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`,
        );
  if (response.headersSent) response.destroy();
  else respond(response, { code: known.code, text: stringifyJson(known.toStatus()) });
}

function document({ registry, models }: ClusterParts, path: string): JsonObject | undefined {
  const segments = path.split('/').slice(1);
  if (path.startsWith('/openapi/v3/'))
    return openApiDocument(registry, models, segments.slice(2).join('/'));
  if (path === '/openapi/v3') return openApiRoot(registry);
  if (path === '/version') return versionInfo();
  if (path === '/api') return coreVersions('127.0.0.1');
  if (path === '/apis') return groupList(registry);
  const [root, first = '', second] = segments;
  if (root === 'api' && second === undefined) return resourceList(registry, first);
  if (root !== 'apis' || segments.length > 3) return undefined;
  return second === undefined
    ? group(registry, first)
    : resourceList(registry, `${first}/${second}`);
}

function answerGet(parts: ClusterParts, target: ApiTarget, request: ApiRequest): string {
  const { definition, name, subresource } = target;
  if (name === undefined) return answerList(parts, target, request);
  const stored = parts.lifecycle.read(definition, { namespace: storedNamespace(target), name });
  if (subresource === 'scale') return stringifyJson(scaleOf(stored.object));
  if (request.form === 'json') return stored.text;
  return stringifyJson(
    tableOf(definition, [stored], {
      listMetadata: { resourceVersion: String(stored.version) },
      include: request.include,
      now: parts.clock(),
    }),
  );
}

/** It has its own media types, so it is served before content negotiation. */
const OPENAPI_V2 = '/openapi/v2';

function serveOpenApiV2(incoming: IncomingMessage, response: ServerResponse): void {
  requireOwn(incoming);
  if (incoming.method !== 'GET') throw methodNotAllowed();
  const { type, bytes } = openApiV2(incoming.headers.accept ?? '');
  respond(response, { code: 200, text: bytes }, type);
}

/** One cluster's API over HTTP. */
export class HttpServer {
  readonly #parts: ClusterParts;
  readonly #server: Server;
  readonly #watches = new Set<WatchStream>();

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      this.#serve(request, response).catch((error: unknown) => respondError(response, error));
    });
  }

  /**
   * Listens only on 127.0.0.1.
   *
   * @param port 0 means any free port
   * @returns the port
   * @throws the system's error if it cannot listen
   */
  listen(port: number): Promise<number> {
    return listen(this.#server, { host: '127.0.0.1', port });
  }

  /** Ends every watch properly, then all connections. */
  async close(): Promise<void> {
    const closed = close(this.#server, LAST_BYTES_MS);
    for (const watch of this.#watches) watch.end();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.url?.split('?')[0] === OPENAPI_V2) {
      serveOpenApiV2(incoming, response);
      return;
    }
    const request = parseRequestHead(incoming);
    const target = targetOf(this.#parts.registry, request.path);
    if (target === undefined) this.#serveDocument(request, response);
    else if (request.method === 'GET') this.#serveRead(request, target, response);
    else {
      const body = await readBody(incoming);
      respond(response, answerWrite({ parts: this.#parts, target, request, body }));
    }
  }

  #serveRead(request: ApiRequest, target: ApiTarget, response: ServerResponse): void {
    const parts = this.#parts;
    const watch = request.query.get('watch');
    if (target.name !== undefined || (watch !== 'true' && watch !== '1')) {
      respond(response, { code: 200, text: answerGet(parts, target, request) });
      return;
    }
    const stream = answerWatch({ parts, target, request }, response);
    this.#watches.add(stream);
    stream.onEnd(() => this.#watches.delete(stream));
  }

  #serveDocument({ method, path }: ApiRequest, response: ServerResponse): void {
    if (method !== 'GET') throw methodNotAllowed();
    if (['/healthz', '/livez', '/readyz'].includes(path)) {
      respond(response, { code: 200, text: 'ok' }, 'text/plain; charset=utf-8');
      return;
    }
    const found = document(this.#parts, path);
    if (found === undefined) throw unknownResource();
    respond(response, { code: 200, text: stringifyJson(found) });
  }
}
