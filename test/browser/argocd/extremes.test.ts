import { describe, expect, it } from 'vitest';
import { visibleText } from '#extensions/argocd/shown-text.ts';
import { degraded, eight, healthy, progressing } from './statuses.ts';
import { listed, Suite, says, sentence } from './suite.ts';

const suite = new Suite();

/** What is hidden, or changes the order of the text beside it. Line breaks and tabs of the page itself are neither. */
const OBEYED = /[\p{Cf}\u2028\u2029]|(?![\n\t])\p{Cc}/u;

const HOSTILE = {
  markup: '<script>document.title = "owned"</script><img src=x onerror="document.title=\'owned\'">',
  reversed: 'safe \u202Edelkcah\u202C \u2066text',
  invisible: 'a\u200Bb\u0000c\u0007',
  long: `${'x'.repeat(5_000)}${'ż'.repeat(4_999)}!`,
} as const;

describe('what a WEC says', () => {
  it.each(Object.entries(HOSTILE))('is text, never markup: %s', async (_name, text) => {
    suite.put(degraded('edge-2', text), healthy('x'.repeat(253)));
    const tab = await suite.open();
    await says(tab, ', because');
    expect(await tab.page.title()).toBe('Argo CD');
    expect(await tab.page.locator('.starfold-tab script, .starfold-tab img').count()).toBe(0);
    const shown = await tab.page.locator('.starfold-tab').innerText();
    expect(shown).not.toMatch(OBEYED);
    await tab.page.getByRole('button', { name: 'edge-2' }).click();
    const details = tab.page.locator('.sf-details');
    await details.getByText('Last contact').waitFor();
    const opened = await details.innerText();
    expect(opened).toContain(visibleText(text).slice(0, 100));
    const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await tab.page.evaluate(wide)).toBe(false);
    suite.expectQuiet(tab);
  });
});

describe('the keyboard alone', () => {
  it('reaches each control, opens a WEC and chooses a verdict', async () => {
    suite.put(...eight());
    const tab = await suite.open();
    await says(tab, 'Why the status is what it is');
    const { keyboard } = tab.page;
    const focused = () => tab.page.evaluate<string>('document.activeElement.innerText');
    const reached: string[] = [];
    for (let count = 0; count < 40 && !reached.includes('edge-2'); count += 1) {
      await keyboard.press('Tab');
      reached.push(((await focused()) ?? '').replaceAll(/\s+/g, ' ').trim());
    }
    expect(reached).toEqual([
      ...['Summary', 'WECs', 'All 8', 'Degraded 1', 'Silent 1', 'Not reported 1'],
      ...['Progressing 1', 'Healthy 4', 'edge-2'],
    ]);
    await keyboard.press('Enter');
    await tab.page.locator('.sf-details pre').waitFor();
    await keyboard.press('Tab');
    expect(await focused()).toContain('ProgressDeadlineExceeded');
    await keyboard.press('Shift+Tab');
    await keyboard.press('Space');
    await tab.page.locator('.sf-details').waitFor({ state: 'detached' });
    for (let count = 0; count < 2; count += 1) await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    expect(await listed(tab)).toEqual(['edge-6']);
  });
});

describe('10,000 WECs', () => {
  it('are shown worst first, a page at a time, with few elements', async () => {
    const names = Array.from(
      { length: 10_000 },
      (_, number) => `edge-${String(number).padStart(5, '0')}`,
    );
    for (const wec of names) suite.put(healthy(wec));
    suite.put(degraded('edge-07777'), progressing('edge-00003'));
    const tab = await suite.open();
    // So that it is read once only, however long that takes.
    await tab.page.clock.install();
    await says(tab, ', because');
    // The worst are known before all have been read.
    await tab.page.getByRole('button', { name: 'All 10,000' }).waitFor();
    expect(await sentence(tab)).toBe('Degraded, because edge-07777 is Degraded.');
    const shown = await listed(tab);
    expect(shown).toHaveLength(100);
    expect(shown.slice(0, 3)).toEqual(['edge-07777', 'edge-00003', 'edge-00000']);
    expect(await tab.page.locator('.starfold-tab *').count()).toBeLessThan(3_000);
    expect(await tab.page.locator('.sf-spectrum g').count()).toBe(200);
    const lists = suite.argocd.server.proxied.filter((path) => path.includes('wecstatuses'));
    expect(lists).toHaveLength(21);
    expect(lists[1]).toContain('health!=Healthy');
    await tab.page.getByRole('button', { name: 'Show 100 more of 9,900' }).click();
    expect(await listed(tab)).toHaveLength(200);
    suite.expectQuiet(tab);
  });
});
