import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** What came in a request. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed. */
  readonly text: string;
  /** Number of the connection that it came by, from 0. */
  readonly connection: number;
}

/** A server on 127.0.0.1 that keeps what it receives. */
export interface HttpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** The bodies of the messages of all requests, in order. */
  bodies(): readonly string[];
}

/**
 * Starts a receiver.
 *
 * @param answer how each request is answered, by its number; default: with 202
 */
export async function startReceiver(
  answer: (response: ServerResponse, number: number) => void = (response) => {
    response.writeHead(202).end();
  },
): Promise<HttpReceiver> {
  const requests: ReceivedRequest[] = [];
  const sockets: unknown[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!sockets.includes(request.socket)) sockets.push(request.socket);
    const { method = '', url = '', headers } = request;
    const text = gunzipSync(Buffer.concat(chunks)).toString();
    requests.push({ method, url, headers, text, connection: sockets.indexOf(request.socket) });
    answer(response, requests.length - 1);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    bodies: () => requests.flatMap(({ text }) => JSON.parse(text).messages),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
