import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';

/** A request as it arrived. */
interface ArrivedRequest {
  /** Method, path and query: `GET /api/v1/pods?limit=500`. */
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Port of the client's end of the connection. */
  readonly port: number;
}

/** Answers one request; what it does not answer stays open. */
type Answer = (request: ArrivedRequest, response: ServerResponse) => void | Promise<void>;

/** An HTTP server that answers as a test says, and remembers what it was asked. */
export interface HttpApiServer {
  readonly url: string;
  readonly requests: ArrivedRequest[];
  answer: Answer;
  /** A kubeconfig whose only context is this server. */
  kubeConfig(user?: Readonly<Record<string, unknown>>): KubeConfig;
  close(): Promise<void>;
}

/** Writes a JSON answer. */
export function json(response: ServerResponse, value: unknown, code = 200): void {
  response.writeHead(code, { 'Content-Type': 'application/json' });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Starts a server on a free port of the loopback interface. */
export async function startHttpApiServer(): Promise<HttpApiServer> {
  const requests: ArrivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const arrived = {
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: await text(request),
      port: request.socket.remotePort ?? 0,
    };
    requests.push(arrived);
    await started.answer(arrived, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a path.
  const url = `http://127.0.0.1:${port}`;
  const started: HttpApiServer = {
    url,
    requests,
    answer: (_request, response) => json(response, {}),
    kubeConfig: (user = {}) => {
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromOptions({
        clusters: [{ name: 'test', server: url, skipTLSVerify: true }],
        users: [{ name: 'tester', ...user }],
        contexts: [{ name: 'test', cluster: 'test', user: 'tester' }],
        currentContext: 'test',
      });
      return kubeConfig;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return started;
}
