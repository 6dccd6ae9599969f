import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { bundlePage } from '#console/bundle.ts';
import { type StatusServer, startStatusServer } from '#local/api/status-server.ts';
import { clusterUpstream } from '#local/console/cluster-upstream.ts';
import { PageApi } from '#local/console/page-api.ts';
import { namedPage, type PageFiles, pageFilesOf } from '#local/console/page-files.ts';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { StatusApi } from '#shared/api/api.ts';
import { createFailure } from '#shared/api/failure.ts';
import { ANYBODY } from '#shared/api/open-wds.ts';
import { closePages, openPage, type WatchedPage } from '#test/browser/harness/browser.ts';
import { startBrowser } from '#test/browser/harness/chromium.ts';
import { combinedStatus } from '#test/fakes/console/combined.ts';
import { Fleet } from '#test/fakes/console/fleet.ts';
import { ReviewingWds } from '#test/unit/api/ask.ts';
import type { Browser, BrowserContextOptions } from '#tools/browser.ts';

/** The page as it is built from the sources, over a fleet in memory, and a browser for the tests of one file. */
export class Suite {
  readonly errors: unknown[] = [];
  /** Who may read what. */
  readonly reviews = new ReviewingWds();
  /** Whether there are watches. */
  watch = true;
  #wds: SimulatedCluster | undefined;
  #fleet = new Fleet({ nowMs: 0 });
  #files: PageFiles = new Map();
  #server: StatusServer | undefined;
  #browser: Browser | undefined;

  constructor() {
    beforeAll(async () => {
      this.#files = namedPage(pageFilesOf(await bundlePage()), 'wds1');
      this.#browser = await startBrowser();
    });
    beforeEach(async () => {
      this.errors.length = 0;
      this.#fleet = new Fleet({ nowMs: Date.now() });
      this.watch = true;
      this.reviews.allows = () => true;
      this.#wds = await startSimulatedCluster({ name: 'wds1' });
      this.wds.apply(combinedStatus());
      await this.serve();
    });
    afterEach(async () => {
      if (this.#browser !== undefined) await closePages(this.#browser);
      await this.#server?.stop();
      await this.#wds?.close();
    });
    afterAll(() => this.#browser?.close());
  }

  get fleet(): Fleet {
    return this.#fleet;
  }

  /** The WDS, with the CombinedStatuses of shop/web. */
  get wds(): SimulatedCluster {
    if (this.#wds === undefined) throw new Error('the WDS has not been started');
    return this.#wds;
  }

  /** Serves the page, as the demo does. */
  async serve(port = 0): Promise<void> {
    const onError = (error: unknown): void => {
      this.errors.push(error);
    };
    const { source } = this.#fleet;
    const { watch, reviews } = this;
    const statuses = new StatusApi({ source, wds: reviews, now: Date.now, watch, onError });
    const config = new KubeConfig();
    config.loadFromString(this.wds.kubeconfig());
    const upstream = clusterUpstream(config);
    const failure = createFailure(onError);
    const api = new PageApi({ statuses, wds: () => upstream, failure });
    const protection = { type: 'own-machine', user: ANYBODY, page: this.#files } as const;
    this.#server = await startStatusServer({ host: '127.0.0.1', port, api, protection, onError });
  }

  /** Ends the server, and starts another one at the same address when the returned function is called. */
  async goDown(): Promise<() => Promise<void>> {
    const port = Number(new URL(this.#server?.url ?? '').port);
    await this.#server?.stop();
    return () => this.serve(port);
  }

  /** Serves the page over a fleet with so many WECs and one object. */
  async serveMany(size: number): Promise<void> {
    this.#fleet = new Fleet({ nowMs: Date.now(), size });
    await this.serveAnew();
  }

  /** Serves the page with other settings. */
  async serveAnew(): Promise<void> {
    await this.#server?.stop();
    await this.serve();
  }

  /** Ends the WDS, and starts another one at the same address when the returned function is called. */
  async wdsGone(): Promise<() => Promise<void>> {
    const port = Number(new URL(this.wds.url).port);
    await this.wds.close();
    return async () => {
      this.#wds = await startSimulatedCluster({ name: 'wds1', port });
      this.wds.apply(combinedStatus());
    };
  }

  /** Opens a screen. */
  open(
    fragment: string,
    {
      theme = 'dark',
      search = '',
      ...options
    }: BrowserContextOptions & { readonly theme?: string; readonly search?: string } = {},
  ): Promise<WatchedPage> {
    if (this.#browser === undefined) throw new Error('the browser has not been started');
    const address = `${this.#server?.url}/?theme=${theme}${search}${fragment}`;
    return openPage(this.#browser, address, options);
  }

  /** Nothing failed in the page or the API, and nobody else was asked. */
  expectQuiet({ errors, foreign }: WatchedPage): void {
    expect({ errors, foreign, api: this.errors }).toEqual({ errors: [], foreign: [], api: [] });
  }
}
