import type { Browser, Page } from '#tools/browser.ts';
import { CULPRIT } from './history.ts';
import { smallPng } from './images.ts';
import { openView, pictureOf, type View } from './look.ts';

const WEB = '#/workload/deployments.apps/shop/web';
const FIELD = 'availableReplicas';

async function go(page: Page, fragment: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
}

/** Waits until the rows of the overview are there, with what the WECs say. */
export async function overviewShown(page: Page): Promise<void> {
  await page.getByText('exceeded its progress deadline').first().waitFor();
  await page.getByRole('complementary').getByText('ap-south-004').first().waitFor();
}

/** Waits until the WECs of shop/web are there, and what its StatusCollectors have computed. */
export async function workloadShown(page: Page): Promise<void> {
  await page.locator('.wt .tr.hit').nth(10).waitFor();
  await page.getByText('available-histogram').first().waitFor();
}

/** Waits until the fields and the raw status of shop/web are there. */
export async function whyShown(page: Page): Promise<void> {
  await page.locator('.whyt .tr.hit').first().waitFor();
  await page.getByText('ProgressDeadlineExceeded').first().waitFor();
}

/** Waits until the API has answered what the status would be. */
export async function whatIfShown(page: Page): Promise<void> {
  await page.locator('.whatif.act .btn').waitFor();
  await page.locator('.whyt .was').first().waitFor();
}

/** The screens, and how each of them is reached. */
const SCREENS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  overview: overviewShown,
  workload: async (page) => {
    await go(page, WEB);
    await workloadShown(page);
  },
  combined: async (page) => {
    await go(page, `${WEB}/combined`);
    await page.getByRole('table', { name: 'not-fully-available' }).waitFor();
    await page.getByRole('table', { name: 'totals' }).waitFor();
  },
  why: async (page) => {
    await go(page, `${WEB}/why?field=${FIELD}`);
    await whyShown(page);
  },
  'what-if': async (page) => {
    await go(page, `${WEB}/why?field=${FIELD}&without=${CULPRIT}`);
    await whatIfShown(page);
  },
  wec: async (page) => {
    await go(page, `#/wec/${CULPRIT}`);
    await page.getByText('ProgressDeadlineExceeded').first().waitFor();
    const behind = page.getByRole('region', { name: 'Behind the WDS' });
    await behind.locator('.tr, .note:not(.late)').first().waitFor();
  },
  query: async (page) => {
    await go(page, WEB);
    await page.getByRole('link', { name: 'Ask about this' }).click();
    await page.getByRole('cell', { name: 'us-west', exact: true }).waitFor();
  },
};

/** Takes a picture of each screen. */
export async function takeScreens(
  browser: Browser,
  url: string,
  view: View,
): Promise<ReadonlyMap<string, Buffer>> {
  const taken = new Map<string, Buffer>();
  for (const [name, reach] of Object.entries(SCREENS)) {
    const { page, context } = await openView(browser, url, view);
    await reach(page);
    taken.set(`${name}-${view.theme}.png`, smallPng(await pictureOf(page)));
    await context.close();
  }
  return taken;
}
