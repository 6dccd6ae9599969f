import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from '#tools/browser.ts';
import { NOW_MS } from './history.ts';

/** How long after the last heartbeat somebody looks. */
const LATER_MS = 12_000;
/**
 * Two texts are not the same each time: the revision of the store, which depends on the order in which the parts of the stack come to
 * work, and how long an answer to a question took.
 */
const STYLE =
  '.foot > span:first-child, .qs > section:last-child > :first-child .head > .r { visibility: hidden }';
const AGAIN_MS = 150;

/** How the page is looked at. */
export interface View {
  readonly theme: 'dark' | 'light';
  readonly width: number;
  readonly height: number;
}

/** Opens the page at a fixed time. */
export async function openView(
  browser: Browser,
  url: string,
  { theme, width, height }: View,
): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
  const context = await browser.newContext({
    ...{ locale: 'en-US', timezoneId: 'UTC', viewport: { width, height }, deviceScaleFactor: 1 },
    ...{ reducedMotion: 'reduce', colorScheme: theme },
    // The policy of the page forbids the style sheet that hides the caret and the revision.
    bypassCSP: true,
  });
  context.setDefaultTimeout(100_000);
  await context.clock.setFixedTime(NOW_MS + LATER_MS);
  const page = await context.newPage();
  await page.goto(`${url}/?theme=${theme}#/`);
  return { page, context };
}

/** A picture of the page, when it does not change any more. */
export async function pictureOf(page: Page): Promise<Buffer> {
  const take = (): Promise<Buffer> =>
    page.screenshot({ animations: 'disabled', caret: 'hide', style: STYLE });
  for (let before = await take(); ; ) {
    await delay(AGAIN_MS);
    const after = await take();
    if (after.equals(before)) return after;
    before = after;
  }
}
