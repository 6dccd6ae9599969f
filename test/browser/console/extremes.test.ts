import { describe, expect, it } from 'vitest';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { expectAccessible } from '#test/browser/harness/browser.ts';
import { combinedStatus } from '#test/fakes/console/combined.ts';
import { Suite } from './suite.ts';

const suite = new Suite();

const OVERVIEW = '#/';
const WORKLOAD = '#/workload/deployments.apps/shop/web';
const COMBINED = `${WORKLOAD}/combined`;
const WHY = `${WORKLOAD}/why`;
const WEC = '#/wec/eu-west-003';
const QUERY = '#/query';
const ROW = 'main .tr.hit';
const THEMES = ['dark', 'light'];

/** Tries to be markup, to turn the reading direction round, and to fill the page. */
const EVIL = `<script>alert(1)</script><img src=x onerror=alert(2)>\u202eevil\u2066${'x'.repeat(10_000)}`;
/** Characters that turn the direction of text round. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;
const SHOWN = /<script>alert\(1\)<\/script>/;

/** All that a WEC may say about an object, with this text wherever a text may stand. */
function evilStatus(wec: string): WecStatus {
  return {
    ...{ wec, kind: 'Deployment', state: 'Reported', bindings: [EVIL] },
    workload: { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
    ownLabels: { [EVIL]: EVIL },
    lastContact: '2026-11-22T17:30:58Z',
    lastUpdate: '2026-11-22T17:30:58Z',
    generation: { wec: 12, source: 12, observed: 12 },
    health: { status: 'Degraded', message: EVIL },
    status: {
      [EVIL]: EVIL,
      readyReplicas: EVIL,
      nested: { [EVIL]: [EVIL] },
      conditions: [{ type: EVIL, status: EVIL, reason: EVIL, message: EVIL }],
    },
  };
}

describe('a text that tries to be markup, hides, and has 10,000 characters, in every field', () => {
  it.each([OVERVIEW, WORKLOAD, COMBINED, WHY, WEC])(
    'is text at %s, needs no scrolling sideways, and is not obeyed',
    async (fragment) => {
      const { source } = suite.fleet;
      source.put(evilStatus('eu-west-003'));
      source.putWec({
        name: 'eu-west-003',
        ownLabels: { [EVIL]: EVIL, region: EVIL },
        forwarderVersion: EVIL,
      });
      const since = new Date().toISOString();
      const { workload } = evilStatus('');
      source.settle(workload, { applied: { upToDate: true, since }, refused: [EVIL] });
      suite.wds.apply(
        combinedStatus([
          {
            name: EVIL,
            columnNames: [EVIL],
            rows: [{ columns: [{ type: 'String', string: EVIL }] }],
          },
        ]),
      );
      const opened = await suite.open(fragment, { viewport: { width: 360, height: 740 } });
      const { page } = opened;
      await page.locator('main').getByText(SHOWN).filter({ visible: true }).first().waitFor();
      expect(await page.locator('main script, main img').count()).toBe(0);
      const seen = await page.locator('body').innerText();
      expect(seen).not.toMatch(TURNS);
      expect(seen).not.toContain('x'.repeat(3_000));
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      suite.expectQuiet(opened);
    },
  );
});

describe('a window of 3,840 by 2,160 pixels', () => {
  it.each([OVERVIEW, WORKLOAD, COMBINED, WHY, WEC])(
    'is filled without scrolling sideways: %s',
    async (fragment) => {
      const width = 3_840;
      const { page } = await suite.open(fragment, { viewport: { width, height: 2_160 } });
      await page.locator(ROW).first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const main = await page.locator('main').boundingBox();
      expect(main?.width).toBeGreaterThan(width / 2);
    },
  );
});

describe('the keys', () => {
  it('are told by ?, closed by Esc, and turned off and on with the keyboard alone', async () => {
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.waitFor();
    await page.getByRole('checkbox', { name: 'single keys do something' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.keyboard.press('w');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    expect(page.url()).toMatch(/shop\/web$/);
    await page.getByRole('button', { name: 'all keys' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'single keys do something' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: /workloads are broken/ }).waitFor();
    suite.expectQuiet(opened);
  });

  it('choose the theme, which stays after the page is loaded again', async () => {
    const { page } = await suite.open(OVERVIEW, { theme: '' });
    await page.locator(ROW).first().waitFor();
    const ground = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const before = await ground();
    await page.keyboard.press('t');
    const after = await ground();
    expect(after).not.toBe(before);
    await page.reload();
    await page.locator(ROW).first().waitFor();
    expect(await ground()).toBe(after);
  });
});

describe('axe finds nothing, in either theme,', () => {
  it.each([
    [OVERVIEW, 'Keys'],
    [WORKLOAD, 'Keys'],
  ])('in the dialog of %s', async (fragment, name) => {
    for (const theme of THEMES) {
      const { page } = await suite.open(fragment, { theme });
      await page.locator(ROW).first().waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name }).waitFor();
      await expectAccessible(page, 'body');
    }
  });

  it('in what a search finds', async () => {
    for (const theme of THEMES) {
      const { page } = await suite.open(OVERVIEW, { theme });
      await page.locator(ROW).first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('web');
      await page.getByRole('option').first().waitFor();
      await expectAccessible(page, 'body');
    }
  });

  it.each([OVERVIEW, WORKLOAD, COMBINED, WHY, WEC, QUERY])(
    'while %s is being read',
    async (fragment) => {
      for (const theme of THEMES) {
        const { page } = await suite.open('#/elsewhere', { theme });
        await page.route(/\/apis\//, () => undefined);
        await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
        await page.reload();
        await page.locator('main').waitFor();
        await expectAccessible(page, 'body');
      }
    },
  );

  it.each([OVERVIEW, WORKLOAD, COMBINED, WHY, WEC])(
    'when the API has gone at %s',
    async (fragment) => {
      const pages = [];
      for (const theme of THEMES) {
        const { page } = await suite.open(fragment, { theme });
        await page.locator(ROW).first().waitFor();
        pages.push(page);
      }
      await suite.goDown();
      for (const page of pages) {
        await page.locator('.banner').waitFor();
        await expectAccessible(page, 'body');
      }
    },
  );
});
