import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** What connections may do, by whether a token has been shown on them. */
export interface ConnectionLimits {
  /** Of one address, or of one IPv6 network of 64 bits, without a token. */
  readonly strangersOfAddress: number;
  /** For the next request of one without a token, in milliseconds. */
  readonly strangerIdleMs: number;
  /** For the next request of one with a token, in milliseconds. */
  readonly idleMs: number;
}

/** Who is counted together: an IPv4 address, or the 64 bits of an IPv6 address that one host may have all of. */
function networkOf(address: string): string {
  const isMapped = address.toLowerCase().startsWith('::ffff:');
  if (isMapped || !address.includes(':')) return address.split(':').at(-1) ?? address;
  const [head = '', tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array(missing).fill('0'), ...(tail ?? [])];
  return groups.slice(0, 4).join(':');
}

/** The same for a connection and for the TLS on it. */
function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The connections of a server. Those on which no token has been shown are few and short. */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** Without a token, by network: the peers. */
  readonly #strangers = new Map<string, Set<string>>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Closes what is one too many of an address at once. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#enter(socket));
  }

  #enter(socket: Socket): void {
    const [peer, network] = [peerOf(socket), networkOf(socket.remoteAddress ?? '')];
    const strangers = this.#strangers.get(network) ?? new Set();
    if (strangers.size >= this.#limits.strangersOfAddress) {
      socket.destroy();
      return;
    }
    this.#strangers.set(network, strangers.add(peer));
    socket.once('close', () => this.#leave(network, peer));
  }

  #leave(network: string, peer: string): void {
    const strangers = this.#strangers.get(network);
    strangers?.delete(peer);
    if (strangers?.size === 0) this.#strangers.delete(network);
  }

  /** Whether no token has been shown on the connection of a request. */
  isStranger({ socket }: IncomingMessage): boolean {
    return this.#strangers.get(networkOf(socket.remoteAddress ?? ''))?.has(peerOf(socket)) ?? false;
  }

  /** A request has shown a token: its connection is kept for the next one, and counts no more. */
  trust({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#leave(networkOf(socket.remoteAddress ?? ''), peerOf(socket));
    const { idleMs } = this.#limits;
    response.setHeader('keep-alive', `timeout=${Math.floor(idleMs / 1000)}`);
    // After the server has set the time of a stranger.
    response.once('finish', () => socket.setTimeout(idleMs));
  }
}
