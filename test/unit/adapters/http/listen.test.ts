import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { close, listen } from '#shared/adapters/http/listen.ts';

const HOUR_MS = 3_600_000;

describe('the end of a server', () => {
  const server = createServer({ keepAliveTimeout: HOUR_MS });
  const agent = new Agent({ keepAlive: true });
  let port = 0;
  beforeEach(async () => {
    port = await listen(server, { host: '127.0.0.1', port: 0 });
  });
  afterEach(() => {
    agent.destroy();
    server.closeAllConnections();
  });

  /** A request whose answer has begun, on a connection that the client keeps. */
  async function begun(): Promise<{ answer: IncomingMessage; response: ServerResponse }> {
    const requested = once(server, 'request');
    const asked = get({ host: '127.0.0.1', port, agent });
    const [, response] = (await requested) as [IncomingMessage, ServerResponse];
    const answered = once(asked, 'response');
    response.write('begun, ');
    const [answer] = (await answered) as [IncomingMessage];
    return { answer, response };
  }

  it('waits for the answer of a request, and no longer for another request of its connection', async () => {
    const { answer, response } = await begun();
    const closed = close(server, HOUR_MS);
    const text = buffer(answer);
    response.end('and ended');
    await closed;
    expect((await text).toString()).toBe('begun, and ended');
  });

  it('ends a request that goes on for too long', async () => {
    const { answer } = await begun();
    const text = buffer(answer);
    const failed = expect(text).rejects.toThrow('aborted');
    await close(server, 1);
    await failed;
  });
});
