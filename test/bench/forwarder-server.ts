import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { ObjectText } from './forwarder-objects.ts';

/** A resource with objects that are made when they are asked for, so that they take no memory here. */
export interface ServedResource {
  /** `/apis/apps/v1/deployments` */
  readonly path: string;
  readonly count: number;
  readonly text: ObjectText;
}

/** An API server that serves lists in pages, and watches. */
export interface LazyApiServer {
  readonly url: string;
  /** Changes an object: watches are told. */
  change(path: string, index: number): void;
  close(): Promise<void>;
}

class Served {
  readonly #resource: ServedResource;
  readonly #counters: Uint32Array;
  readonly #watches = new Set<ServerResponse>();
  #version = 1;

  constructor(resource: ServedResource) {
    this.#resource = resource;
    this.#counters = new Uint32Array(resource.count).fill(1);
  }

  page(limit: number, from: number): string {
    const { count, text } = this.#resource;
    const to = Math.min(count, from + limit);
    const items: string[] = [];
    for (let index = from; index < to; index += 1) items.push(text(index, this.#counter(index)));
    const resourceVersion = String(this.#version);
    const metadata = { resourceVersion, ...(to < count ? { continue: String(to) } : {}) };
    return `{"kind":"List","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`;
  }

  watch(response: ServerResponse): void {
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
  }

  change(index: number): void {
    this.#version += 1;
    this.#counters[index] = this.#version;
    const line = `{"type":"MODIFIED","object":${this.#resource.text(index, this.#version)}}\n`;
    for (const watch of this.#watches) watch.write(line);
  }

  #counter(index: number): number {
    return this.#counters[index] ?? 0;
  }
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

function closer(server: Server): () => Promise<void> {
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

/** What the server answers to discovery. No resource is of the core group. */
function discoveryOf(resources: readonly ServedResource[]): object {
  const items = resources.map(({ path, text }) => {
    const [, , group = '', version = '', resource = ''] = path.split('/');
    const { kind, metadata } = JSON.parse(text(0, 1));
    const scope = metadata.namespace === undefined ? 'Cluster' : 'Namespaced';
    const verbs = ['list', 'watch'];
    const served = { resource, responseKind: { group, version, kind }, scope, verbs };
    return { metadata: { name: group }, versions: [{ version, resources: [served] }] };
  });
  return { kind: 'APIGroupDiscoveryList', items };
}

/** Starts a server with these resources; others are not found. */
export async function startLazyApiServer(
  resources: readonly ServedResource[],
): Promise<LazyApiServer> {
  const served = new Map(resources.map((resource) => [resource.path, new Served(resource)]));
  const roots = new Map([
    ['/api', discoveryOf([])],
    ['/apis', discoveryOf(resources)],
  ]);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const resource = served.get(pathname);
    const root = roots.get(pathname);
    if (root !== undefined)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(root));
    else if (resource === undefined) {
      const status = { kind: 'Status', reason: 'NotFound', code: 404 };
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(status));
    } else if (searchParams.get('watch') === 'true') resource.watch(response);
    else {
      const limit = Number(searchParams.get('limit') ?? 500);
      const page = resource.page(limit, Number(searchParams.get('continue') ?? 0));
      response.writeHead(200, { 'content-type': 'application/json' }).end(page);
    }
  });
  const url = await listening(server);
  return {
    url,
    change: (path, index) => served.get(path)?.change(index),
    close: closer(server),
  };
}

/** A receiver of events that keeps nothing of them. */
export interface EventDrain {
  readonly url: string;
  /** While `true` it takes nothing: 503. */
  isDown: boolean;
  close(): Promise<void>;
}

/** Starts a drain. */
export async function startEventDrain(): Promise<EventDrain> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(drain.isDown ? 503 : 202).end());
  });
  const drain: EventDrain = { url: await listening(server), isDown: false, close: closer(server) };
  return drain;
}
