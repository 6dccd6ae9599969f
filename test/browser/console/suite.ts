import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { bundlePage } from '#console/bundle.ts';
import { type StatusServer, startStatusServer } from '#local/api/status-server.ts';
import { type PageFiles, pageFilesOf } from '#local/console/page-files.ts';
import { StatusApi } from '#shared/api/api.ts';
import { ANYBODY, OPEN_WDS } from '#shared/api/open-wds.ts';
import { closePages, openPage, type WatchedPage } from '#test/browser/harness/browser.ts';
import { startBrowser } from '#test/browser/harness/chromium.ts';
import { Fleet } from '#test/fakes/console/fleet.ts';

/** The page as it is built from the sources, over a fleet in memory, and a browser for the tests of one file. */
export class Suite {
  readonly errors: unknown[] = [];
  #fleet = new Fleet({ nowMs: 0 });
  #files: PageFiles = new Map();
  #server: StatusServer | undefined;
  #browser: Browser | undefined;

  constructor() {
    beforeAll(async () => {
      this.#files = pageFilesOf(await bundlePage());
      this.#browser = await startBrowser();
    });
    beforeEach(async () => {
      this.errors.length = 0;
      this.#fleet = new Fleet({ nowMs: Date.now() });
      await this.serve();
    });
    afterEach(async () => {
      if (this.#browser !== undefined) await closePages(this.#browser);
      await this.#server?.stop();
    });
    afterAll(() => this.#browser?.close());
  }

  get fleet(): Fleet {
    return this.#fleet;
  }

  /** Serves the page, as the demo does. */
  async serve(port = 0): Promise<void> {
    const onError = (error: unknown): void => {
      this.errors.push(error);
    };
    const { source } = this.#fleet;
    const api = new StatusApi({ source, wds: OPEN_WDS, now: Date.now, watch: true, onError });
    const protection = { type: 'own-machine', user: ANYBODY, page: this.#files } as const;
    this.#server = await startStatusServer({ host: '127.0.0.1', port, api, protection, onError });
  }

  /** Ends the server, and starts another one at the same address when the returned function is called. */
  async goDown(): Promise<() => Promise<void>> {
    const port = Number(new URL(this.#server?.url ?? '').port);
    await this.#server?.stop();
    return () => this.serve(port);
  }

  /** Opens a screen. */
  open(
    fragment: string,
    { theme = 'dark', ...options }: BrowserContextOptions & { readonly theme?: string } = {},
  ): Promise<WatchedPage> {
    if (this.#browser === undefined) throw new Error('the browser has not been started');
    const address = `${this.#server?.url}/?theme=${theme}${fragment}`;
    return openPage(this.#browser, address, options);
  }

  /** Nothing failed in the page or the API, and nobody else was asked. */
  expectQuiet({ errors, foreign }: WatchedPage): void {
    expect({ errors, foreign, api: this.errors }).toEqual({ errors: [], foreign: [], api: [] });
  }
}
