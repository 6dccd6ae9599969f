import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be cut. */
export interface TcpProxy {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  /** Breaks every connection and refuses new ones, as a server that is down. */
  cut(): Promise<void>;
  /** Accepts connections again, on the same port. */
  restore(): Promise<void>;
}

/** Starts a proxy to an API server; its certificate holds for the proxy's address too. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket, other: () => Socket): void => {
    sockets.add(socket);
    // An error closes the socket as well: nothing else is to be done about it.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other().destroy();
    });
  };
  const listener = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    keep(incoming, () => outgoing);
    keep(outgoing, () => incoming);
    incoming.pipe(outgoing).pipe(incoming);
  });
  const listen = async (own: number): Promise<void> => {
    listener.listen(own, '127.0.0.1');
    await once(listener, 'listening');
  };
  await listen(0);
  const address = listener.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    server: `https://127.0.0.1:${own}`,
    cut: async () => {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    restore: () => listen(own),
  };
}
