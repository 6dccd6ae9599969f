import { describe, expect, it } from 'vitest';
import { expectAccessible } from '#test/browser/harness/browser.ts';
import {
  combinedStatus,
  histogram,
  LAGGING,
  lagging,
  RESULTS,
} from '#test/fakes/console/combined.ts';
import { Suite } from './suite.ts';

const suite = new Suite();

const WORKLOAD = '#/workload/deployments.apps/shop/web';
const COMBINED = `${WORKLOAD}/combined`;

describe('CombinedStatuses', () => {
  it('are a histogram or a table for each StatusCollector, which changes', async () => {
    const opened = await suite.open(COMBINED);
    const { page } = opened;
    const bars = page.getByRole('table', { name: 'available-histogram' });
    await bars.waitFor();
    const heads = bars.getByRole('columnheader');
    expect(await heads.allTextContents()).toEqual(['available', 'wecs']);
    expect(await bars.getByRole('cell').allTextContents()).toEqual([
      ...['4', '1', '7', '5', '8', '3', '10', '31'],
    ]);
    const rows = page.getByRole('table', { name: 'not-fully-available' });
    expect(await rows.getByRole('row').count()).toBe(5);
    expect(await page.getByRole('list', { name: 'Errors' }).innerText()).toContain(
      'no such key: readyReplicas',
    );
    suite.wds.apply(combinedStatus([histogram(2), ...RESULTS.slice(1)]));
    await bars.getByRole('cell', { name: '2', exact: true }).waitFor();
    suite.wds.apply(combinedStatus([]));
    await page.getByText('No StatusCollector reads this object').waitFor();
    suite.expectQuiet(opened);
  });

  it('are told beside the WECs, and reached and left with the keyboard alone', async () => {
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.getByRole('link', { name: 'all 4' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'not-fully-available' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/shop\/web$/);
    suite.expectQuiet(opened);
  });

  it('keep the row that has the focus while their table is drawn anew', async () => {
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.getByRole('link', { name: 'all 4' }).waitFor();
    // What is shown beside the WECs stays until it is read for the screen.
    const gate = Promise.withResolvers<void>();
    await page.route(/\/combinedstatuses\?/, async (route) => {
      await gate.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/combinedstatuses\?/);
    await page.getByRole('link', { name: 'all 4' }).focus();
    await page.keyboard.press('Enter');
    const table = page.getByRole('table', { name: 'not-fully-available' });
    await table.waitFor();
    await asked;
    await page.keyboard.press('j');
    const focused = page.locator('.ct .tr.hit:focus');
    const text = await focused.innerText();
    gate.resolve();
    suite.wds.apply(combinedStatus([lagging(LAGGING.toReversed())]));
    await table.locator('.tr.hit').last().getByText('eu-west-003').waitFor();
    expect(await focused.innerText()).toBe(text);
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/wec\/eu-west-003/);
    suite.expectQuiet(opened);
  });

  it('show what others have written, and do not obey it', async () => {
    const opened = await suite.open(COMBINED);
    const { page } = opened;
    await page.getByText('<script>alert(1)</script>').first().waitFor();
    expect(await page.locator('main .ctl').first().textContent()).toBe('U+202E');
    expect(await page.locator('main script, main img').count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toContain('x'.repeat(300));
    suite.expectQuiet(opened);
  });

  it('draw of a long table only what can be seen', async () => {
    const rows = Array.from({ length: 2_000 }, (_row, index) => ({
      columns: [
        { type: 'String', string: `row-${index}` },
        { type: 'Number', float: '1' },
        { type: 'Null' },
      ],
    }));
    suite.wds.apply(combinedStatus([{ name: 'long', columnNames: ['a', 'b', 'c'], rows }]));
    const { page } = await suite.open(COMBINED);
    await page.getByText('row-0', { exact: true }).waitFor();
    expect(await page.locator('main .tr').count()).toBeLessThan(100);
    await expectAccessible(page, 'body');
  });

  it('that cannot be read because the WDS has gone are kept, and are back by themselves', async () => {
    const opened = await suite.open(COMBINED);
    const { page } = opened;
    const bars = page.getByRole('table', { name: 'available-histogram' });
    await bars.waitFor();
    const comeBack = await suite.wdsGone();
    await page.locator('.banner').getByText('does not answer').waitFor();
    expect(await bars.isVisible()).toBe(true);
    await comeBack();
    await page.locator('.banner').waitFor({ state: 'detached' });
    suite.expectQuiet(opened);
  });
});

describe('what one WEC says', () => {
  const CHANGED = { health: 'Progressing', ready: 2, updated: 2 } as const;

  it.each([
    `${WORKLOAD}/why?field=readyReplicas`,
    '#/wec/us-east-005?object=shop%2Fdeployments.apps%3Aweb%3Aus-east-005',
  ])('follows changes, and is back after the API was gone: %s', async (fragment) => {
    const opened = await suite.open(fragment);
    const { page } = opened;
    const raw = page.getByRole('region', { name: 'Raw status' });
    await raw.getByText('readyReplicas: ').waitFor();
    suite.fleet.change('us-east-005', CHANGED);
    await raw.getByText('readyReplicas: 2', { exact: true }).waitFor();
    if (fragment.includes('/why'))
      await page.locator('.foldg code').getByText('2', { exact: true }).waitFor();
    const comeBack = await suite.goDown();
    await page.locator('.banner').waitFor();
    expect(await raw.innerText()).toContain('readyReplicas: 2');
    suite.fleet.change('us-east-005', { ...CHANGED, ready: 1 });
    await comeBack();
    await raw.getByText('readyReplicas: 1', { exact: true }).waitFor();
    if (fragment.includes('/why'))
      await page.locator('.foldg code').getByText('1', { exact: true }).waitFor();
    suite.expectQuiet(opened);
  });
});

describe('where there is no watch', () => {
  it('the page reads again', async () => {
    suite.watch = false;
    await suite.serveAnew();
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.locator('.wt .tr.hit').first().waitFor();
    suite.fleet.change('us-east-005', { health: 'Degraded', ready: 0, message: 'read again' });
    await page.getByText('read again').first().waitFor();
    // One row has changed, and is marked. All others were read again, too.
    expect(await page.locator('.wt .chg').count()).toBe(1);
    await page.evaluate("location.hash = '#/'");
    const changes = page.getByRole('table', { name: 'Changes, newest first' });
    await changes.getByText('read again').waitFor();
    suite.expectQuiet(opened);
  });
});

interface Attributes {
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
}

describe('a user', () => {
  /** Lets a user do what a function says. */
  function allow(may: (attributes: Attributes) => boolean): void {
    suite.reviews.allows = (attributes) => may(attributes as Attributes);
  }

  const NOTHING: readonly [string, string][] = [
    ['#/', 'get deployments.apps'],
    [WORKLOAD, 'kubectl auth can-i get deployments.apps -n shop'],
    [COMBINED, 'kubectl auth can-i list explanations.status.starfold.dev -n shop'],
    ['#/wec/eu-west-003', 'list wecstatuses.status.starfold.dev'],
  ];

  it.each(NOTHING)('without any right is told both that %s needs', async (fragment, text) => {
    allow(() => false);
    for (const theme of ['dark', 'light']) {
      const { page } = await suite.open(fragment, { theme });
      await page.getByRole('heading', { name: 'You may not read this' }).waitFor();
      await page.getByText(text, { exact: true }).first().waitFor();
      await expectAccessible(page, 'body');
    }
  });

  it('who may not get the object itself is told so', async () => {
    allow(({ group }) => group === 'status.starfold.dev');
    const { page } = await suite.open(WORKLOAD);
    await page.getByRole('heading', { name: 'You may not read this' }).waitFor();
    await page.getByText('are left out: you may not get these yourself').waitFor();
  });

  it('who may read one namespace sees the objects in it', async () => {
    allow(({ namespace }) => namespace === 'shop');
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.locator('.wt .tr.hit').first().waitFor();
    expect(await page.locator('h1').textContent()).toContain('web');
    await page.locator('.map rect').first().waitFor();
    suite.expectQuiet(opened);
  });

  it('who may read one namespace has an overview and WECs of it alone', async () => {
    allow(({ namespace }) => namespace === 'shop');
    const opened = await suite.open('#/', { search: '&namespace=shop' });
    const { page } = opened;
    await page.locator('main .tr.hit').first().waitFor();
    expect(await page.locator('main .tr.hit').count()).toBe(2);
    await page.getByText('only namespace shop').waitFor();
    await page.evaluate("location.hash = '#/wec/eu-west-003'");
    await page.getByText('Contact not known').waitFor();
    await page.locator('main .tr.hit').nth(1).waitFor();
    suite.expectQuiet(opened);
  });

  it('is told what is left out of all that a WEC says', async () => {
    allow(({ group, resource }) => group === 'status.starfold.dev' || resource === 'services');
    const opened = await suite.open('#/wec/eu-west-003');
    const { page } = opened;
    await page.locator('.wc .tr.hit').first().waitFor();
    expect(await page.locator('.wc .tr.hit').count()).toBe(1);
    await page
      .getByText(/are left out: you may not get these yourself/)
      .first()
      .waitFor();
    suite.expectQuiet(opened);
  });

  it('who may not list WECs is told why the objects behind the WDS are left out', async () => {
    allow(({ resource }) => resource !== 'wecs');
    const opened = await suite.open('#/wec/eu-west-003');
    const behind = opened.page.getByRole('region', { name: 'Behind the WDS' });
    await behind.getByText(/^Left out: wecs\.status\.starfold\.dev is forbidden: /).waitFor();
    expect(await behind.getByText('Asking…').count()).toBe(0);
    suite.expectQuiet(opened);
  });

  it('is told that what a WEC says of objects without a namespace is left out', async () => {
    allow(({ resource }) => resource !== 'clusterwecstatuses');
    const opened = await suite.open('#/wec/eu-west-003');
    const { page } = opened;
    await page.getByText(/^Objects without a namespace are left out: /).waitFor();
    suite.expectQuiet(opened);
  });

  it('who may not read WECs is not told that they are in contact', async () => {
    allow(({ resource }) => resource !== 'wecs');
    const { page } = await suite.open('#/wec/eu-west-003');
    await page.getByText('Contact not known').waitFor();
  });
});
