import { describe, expect, it } from 'vitest';
import { Suite } from './suite.ts';

const suite = new Suite();

/** More rows than the overview reads. */
const MANY = 5_100;
const BROKEN = { health: 'Degraded', ready: 0, message: 'it has just broken' } as const;

describe('back', () => {
  const WORKLOAD = '#/workload/deployments.apps/shop/web';

  it('goes to the same place in a table', async () => {
    await suite.serveMany(1_200);
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.getByText('Healthy 1').first().waitFor();
    await page.locator('.vp').evaluate((table) => {
      table.scrollTop = 20_000;
    });
    const row = page.locator('.wt .tr.hit').nth(12);
    const text = await row.innerText();
    await row.click();
    await page.waitForURL(/#\/wec\//);
    await page.goBack();
    await page.getByText(text.split('\n')[1] ?? '', { exact: true }).waitFor();
    expect(await page.locator('.vp').evaluate((table) => table.scrollTop)).toBe(20_000);
    suite.expectQuiet(opened);
  });

  it('goes to the same place of the page, and a screen that is opened begins at its top', async () => {
    const opened = await suite.open('#/', { viewport: { width: 1_000, height: 300 } });
    const { page } = opened;
    const row = page.locator('.ov .tr.hit').nth(5);
    await row.waitFor();
    await page.evaluate('scrollTo(0, 150)');
    await expect.poll(() => page.evaluate('scrollY')).toBe(150);
    await row.click();
    await page.locator('.wt .tr.hit').first().waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await expect.poll(() => page.evaluate('scrollY')).toBe(150);
    suite.expectQuiet(opened);
  });
});

describe('the overview of more rows than it reads', () => {
  it('shows changes all the same, and says what it leaves out', async () => {
    await suite.serveMany(MANY);
    const opened = await suite.open('#/elsewhere');
    const { page } = opened;
    // Changes after this answer are told.
    const revision = page.waitForResponse((response) => response.url().endsWith('limit=1'));
    await page.evaluate("location.hash = '#/'");
    await page.getByText('WECs sorted by verdict').waitFor();
    await page.getByText('Nothing has changed.').waitFor();
    await revision;
    suite.fleet.change('us-east-005', BROKEN);
    const changes = page.getByRole('table', { name: 'Changes, newest first' });
    await changes.getByText('it has just broken').waitFor();
    await page.getByText('WECs say too much to be read here').waitFor();
    await page.getByRole('link', { name: 'Ask which are behind' }).click();
    const first = page.locator('.qt .tr.hit').first();
    await first.waitFor();
    expect(await first.getByRole('cell').allTextContents()).toEqual(['us-west', '5', '848']);
    suite.expectQuiet(opened);
  });

  it('says that changes are left out where there is no watch', async () => {
    suite.watch = false;
    await suite.serveMany(MANY);
    const opened = await suite.open('#/');
    await opened.page.getByText('Changes of single WECs are left out').waitFor();
    suite.expectQuiet(opened);
  });
});
