import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** The limits of connections, depending on whether a token has been shown on them. */
export interface ConnectionLimits {
  /** The maximum of requests on one connection that have no answer yet. A further one ends the connection. */
  readonly requestsOfConnection: number;
  /** The maximum of connections without a token from one address, or from one IPv6 network of 64 bits. A new one ends the oldest. */
  readonly strangersOfAddress: number;
  /** The maximum of requests without a token on one connection. */
  readonly requestsOfStranger: number;
  /** How long a connection without a token may wait for its next request, in milliseconds. */
  readonly strangerIdleMs: number;
  /** How long a connection with a token may wait for its next request, in milliseconds. */
  readonly idleMs: number;
}

/**
 * The unit in which connections are counted: an IPv4 address, or the first 64 bits of an IPv6 address, because one host
 * may have all of that network.
 */
function networkOf(address: string): string {
  const isMapped = address.toLowerCase().startsWith('::ffff:');
  if (isMapped || !address.includes(':')) return address.split(':').at(-1) ?? address;
  const [head = '', tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array(missing).fill('0'), ...(tail ?? [])];
  return groups.slice(0, 4).join(':');
}

/** The same result for a connection and for the TLS connection on it. */
function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** A connection without a token. */
interface Stranger {
  readonly socket: Socket;
  requests: number;
}

/** The connections of a server. Connections without a token are limited in number and time. */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** How many requests of a connection have no answer yet. */
  readonly #unanswered = new WeakMap<Socket, number>();
  /** The peers without a token, in the order of their arrival, by network. */
  readonly #strangers = new Map<string, Map<string, Stranger>>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * If an address has too many connections without a token, closes the one that has had the time to show one for longest. Somebody who
   * holds all of them behind the same address translation or proxy cannot keep others from connecting.
   */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#enter(socket));
  }

  /**
   * Counts a request until its answer has been sent. If too many are sent before their answers, ends the connection: each costs as
   * much as a request of others, however soon it is refused.
   *
   * @returns whether the request is to be answered
   */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // What has arrived together is read together, also after the end of the connection.
    if (socket.destroyed) return false;
    const unanswered = (this.#unanswered.get(socket) ?? 0) + 1;
    if (unanswered > this.#limits.requestsOfConnection) {
      socket.destroy();
      return false;
    }
    this.#unanswered.set(socket, unanswered);
    response.once('close', () => {
      this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1);
    });
    return true;
  }

  #enter(socket: Socket): void {
    const [peer, network] = [peerOf(socket), networkOf(socket.remoteAddress ?? '')];
    const strangers = this.#strangers.get(network) ?? new Map<string, Stranger>();
    this.#strangers.set(network, strangers.set(peer, { socket, requests: 0 }));
    const [oldest] = strangers;
    if (oldest !== undefined && strangers.size > this.#limits.strangersOfAddress) {
      strangers.delete(oldest[0]);
      oldest[1].socket.destroy();
    }
    socket.once('close', () => this.#leave(network, peer));
  }

  #leave(network: string, peer: string): void {
    const strangers = this.#strangers.get(network);
    strangers?.delete(peer);
    if (strangers?.size === 0) this.#strangers.delete(network);
  }

  /** The peers in the network of a request without a token, if its connection is one of them. */
  #around({ socket }: IncomingMessage): Map<string, Stranger> | undefined {
    const strangers = this.#strangers.get(networkOf(socket.remoteAddress ?? ''));
    return strangers?.has(peerOf(socket)) === true ? strangers : undefined;
  }

  /** Whether no token has been shown on the connection of a request. */
  isStranger(request: IncomingMessage): boolean {
    return this.#around(request) !== undefined;
  }

  /**
   * Counts a request that has shown no token.
   *
   * @returns how many more there may be on its connection; a negative number if there were too many
   */
  countStranger(request: IncomingMessage): number {
    const stranger = this.#around(request)?.get(peerOf(request.socket));
    if (stranger === undefined) return Number.POSITIVE_INFINITY;
    stranger.requests += 1;
    return this.#limits.requestsOfStranger - stranger.requests;
  }

  /** A request has shown a token. Its connection is kept for the next request, and no longer counts. */
  trust({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#leave(networkOf(socket.remoteAddress ?? ''), peerOf(socket));
    const { idleMs } = this.#limits;
    response.setHeader('keep-alive', `timeout=${Math.floor(idleMs / 1000)}`);
    // After the server has set the timeout for a connection without a token.
    response.once('finish', () => socket.setTimeout(idleMs));
  }
}
