import { describe, expect, it } from 'vitest';
import { UNSEEN } from '#shared/core/unseen-characters.ts';
import { expectAccessible } from '#test/browser/harness/browser.ts';
import { HOSTILE } from '#test/fakes/console/fleet.ts';
import { Suite } from './suite.ts';

const suite = new Suite();

const OVERVIEW = '#/';
const WORKLOAD = '#/workload/deployments.apps/shop/web';
const COMBINED = `${WORKLOAD}/combined`;
const WHY = `${WORKLOAD}/why`;
const WEC = '#/wec/eu-west-003';
const ROW = 'main .tr.hit';

describe('the page', () => {
  it('says first what is wrong, and shows a change', async () => {
    const opened = await suite.open(OVERVIEW);
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    expect(await page.locator('h1').textContent()).toContain('2 workloads are broken');
    await page.getByTitle('WDS wds1').waitFor();
    await page.getByText('Nothing has changed.').waitFor();
    suite.fleet.change('us-east-005', {
      health: 'Degraded',
      ready: 0,
      message: 'it has just broken',
    });
    await page.getByText('it has just broken').first().waitFor();
    suite.expectQuiet(opened);
  });

  it('leads with the keyboard alone from a search to what would be without a WEC, and back', async () => {
    const opened = await suite.open(OVERVIEW);
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('deployment/web');
    await page.keyboard.press('Enter');
    await page.locator('.wt .tr.hit').first().waitFor();
    await page.keyboard.press('w');
    await page.locator('.whyt .tr.hit').first().waitFor();
    await page.keyboard.press('x');
    await page.getByText('instead of Degraded').waitFor();
    expect(page.url()).toContain('without=eu-west-003');
    await page.keyboard.press('Escape');
    await page.getByText('were gone?').waitFor();
    expect(page.url()).not.toContain('without');
    suite.expectQuiet(opened);
  });

  it('finds what a label of WECs and a verdict mean', async () => {
    const opened = await suite.open(OVERVIEW);
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    const search = page.getByRole('combobox', { name: 'Search' });
    await search.fill('region=us-w');
    await page.getByRole('option', { name: 'us-west-005' }).waitFor();
    await search.fill('region=us-west');
    await page.getByRole('option', { name: 'what 5 WECs say' }).click();
    await page.locator('.qt .tr.hit').first().waitFor();
    expect(await page.locator('.qt').getAttribute('aria-rowcount')).toBe('46');
    await search.fill('miss');
    await page.getByRole('option', { name: 'Missing' }).click();
    await page.getByText('Only missing somewhere').waitFor();
    suite.expectQuiet(opened);
  });

  it('holds changes, and lets them in', async () => {
    const opened = await suite.open(WORKLOAD);
    const { page } = opened;
    await page.locator('.wt .tr.hit').first().waitFor();
    await page.keyboard.press('l');
    suite.fleet.change('us-east-005', { health: 'Progressing', ready: 1, message: 'while held' });
    await page.getByText(/^held, [1-9]/).waitFor();
    expect(await page.getByText('while held').count()).toBe(0);
    await page.keyboard.press('l');
    await page.getByText('while held').waitFor();
    suite.expectQuiet(opened);
  });

  it('holds the changes of the overview, and lets them in', async () => {
    const opened = await suite.open(OVERVIEW);
    const { page } = opened;
    await page.getByText('one tick is one WEC').waitFor();
    await page.getByText('Nothing has changed.').waitFor();
    await page.keyboard.press('l');
    suite.fleet.change('us-east-005', { health: 'Progressing', ready: 1, message: 'while held' });
    await page.getByText(/^held, [1-9]/).waitFor();
    await page.getByText('Nothing has changed.').waitFor();
    await page.keyboard.press('l');
    const changes = page.getByRole('table', { name: 'Changes, newest first' });
    await changes.getByText('while held').waitFor();
    suite.expectQuiet(opened);
  });

  it('says of an object that is as asked which WECs are silent', async () => {
    const { page } = await suite.open('#/workload/deployments.apps/search/query');
    await page
      .getByText('All 40 WECs are as asked. 2 are silent: what they last said counts.')
      .waitFor();
  });

  it('shows screens that are opened while changes are held', async () => {
    const opened = await suite.open(OVERVIEW);
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    await page.keyboard.press('l');
    await page.getByText(/^held, /).waitFor();
    for (const fragment of [WORKLOAD, WEC, COMBINED, WHY]) {
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.locator(ROW).first().waitFor();
    }
    await page.getByText(/^held, 0/).waitFor();
    suite.expectQuiet(opened);
  });

  it('keeps what it shows when the API is gone, says so, and is back by itself', async () => {
    const opened = await suite.open(OVERVIEW);
    const { page } = opened;
    await page.getByText('one tick is one WEC').waitFor();
    const spectra = (): Promise<string> =>
      page.evaluate("[...document.querySelectorAll('svg.sp')].map((one) => one.outerHTML).join()");
    await page.locator('svg.sp .k-bad').first().waitFor();
    const drawn = await spectra();
    const comeBack = await suite.goDown();
    await page.locator('.banner').waitFor();
    expect(await page.locator(ROW).count()).toBe(9);
    await page.getByText('one tick is one WEC').waitFor();
    expect(await spectra()).toBe(drawn);
    // The banner leaves what is shown where it can be seen.
    const banner = await page.locator('.banner').boundingBox();
    expect(banner?.height).toBeLessThan(100);
    await comeBack();
    await page.locator('.banner').waitFor({ state: 'detached' });
    suite.expectQuiet(opened);
  });

  it.each([401, 403, 500])(
    'says that the API answers %i after the first list, keeps what it shows, and is back by itself',
    async (code) => {
      const opened = await suite.open(OVERVIEW);
      const { page } = opened;
      await page.getByText('38 in contact').waitFor();
      const json = { kind: 'Status', code, message: `refused with ${code}` };
      await page.route(/\/wecs\?/, (route) => route.fulfill({ status: code, json }));
      const banner = page.locator('.banner');
      await banner.getByText(`the API answers ${code}`).waitFor();
      await banner.getByText(`refused with ${code}`).waitFor();
      await page.locator('.live').getByText('not up to date').waitFor();
      const since = await banner.locator('time').innerText();
      await page.locator('.foot').getByText(`as of ${since}`).waitFor();
      await page.getByText('38 in contact').waitFor();
      await expectAccessible(page, '.banner');
      await page.unroute(/\/wecs\?/);
      await banner.waitFor({ state: 'detached' });
      await page.locator('.live').getByText('live', { exact: true }).waitFor();
      suite.expectQuiet(opened);
    },
  );

  it('says when the API fails, and goes on when it does not any more', async () => {
    suite.fleet.source.failure = new Error('the state is locked');
    const { page } = await suite.open(OVERVIEW);
    await page.getByRole('heading', { name: 'The list could not be read' }).waitFor();
    suite.fleet.source.failure = undefined;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator(ROW).first().waitFor();
  });

  it('shows changes in any number of windows', async () => {
    const opened = await suite.open(WORKLOAD);
    const pages = [opened.page];
    for (let window = 1; window < 5; window += 1) {
      const page = await opened.page.context().newPage();
      await page.goto(opened.page.url());
      pages.push(page);
    }
    for (const page of pages) await page.locator('.wt .tr.hit').first().waitFor();
    suite.fleet.change('us-east-005', { health: 'Degraded', ready: 0, message: 'seen by all' });
    for (const page of pages) await page.getByText('seen by all').first().waitFor();
    suite.expectQuiet(opened);
  });

  it('says nothing of a WEC before that is read', async () => {
    const opened = await suite.open(OVERVIEW);
    const { page } = opened;
    // Nothing that is asked for is answered.
    await page.route(/\/(wecs|wecstatuses)\?/, () => undefined);
    await page.reload();
    await page.locator(ROW).first().waitFor();
    expect(await page.locator('.under').innerText()).toBe('9 workloads');
    await page.evaluate(`location.hash = ${JSON.stringify(WEC)}`);
    await page.getByText('Reading what it says…').waitFor();
    expect(await page.locator('.title .v').count()).toBe(0);
    await page.unroute(/\/(wecs|wecstatuses)\?/);
    await page.reload();
    await page.getByText('1 of 9 objects is not as asked.').waitFor();
    await page.getByText('In contact').waitFor();
    suite.expectQuiet(opened);
  });

  it('shows what WECs say before it is known who decides, and moves no row then', async () => {
    const opened = await suite.open(OVERVIEW);
    const { page } = opened;
    const told = Promise.withResolvers<void>();
    await page.route(/explanations\?/, async (route) => {
      await told.promise;
      await route.continue();
    });
    await page.goto(page.url().replace(OVERVIEW, WORKLOAD));
    await page.reload();
    const row = page.locator('.wt .tr.hit').first();
    await row.waitFor();
    await page.getByText('Reading who decides its status…').waitFor();
    expect(await page.locator('.title .kind').innerText()).toBe('Deployment');
    expect(await page.locator('.title .v').count()).toBe(0);
    const before = [await row.innerText(), await row.boundingBox()];
    told.resolve();
    await page.locator('.title .v').waitFor();
    expect([await row.innerText(), await row.boundingBox()]).toEqual(before);
    suite.expectQuiet(opened);
  });

  it('keeps what WECs say if the connection is lost before it is known who decides', async () => {
    const { page } = await suite.open(OVERVIEW);
    const isHeld = Promise.withResolvers<void>();
    await page.route(/explanations\?/, async (route) => {
      await isHeld.promise;
      await route.abort();
    });
    await page.goto(page.url().replace(OVERVIEW, WORKLOAD));
    await page.reload();
    await page.locator('.wt .tr.hit').first().waitFor();
    isHeld.resolve();
    await page.locator('.banner').getByText('Not connected').waitFor();
    expect(await page.locator('.wt .tr.hit').count()).toBeGreaterThan(5);
    await page.unroute(/explanations\?/);
    await page.locator('.title .v').waitFor();
  });

  it.each([WORKLOAD, WEC])(
    'reads the explanations of all objects only for a search at %s',
    async (fragment) => {
      const opened = await suite.open('#/elsewhere');
      const { page } = opened;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const ofAll = () => asked.filter((url) => /explanations\?(?!.*fieldSelector)/.test(url));
      await page.goto(page.url().replace('#/elsewhere', fragment));
      await page.locator(ROW).first().waitFor();
      await page.getByText(/^revision [1-9]/).waitFor();
      expect(asked.length).toBeGreaterThan(1);
      expect(ofAll()).toEqual([]);
      await page.keyboard.press('/');
      await page.keyboard.type('payments/checkout');
      await page.getByRole('option', { name: 'deployment/checkout' }).waitFor();
      expect(ofAll().length).toBeGreaterThan(0);
      await page.keyboard.press('Enter');
      await page.waitForURL(/payments\/checkout$/);
      await page.getByRole('heading', { name: 'payments / checkout' }).waitFor();
      suite.expectQuiet(opened);
    },
  );

  it('does not count what is still being read as all', async () => {
    const opened = await suite.open('#/elsewhere');
    const { page } = opened;
    const gate = Promise.withResolvers<void>();
    await page.route(/\/explanations\?/, async (route) => {
      const url = new URL(route.request().url());
      if (url.searchParams.has('continue')) await gate.promise;
      if (url.searchParams.has('limit')) url.searchParams.set('limit', '4');
      await route.continue({ url: url.href });
    });
    await page.goto(page.url().replace('#/elsewhere', OVERVIEW));
    await page.reload();
    await page.getByRole('heading', { name: 'of the 4 workloads read so far' }).waitFor();
    await page.getByText('4 workloads so far').waitFor();
    gate.resolve();
    await page.getByRole('heading', { name: /^2 workloads are broken/ }).waitFor();
    await page.getByText('9 workloads', { exact: true }).waitFor();
    suite.expectQuiet(opened);
  });

  it('says which objects of a WEC are behind the WDS', async () => {
    const opened = await suite.open('#/wec/us-west-001');
    const { page } = opened;
    const behind = page.getByRole('region', { name: 'Behind the WDS' });
    await behind.getByRole('link', { name: 'shop/web' }).waitFor();
    expect(await behind.locator('.tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^shop\/web\s+11 of 12$/),
    ]);
    await page.keyboard.press(']');
    await page.keyboard.press('[');
    await page.evaluate(`location.hash = ${JSON.stringify(WEC)}`);
    await behind.getByText('No object is from an older generation.').waitFor();
    suite.expectQuiet(opened);
  });

  it('shows what a WEC says, and does not obey it', async () => {
    const opened = await suite.open(`#/wec/${HOSTILE.wec}`);
    const { page } = opened;
    await page.getByText('<script>alert(1)</script>').first().waitFor();
    expect(await page.locator('main .ctl').first().textContent()).toBe('U+202E');
    expect(await page.locator('main script, main img').count()).toBe(0);
    suite.expectQuiet(opened);
  });

  it.each([`#/wec/${HOSTILE.wec}`, '#/workload/deployments.apps/edge/banner', COMBINED])(
    'names characters that are not seen in every title and label at %s',
    async (fragment) => {
      const { page } = await suite.open(fragment);
      await page
        .getByText(/<script>/)
        .first()
        .waitFor();
      const texts = await page.evaluate<readonly string[]>(
        "[...document.querySelectorAll('[title], [aria-label]')].flatMap((one) => [one.title, one.ariaLabel ?? ''])",
      );
      expect(texts.join()).toContain('⟨U+202E⟩');
      expect(texts.filter((text) => text.match(UNSEEN) !== null)).toEqual([]);
    },
  );

  it('names characters that are not seen in the title of the window', async () => {
    const { page } = await suite.open('#/wec/a%E2%80%AEb');
    await page.getByText('No such WEC').waitFor();
    expect(await page.title()).toBe('a⟨U+202E⟩b · wds1 · Starfold');
  });

  it.each([OVERVIEW, WORKLOAD, COMBINED, WHY, `${WHY}?without=eu-west-003`, WEC, '#/elsewhere'])(
    'axe finds nothing at %s, in either theme',
    async (fragment) => {
      for (const theme of ['dark', 'light']) {
        const { page } = await suite.open(fragment, { theme });
        await page
          .locator(fragment === '#/elsewhere' ? '.blank' : ROW)
          .first()
          .waitFor();
        await expectAccessible(page, 'body');
      }
    },
  );

  it.each([
    [OVERVIEW, 1_440],
    [WORKLOAD, 1_440],
    [WORKLOAD, 360],
  ])('shows the names of regions whole: %s, %i px', async (fragment, width) => {
    const { page } = await suite.open(fragment, { viewport: { width, height: 900 } });
    await page.locator(ROW).first().waitFor();
    const names = page.locator('.regs span:has(> bdi)');
    await names.nth(5).waitFor();
    expect(await names.count()).toBe(6);
    for (const name of await names.all())
      expect(await name.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  });

  it.each([1_190, 1_280, 1_400])('has the table beside the aside at %i px', async (width) => {
    const { page } = await suite.open(OVERVIEW, { viewport: { width, height: 900 } });
    await page.locator(ROW).first().waitFor();
    const heads = page.locator('.ov .th');
    expect(await heads.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  });

  it('has all views of an object in one line at 360 px', async () => {
    const { page } = await suite.open(WHY, { viewport: { width: 360, height: 740 } });
    await page.locator(ROW).first().waitFor();
    const tabs = page.getByRole('navigation', { name: 'Views of this object' });
    expect(await tabs.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    expect((await tabs.boundingBox())?.height).toBeLessThan(40);
    // A WEC that decides by saying nothing has no empty chip.
    await page.getByText('not said').first().waitFor();
  });

  it('says of a silent WEC when it was last heard of', async () => {
    const { page } = await suite.open(`${WORKLOAD}?v=Silent`);
    await page.getByText('no heartbeat for 2 h; last said Healthy').waitFor();
  });

  it('says of the WEC that decides a field how it is, without asking for its status first', async () => {
    const opened = await suite.open('#/elsewhere');
    const { page } = opened;
    // What WECs say of the object is not answered.
    await page.route(/\/wecstatuses[?/]/, () => undefined);
    await page.evaluate(`location.hash = ${JSON.stringify(`${WHY}?field=readyReplicas`)}`);
    const deciders = page.getByRole('region', { name: 'Who decides' });
    await deciders.getByText('Degraded').waitFor();
    const link = deciders.getByRole('link', { name: 'eu-west-003' });
    expect(await link.getAttribute('href')).toBe(WEC);
    await deciders.getByText(/exceeded its progress deadline/).waitFor();
  });

  it('says what the WECs say that do not decide', async () => {
    const { page } = await suite.open(WORKLOAD);
    await page.getByText('8 other WECs are progressing; 31 are healthy.').waitFor();
  });

  it.each([360, 1_000, 1_440])(
    'needs no scrolling sideways for long labels and versions of a WEC: %i px',
    async (width) => {
      const ownLabels = {
        [`example.com/${'k'.repeat(63)}`]: 'v'.repeat(63),
        region: 'r'.repeat(63),
      };
      const forwarderVersion = `1.8.0-${'0'.repeat(60)}`;
      suite.fleet.source.putWec({ name: 'eu-west-003', ownLabels, forwarderVersion });
      const { page } = await suite.open(WEC, { viewport: { width, height: 740 } });
      await page.locator(ROW).first().waitFor();
      await page.locator('.lbls .tag').nth(1).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    },
  );

  it.each([OVERVIEW, WORKLOAD, COMBINED, WHY, WEC])(
    'needs no scrolling sideways at 360 px: %s',
    async (fragment) => {
      const { page } = await suite.open(fragment, { viewport: { width: 360, height: 740 } });
      await page.locator(ROW).first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    },
  );
});
