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
    const rows = page.locator('.wt .tr.hit');
    // The rows of the place before are drawn for a moment.
    await expect
      .poll(async () => Number(await rows.first().getAttribute('aria-rowindex')))
      .toBeGreaterThan(100);
    const row = rows.nth(12);
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

describe('the keyboard in a table of 1,200 WECs', () => {
  const WORKLOAD = '#/workload/deployments.apps/shop/web';
  const LAST = 1_201;

  it('reaches every row, and Tab comes back to where it was', async () => {
    await suite.serveMany(1_200);
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.locator('.wt[aria-rowcount="1201"]').waitFor();
    const focused = page.locator('.wt .tr.hit:focus');
    const index = async (): Promise<number> => Number(await focused.getAttribute('aria-rowindex'));
    const isSeen = (): Promise<boolean> =>
      focused.evaluate((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        const table = row.closest('.vp')?.getBoundingClientRect();
        return table !== undefined && top >= table.top - 1 && bottom <= table.bottom + 1;
      });
    await page.keyboard.press('j');
    expect(await index()).toBe(2);
    await page.keyboard.press('End');
    expect([await index(), await isSeen()]).toEqual([LAST, true]);
    await page.keyboard.press('PageUp');
    const above = await index();
    expect(above).toBeLessThan(LAST - 5);
    await page.keyboard.press('k');
    await page.keyboard.press('PageDown');
    expect([await index(), await isSeen()]).toEqual([LAST - 1, true]);
    // Who scrolls away does not lose the row.
    await page.locator('.vp').evaluate((table) => {
      table.scrollTop = 0;
    });
    await page.locator('.wt .tr.hit[aria-rowindex="2"]').waitFor();
    await page.keyboard.press('k');
    expect([await index(), await isSeen()]).toEqual([LAST - 2, true]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect([await index(), await isSeen()]).toEqual([LAST - 2, true]);
    await page.keyboard.press('Home');
    expect([await index(), await isSeen()]).toEqual([2, true]);
    suite.expectQuiet(opened);
  });

  it('is led by Tab to a row that is seen in a table that was scrolled', async () => {
    await suite.serveMany(1_200);
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.locator('.wt[aria-rowcount="1201"]').waitFor();
    await page.locator('.vp').evaluate((table) => {
      table.scrollTop = 20_000;
    });
    await page.locator('.wt .tr.hit[tabindex="0"]:not([aria-rowindex="2"])').waitFor();
    await page.locator('.wt .th button').last().focus();
    await page.keyboard.press('Tab');
    expect(await page.locator('.wt .tr.hit:focus').count()).toBe(1);
    expect(await page.locator('.vp').evaluate((table) => table.scrollTop)).toBe(20_000);
    suite.expectQuiet(opened);
  });
});

describe('the overview of 500 objects', () => {
  const LAST = 510;

  it.each([360, 1_440])(
    'draws what can be seen, and the keyboard reaches all: %i px',
    async (width) => {
      suite.fleet.addObjects(500);
      const opened = await suite.open('#/', { viewport: { width, height: 900 } });
      const { page } = opened;
      await page.locator(`.ov[aria-rowcount="${LAST}"]`).waitFor();
      await page.locator('.ov .tr.hit').first().waitFor();
      expect(await page.locator('.ov .tr.hit').count()).toBeLessThan(60);
      await page.keyboard.press('j');
      await page.keyboard.press('End');
      const focused = page.locator('.ov .tr.hit:focus');
      expect(await focused.getAttribute('aria-rowindex')).toBe(String(LAST));
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      // No row is higher than its place.
      const over = await page
        .locator('.ov .tr.hit')
        .evaluateAll((rows) => Math.max(...rows.map((row) => row.scrollHeight - row.clientHeight)));
      expect(over).toBe(0);
      await page.keyboard.press('Enter');
      await page.waitForURL(/app-0499|shop/);
      suite.expectQuiet(opened);
    },
  );
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
    await page.keyboard.press('l');
    suite.fleet.change('us-east-005', { ...BROKEN, message: 'it broke while held' });
    await page.getByText(/^held, [1-9]/).waitFor();
    expect(await page.getByText('it broke while held').count()).toBe(0);
    await page.keyboard.press('l');
    await changes.getByText('it broke while held').waitFor();
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
