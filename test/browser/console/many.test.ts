import { describe, expect, it } from 'vitest';
import { Suite } from './suite.ts';

const suite = new Suite();

/** More rows than the overview reads. */
const MANY = 5_100;
const BROKEN = { health: 'Degraded', ready: 0, message: 'it has just broken' } as const;

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
