import type { ClientRequest, IncomingMessage } from 'node:http';

/**
 * Idle time after which the kernel asks whether the other end still stands. Behind a proxy or a load balancer that has
 * forgotten a connection nothing else tells.
 */
export const TCP_KEEP_ALIVE_MS = 30_000;

/**
 * One exchange; the answer's body is still to come. A kept connection may turn out to be closed when it is used again:
 * that is not the server's failure, and the request goes out once more, on another one. Requests have to be safe to send
 * twice.
 *
 * @param start makes the request; nothing has been written to it yet
 * @throws what the request or its connection fails with
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
    // Every error: one may come after the answer, while the rest of the request is written.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      if (outgoing.reusedSocket && closed && !answered) exchange(start, body).then(resolve, reject);
      else reject(error);
    });
    outgoing.end(body);
  });
}
