import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '#test/simulation/scheduler.ts';

/** A way to a server that can be cut. */
export interface TcpProxy {
  /** `https://HOST:PORT`, of the target's scheme. */
  readonly server: string;
  /** Breaks every connection and refuses new ones, as a server that is down. */
  cut(): Promise<void>;
  /** Breaks every connection, and accepts new ones. */
  drop(): void;
  /**
   * Takes from now on what is sent over the connections that stand and new ones, and passes nothing on: as a network in
   * which a way has been lost.
   */
  swallow(): void;
  /** Keeps from now on what is sent, until {@link release}: as a network that loses packets, which are sent again. */
  hold(): void;
  /** How many pieces are kept. */
  held(): number;
  /** Passes on what was kept; returns how many pieces that were. */
  release(): number;
  /** Every piece takes so long from now on, in milliseconds: from `least` to twice that. */
  delay(least: number): void;
  /** New connections go to this server. */
  aim(target: string): void;
  /** Accepts connections again, on the same port; what stood while it swallowed stays mute. */
  restore(): Promise<void>;
}

/** What the connections of a proxy have in common. */
interface Line {
  isSwallowing: boolean;
  delayMs: number;
  /** What is kept; absent: nothing is to be kept. */
  held: (() => void)[] | undefined;
}

/** One connection: both sockets and what stands between them. */
class Way {
  readonly #line: Line;
  /** Of the delays. */
  readonly #random = new Random(1);
  readonly #sockets: readonly [Socket, Socket];
  #isMute: boolean;

  constructor(line: Line, sockets: readonly [Socket, Socket]) {
    this.#line = line;
    this.#sockets = sockets;
    this.#isMute = line.isSwallowing;
    const [incoming, outgoing] = sockets;
    incoming.pipe(this.#passage()).pipe(outgoing);
    outgoing.pipe(this.#passage()).pipe(incoming);
  }

  mute(): void {
    this.#isMute = true;
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** In its order: a piece waits for those before it. */
  #passage(): Transform {
    return new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        const pass = (): void => (this.#isMute ? done() : done(null, piece));
        const { held, delayMs } = this.#line;
        if (held !== undefined) held.push(pass);
        else if (delayMs === 0) pass();
        else void wait(delayMs * (1 + this.#random.next())).then(pass);
      },
    });
  }
}

/**
 * Starts a proxy to an API server; its certificate holds for the proxy's address too.
 *
 * @param host an address of this machine
 */
export async function startTcpProxy(target: string, host = '127.0.0.1'): Promise<TcpProxy> {
  const { protocol } = new URL(target);
  let aimed = new URL(target);
  const ways = new Set<Way>();
  const line: Line = { isSwallowing: false, delayMs: 0, held: undefined };
  // A network sends what it has: it does not wait for more, as the algorithm of Nagle does.
  const listener = createServer({ noDelay: true }, (incoming) => {
    const { hostname, port } = aimed;
    const outgoing = connect({ port: Number(port), host: hostname, noDelay: true });
    const way = new Way(line, [incoming, outgoing]);
    ways.add(way);
    for (const socket of [incoming, outgoing]) {
      // An error closes the socket as well: nothing else is to be done about it.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        ways.delete(way);
        way.destroy();
      });
    }
  });
  const listen = async (own: number): Promise<void> => {
    listener.listen(own, host);
    await once(listener, 'listening');
  };
  await listen(0);
  const address = listener.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  const drop = (): void => {
    for (const way of ways) way.destroy();
  };
  return {
    server: `${protocol}//${host}:${own}`,
    cut: async () => {
      if (!listener.listening) return;
      const closed = once(listener, 'close');
      listener.close();
      drop();
      await closed;
    },
    drop,
    swallow: () => {
      line.isSwallowing = true;
      for (const way of ways) way.mute();
    },
    hold: () => {
      line.held ??= [];
    },
    held: () => line.held?.length ?? 0,
    release: () => {
      const held = line.held ?? [];
      line.held = undefined;
      for (const pass of held) pass();
      return held.length;
    },
    delay: (least) => {
      line.delayMs = least;
    },
    aim: (next) => {
      aimed = new URL(next);
    },
    restore: async () => {
      line.isSwallowing = false;
      if (!listener.listening) await listen(own);
    },
  };
}
