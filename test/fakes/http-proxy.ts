import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestHttp } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy on 127.0.0.1 that leads every request to one port there, whichever host is asked for. */
export interface HttpProxy extends AsyncDisposable {
  readonly url: string;
  /** What was asked for, in order: `CONNECT host:port` or `POST http://host:port/path`. */
  readonly asked: readonly string[];
  /** The credentials that came with each. */
  readonly credentials: readonly (string | undefined)[];
}

/** Starts a proxy that leads to a port. */
export async function startHttpProxy(port: number): Promise<HttpProxy> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const note = ({ method, url, headers }: IncomingMessage): void => {
    asked.push(`${method} ${url}`);
    credentials.push(headers['proxy-authorization']);
  };
  const server = createServer((request, response) => {
    note(request);
    const { pathname } = new URL(request.url ?? '');
    const { method = '', headers } = request;
    const onward = requestHttp({ host: '127.0.0.1', port, path: pathname, method, headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connect', (request, incoming: Socket) => {
    note(request);
    const outgoing = connect(port, '127.0.0.1');
    sockets.add(incoming).add(outgoing);
    for (const socket of [incoming, outgoing]) socket.on('error', () => socket.destroy());
    incoming.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo; // It listens on a port, not on a path.
  return {
    url: `http://127.0.0.1:${own}`,
    asked,
    credentials,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
