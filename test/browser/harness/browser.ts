import { expect } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from '#tools/browser.ts';
import { AXE } from '#tools/browser.ts';

/** A page that a test looks at, and what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, and what was written to the console as an error. */
  readonly errors: string[];
  /** The addresses on other hosts that were asked for. They get no answer. */
  readonly foreign: string[];
}

/**
 * Opens a page that can reach nothing but one address.
 *
 * @param address an address with a path, such as `http://127.0.0.1:1234/`
 */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const { origin } = new URL(address);
  const context = await browser.newContext({
    ...{ locale: 'en-US', timezoneId: 'UTC', viewport: { width: 1000, height: 900 } },
    ...options,
  });
  const errors: string[] = [];
  const foreign: string[] = [];
  await context.route(
    (url) => url.origin !== origin,
    (route) => {
      foreign.push(route.request().url());
      return route.abort();
    },
  );
  // Ends what hangs, before the test ends: how long a page takes on a busy machine is nobody's fault.
  context.setDefaultTimeout(100_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    // Chromium itself reports each answer that is no success. The tests look at what the page makes of it.
    const isOfNetwork = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isOfNetwork) errors.push(message.text());
  });
  await page.goto(address);
  return { page, errors, foreign };
}

/** Closes what a test has opened: a page that is left open goes on asking. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Expects that axe finds nothing to complain about in a part of the page. */
export async function expectAccessible(page: Page, selector: string): Promise<void> {
  await page.evaluate(AXE.source);
  // axe is now a global variable of the page.
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(${JSON.stringify(selector)}).then(({ violations }) => violations)`,
  );
  const said = violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
  expect(said).toEqual([]);
}
