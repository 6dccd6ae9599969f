import type { ClientRequest, IncomingMessage } from 'node:http';

/**
 * After this idle time, the kernel probes the other end. Behind a proxy or load balancer that has dropped a connection, nothing
 * else shows that the connection is dead.
 */
export const TCP_KEEP_ALIVE_MS = 30_000;

/**
 * Sends one request and resolves with the response, whose body is not read yet. If a kept connection turns out to be closed,
 * that is not a failure of the server, and the request is sent again on another connection. Requests must therefore be safe to
 * send twice.
 *
 * @param start creates the request; nothing has been written to it yet
 * @throws the error of the request or its connection
 */
export function exchange(
  start: () => ClientRequest,
  body: string | Uint8Array | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = start();
    let answered = false;
    outgoing.on('socket', (socket) => socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS));
    outgoing.on('response', (response) => {
      answered = true;
      resolve(response);
    });
    // Listens for every error, because one may follow the answer while the rest of the request is being written.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      if (outgoing.reusedSocket && closed && !answered) exchange(start, body).then(resolve, reject);
      else reject(error);
    });
    outgoing.end(body);
  });
}
