import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { closePages, type WatchedPage } from '#test/browser/harness/browser.ts';
import { startBrowser } from '#test/browser/harness/chromium.ts';
import type { Browser, BrowserContextOptions } from '#tools/browser.ts';
import { ArgoCd, DEPLOYMENT } from './argocd.ts';

/** Argo CD, Starfold's API and a browser for the tests of one file. */
export class Suite {
  #argocd: ArgoCd | undefined;
  #browser: Browser | undefined;

  constructor() {
    beforeAll(async () => {
      this.#argocd = await ArgoCd.start();
      this.#browser = await startBrowser();
    });
    beforeEach(() => this.argocd.reset());
    afterEach(() => this.#browser && closePages(this.#browser));
    afterAll(async () => {
      await this.#browser?.close();
      await this.#argocd?.stop();
    });
  }

  get argocd(): ArgoCd {
    if (this.#argocd === undefined) throw new Error('Argo CD has not been started');
    return this.#argocd;
  }

  /** What WECs report. */
  put(...statuses: readonly WecStatus[]): void {
    for (const one of statuses) this.argocd.api.source.put(one);
  }

  /** Opens the tab of an object. */
  open(resource: unknown = DEPLOYMENT, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    if (this.#browser === undefined) throw new Error('the browser has not been started');
    return this.argocd.open(this.#browser, options, resource);
  }

  /** Argo CD has read the Deployment again, and it has changed. */
  async change(tab: WatchedPage): Promise<void> {
    const metadata = { ...DEPLOYMENT.metadata, resourceVersion: '2' };
    await this.argocd.show(tab, { resource: { ...DEPLOYMENT, metadata } });
  }

  /** Nothing failed in the page or the API, and nobody else was asked. */
  expectQuiet({ errors, foreign }: WatchedPage): void {
    const api = this.argocd.api.errors;
    expect({ errors, foreign, api }).toEqual({ errors: [], foreign: [], api: [] });
  }
}

/** Waits until the tab says this. */
export async function says({ page }: WatchedPage, text: string): Promise<void> {
  await page.locator('.starfold-tab').getByText(text, { exact: false }).first().waitFor();
}

/** The first sentence. */
export function sentence({ page }: WatchedPage): Promise<string> {
  return page.locator('.sf-say').innerText();
}

/** The names in the table of WECs, in its order. */
export function listed({ page }: WatchedPage): Promise<readonly string[]> {
  return page.locator('.sf-open').allInnerTexts();
}
