import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { decodeBatch } from '#shared/events/codec.ts';

/** A receiver of events by HTTP that keeps what it has accepted. */
export interface EventSink {
  /** `http://127.0.0.1:PORT`, the same all the time. */
  readonly url: string;
  /** What was accepted, in order. */
  readonly events: readonly ForwarderEvent[];
  /** The tokens that came with it. */
  readonly tokens: ReadonlySet<string>;
  /** How long each request waits for its answer from now on, in milliseconds. */
  delay(ms: number): void;
  /** Breaks connections and refuses new ones; does nothing where it is down already. */
  down(): Promise<void>;
  /** Accepts connections again; does nothing where it does so already. */
  up(): Promise<void>;
}

function bodiesOf(content: Buffer, encoding: string | undefined): readonly string[] {
  const text = (encoding === 'gzip' ? gunzipSync(content) : content).toString();
  const { messages } = JSON.parse(text) as { messages: string[] }; // As the sender's own tests show.
  return messages;
}

/** Starts a sink on a free port. */
export async function startEventSink(): Promise<EventSink> {
  const events: ForwarderEvent[] = [];
  const tokens = new Set<string>();
  let delayMs = 0;
  const receive = async (request: IncomingMessage): Promise<void> => {
    const content = await buffer(request);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    tokens.add(request.headers.authorization ?? '');
    for (const body of bodiesOf(content, request.headers['content-encoding'])) {
      const decoded = decodeBatch(body);
      if (decoded.errors.length > 0) throw new Error(decoded.errors.join('\n'));
      events.push(...decoded.events);
    }
  };
  const server = createServer((request, response) => {
    receive(request).then(
      () => response.writeHead(202).end(),
      (error) => response.writeHead(400).end(String(error)),
    );
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    events,
    tokens,
    delay: (ms) => {
      delayMs = ms;
    },
    down: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    up: async () => {
      if (!server.listening) await listen(port);
    },
  };
}
