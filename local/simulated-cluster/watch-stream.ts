import type { ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';

/** A client with a larger backlog is disconnected, as by API servers. It then lists again. */
const BACKLOG_LIMIT_BYTES = 64 * 1024 * 1024;

/** The answer of a watch: lines, until one side ends it. The lines of one turn of the event loop are sent together. */
export class WatchStream {
  readonly #response: ServerResponse;
  readonly #cleanups: (() => void)[] = [];
  #corked = false;
  #ended = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'content-type': 'application/json',
      'cache-control': 'no-cache',
    });
    response.flushHeaders();
    response.once('close', () => this.#finish());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Runs a function when the watch has ended. */
  onEnd(cleanup: () => void): void {
    if (this.#ended) cleanup();
    else this.#cleanups.push(cleanup);
  }

  send(line: Buffer | string): void {
    if (this.#ended) return;
    if (!this.#corked) {
      this.#corked = true;
      this.#response.cork();
      setImmediate(() => this.#flush());
    }
    this.#response.write(line);
    if (this.#response.writableLength > BACKLOG_LIMIT_BYTES) this.#response.destroy();
  }

  /** Ends the answer properly. */
  end(): void {
    if (this.#ended) return;
    this.#flush();
    this.#response.end();
    this.#finish();
  }

  #flush(): void {
    if (!this.#corked) return;
    this.#corked = false;
    this.#response.uncork();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const cleanup of this.#cleanups) cleanup();
  }
}
