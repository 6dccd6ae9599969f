import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { build } from 'esbuild';
import { close, listen } from '#shared/adapters/http/listen.ts';

const HTML = `<!DOCTYPE html>
<html lang="en"><head><meta charset="UTF-8"><title>Argo CD</title><style>body{margin:0;font-family:sans-serif}</style><base href="/"></head>
<body><div id="app"></div><script src="page.js"></script><script defer src="extensions.js"></script></body></html>`;

/** The part of the configuration of Argo CD that a tab depends on. */
export interface ArgoCdConfiguration {
  /** The files in the folder of extensions. */
  readonly files: readonly string[];
  /** `extension.config`: the backend of the proxy extension `starfold`. Absent if proxy extensions are not enabled. */
  backend?: { readonly url: string; readonly authorization: string; readonly ca: string };
  /** Whether the user may get the application and invoke the extension. */
  allows: boolean;
}

async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page', 'page.tsx')],
    bundle: true,
    write: false,
    format: 'iife',
    // React, as Argo CD has it, is no package of the project itself.
    nodePaths: [join('tools', 'node_modules')],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Argo CD serves all files as one script, and an error in one does not stop the others. */
function extensionsScript(files: readonly string[]): string {
  return files
    .map((file) => `try {\n${readFileSync(file, 'utf8')}\n} catch(e) { console.error(e); }\n`)
    .join('');
}

/** Argo CD's server with its proxy extension (Argo CD 3.6, server/extension/extension.go). */
export class ArgoCdServer {
  readonly configuration: ArgoCdConfiguration;
  /** The paths that were asked of the proxy, without the prefix, decoded. */
  readonly proxied: string[] = [];
  /** If set, requests wait until it resolves. */
  gate: Promise<unknown> | undefined;
  readonly #server: Server;
  #page = '';
  address = '';

  constructor(configuration: ArgoCdConfiguration) {
    this.configuration = configuration;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<void> {
    this.#page = await pageScript();
    this.address = `http://127.0.0.1:${await listen(this.#server, { host: '127.0.0.1', port: 0 })}/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await close(this.#server, 0);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/' } = request;
    const [path = ''] = url.split('?');
    const { backend, files } = this.configuration;
    if (path === '/page.js') return answer(response, 'text/javascript', this.#page);
    if (path === '/extensions.js')
      return answer(response, 'application/javascript', extensionsScript(files));
    // Every other path is the page, which finds out by itself what to show.
    if (!path.startsWith('/extensions/') || backend === undefined)
      return answer(response, 'text/html', HTML);
    await this.gate;
    return this.#proxy(request, response, backend);
  }

  async #proxy(
    request: IncomingMessage,
    response: ServerResponse,
    backend: NonNullable<ArgoCdConfiguration['backend']>,
  ): Promise<void> {
    const { headers } = request;
    const application = headers['argocd-application-name'];
    if (application === undefined || headers['argocd-project-name'] === undefined)
      return refuse(response, 400, 'Invalid headers');
    if (!this.configuration.allows || application !== 'argocd:shop')
      return refuse(response, 401, 'Unauthorized extension request');
    const target = new URL((request.url ?? '').replace('/extensions/starfold', ''), backend.url);
    this.proxied.push(decodeURIComponent(target.pathname + target.search));
    const { cookie: _cookie, host: _host, ...rest } = headers;
    const sent: OutgoingHttpHeaders = { ...rest, authorization: backend.authorization };
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const asked = secureRequest(target, { headers: sent, ca: backend.ca, signal: gone.signal });
    try {
      asked.end();
      const [reply] = (await once(asked, 'response')) as [IncomingMessage];
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      await pipeline(reply, response);
    } catch {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    }
  }
}

function answer(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type }).end(text);
}

function refuse(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain' }).end(text);
}
