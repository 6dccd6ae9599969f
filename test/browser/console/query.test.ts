import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { packQuery } from '#console/model/query/packed-query.ts';
import { EMPTY, type Query } from '#console/model/query/query.ts';
import { parseDocuments } from '#local/cli/input/parse-documents.ts';
import { accessForbidden, leftOut } from '#shared/api/messages.ts';
import { queryEnded } from '#shared/api/status-error.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { at } from '#shared/core/json.ts';
import { QueryEndedError } from '#shared/errors.ts';
import { expectAccessible } from '#test/browser/harness/browser.ts';
import { HOSTILE } from '#test/fakes/console/fleet.ts';
import type { Page } from '#tools/browser.ts';
import { Suite } from './suite.ts';

const suite = new Suite();

const QUERY = '#/query';
const ABOUT = '#/query/deployments.apps/shop/web';
const ROW = '.qt .tr.hit';
const READY = 'returned.status.readyReplicas';
const WEB = { resource: 'deployments.apps', namespace: 'shop', name: 'web' };
const ROWS: Query = { ...EMPTY, ...WEB, select: [{ name: 'ready', def: READY }] };

async function addressOf(query: Partial<Query>): Promise<string> {
  return `${QUERY}?q=${await packQuery({ ...EMPTY, ...query })}`;
}

/** Presses the Tab key until something with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(
      "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent",
    );
    if (focused.startsWith(name)) return;
  }
  throw new Error(`the Tab key does not reach ${name}`);
}

/** The field of an expression, by its label. */
function field(page: Page, label: string) {
  return page.getByRole('textbox', { name: label, exact: true });
}

describe('a question', () => {
  it('is asked with the keyboard alone, and its rows are opened', async () => {
    const opened = await suite.open('#/');
    const { page } = opened;
    await page.locator('main .tr.hit').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', { name: 'Ask the rows' }).waitFor();
    await tabTo(page, 'Where is it not ready?');
    await page.keyboard.press('Enter');
    await page.locator(ROW).first().waitFor();
    await page.keyboard.press('j');
    expect(await page.evaluate("document.activeElement.matches('.qt .tr.hit')")).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/wec\//);
    await page.goBack();
    await page.locator(ROW).first().waitFor();
    suite.expectQuiet(opened);
  });

  it('about an object begins at the object', async () => {
    const opened = await suite.open('#/workload/deployments.apps/shop/web');
    const { page } = opened;
    await page.getByRole('link', { name: 'Ask about this' }).click();
    await page.locator(ROW).first().waitFor();
    expect(await page.locator(ROW).count()).toBe(6);
    expect(await page.getByLabel('Namespace; - for objects without one').inputValue()).toBe('shop');
    // The least of all regions is drawn in ink.
    expect(await page.locator('.barc .hi').textContent()).toContain('eu-west');
    suite.expectQuiet(opened);
  });

  it('has its price', async () => {
    const { page } = await suite.open(ABOUT);
    await page.getByText(/^\d+ of 5.000 steps a row, 40 rows$/).waitFor();
  });

  it('is asked again by itself, and held', async () => {
    const opened = await suite.open(await addressOf({ ...ROWS, filter: `${READY} < 1` }));
    const { page } = opened;
    await page.getByRole('heading', { name: 'No row fits' }).waitFor();
    suite.fleet.change('us-east-005', { health: 'Degraded', ready: 0, message: 'broken' });
    await page.locator(ROW).filter({ hasText: 'us-east-005' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('l');
    await page.getByText(/ms, held$/).waitFor();
    suite.expectQuiet(opened);
  });

  it('marks what has changed since it was asked, and is there when one comes back', async () => {
    const opened = await suite.open(await addressOf(ROWS));
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    expect(await page.locator('.qt .chg').count()).toBe(0);
    suite.fleet.change('ap-south-001', { health: 'Progressing', ready: 3 });
    await page
      .locator(ROW)
      .filter({ hasText: 'ap-south-001' })
      .locator('.chg')
      .waitFor({ state: 'attached' });
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.locator('.ov .tr.hit').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.locator(ROW).first().waitFor();
    suite.expectQuiet(opened);
  });

  it('shows the rows of a group, and goes back to the groups', async () => {
    const opened = await suite.open(ABOUT);
    const { page } = opened;
    await page.locator(ROW).filter({ hasText: 'us-west' }).click();
    await page.locator(ROW).filter({ hasText: 'us-west-005' }).waitFor();
    expect(await page.locator(ROW).count()).toBe(5);
    await page.goBack();
    await page.locator(ROW).filter({ hasText: 'eu-north' }).waitFor();
    suite.expectQuiet(opened);
  });

  it('has more rows than one answer', async () => {
    const { page } = await suite.open(await addressOf({ ...ROWS, limit: '30' }));
    await page.getByText('30 rows of 30 rows so far').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByText('40 rows of 40 rows', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More' }).waitFor({ state: 'detached' });
  });

  it('is sorted by its columns', async () => {
    const { page } = await suite.open(await addressOf(ROWS));
    await page.getByRole('button', { name: 'ready', exact: true }).click();
    await page.locator(ROW).first().filter({ hasText: 'eu-west-003' }).waitFor();
    await page.getByRole('columnheader', { name: 'ready' }).getByRole('button').click();
    await page.locator(ROW).first().filter({ hasText: '10' }).waitFor();
    // The order is a part of the address.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other
      .getByRole('columnheader', { name: 'ready', exact: false })
      .and(other.locator('[aria-sort=descending]'))
      .waitFor();
  });
});

describe('an expression', () => {
  it('is completed by names, with the keyboard', async () => {
    const opened = await suite.open(await addressOf(ROWS));
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    const filter = field(page, 'Filter');
    await filter.focus();
    await page.keyboard.press('Control+Space');
    expect(await page.getByRole('option').first().textContent()).toContain('inventory');
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await page.keyboard.type('ret');
    await page.keyboard.press('Tab');
    await page.keyboard.type('.st');
    await page.keyboard.press('Enter');
    // Names that were seen in what WECs report.
    await page.keyboard.type('.re');
    await page.getByRole('option', { name: 'readyReplicas' }).waitFor();
    await page.keyboard.press('ArrowDown');
    const chosen = page.getByRole('option', { selected: true });
    expect(await chosen.textContent()).toContain('replicas');
    expect(await filter.getAttribute('aria-activedescendant')).toBe(
      await chosen.getAttribute('id'),
    );
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' < 8');
    expect(await filter.inputValue()).toBe(`${READY} < 8`);
    await page.getByText('6 rows of 40 rows').waitFor();
    suite.expectQuiet(opened);
  });

  it('is completed by the schema of the kind, which also finds what no object has', async () => {
    const opened = await suite.open('#/');
    const { page } = opened;
    const answer = (body: unknown) => ({ json: body, status: 200 });
    const status = { properties: { readyReplicas: { type: 'integer' }, collisionCount: {} } };
    const document = {
      components: {
        schemas: {
          Deployment: {
            'x-kubernetes-group-version-kind': [
              { group: 'apps', version: 'v1', kind: 'Deployment' },
            ],
            properties: { status },
          },
        },
      },
    };
    await page.route('**/openapi/v3', (route) =>
      route.fulfill(answer({ paths: { 'apis/apps/v1': {} } })),
    );
    await page.route('**/openapi/v3/apis/apps/v1', (route) => route.fulfill(answer(document)));
    await page.evaluate(`location.hash = ${JSON.stringify(await addressOf(ROWS))}`);
    await page.locator(ROW).first().waitFor();
    await field(page, 'Filter').focus();
    await page.keyboard.type('returned.status.coll');
    await page
      .getByRole('option', { name: 'collisionCount integer' })
      .or(page.getByRole('option', { name: 'collisionCount' }))
      .waitFor();
    await page.keyboard.press('Escape');
    await field(page, 'Filter').fill('returned.status.readyReplica > 1');
    await page.getByText('the status of a Deployment has no readyReplica').waitFor();
    expect(await page.locator('.drawn .e').textContent()).toBe('readyReplica');
    await page.getByRole('button', { name: 'readyReplicas?' }).click();
    await page.getByText('40 rows of 40 rows').waitFor();
    suite.expectQuiet(opened);
  });

  it('that is wrong is marked where it is wrong, and what is proposed mends it', async () => {
    const opened = await suite.open(await addressOf(ROWS));
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    await field(page, 'Filter').fill('true &&\ninventory.nam == "eu-west-003"');
    await page.getByText(/^line 2, column 1: inventory has no member "nam"/).waitFor();
    expect(await page.locator('.drawn .e').allTextContents()).toEqual(['inventory', '.', 'nam']);
    // The answer to the last valid question stays.
    await page.getByText(/^the last valid query, /).waitFor();
    expect(await page.locator(ROW).count()).toBeGreaterThan(5);
    await page.getByRole('button', { name: 'inventory.name?' }).click();
    await page.getByText('1 row of 40 rows').waitFor();
    expect(await page.locator('.drawn .e').count()).toBe(0);
    suite.expectQuiet(opened);
  });

  it('that fails in rows says in how many, and where', async () => {
    // No schema says which labels there are: what it says of a name, the rows do not say again.
    const { page } = await suite.open(
      await addressOf({ ...ROWS, select: [{ name: 'a', def: 'inventory.labels.regoin' }] }),
    );
    await page.getByText('no such key: regoin, in 40 rows').waitFor();
    expect(await page.locator('.drawn .e').textContent()).toBe('regoin');
    await page.getByRole('button', { name: 'region?' }).click();
    await page.locator('.qt').getByText('eu-west').first().waitFor();
  });

  it('that is too expensive says what it takes', async () => {
    const list = `[${Array.from({ length: 20 }, (_, index) => index)}]`;
    const filter = `${list}.map(a, ${list}.map(b, ${list}.map(c, a + b + c))).size() > 0`;
    const { page } = await suite.open(await addressOf({ ...ROWS, filter }));
    await page.getByText('Too expensive').waitFor();
    await page.getByText(/^at least .* of 5.000 steps a row$/).waitFor();
    await page.getByRole('heading', { name: 'There is no answer yet' }).waitFor();
  });
});

describe('what is taken along', () => {
  it('is the StatusCollector, as a copy and as a file', async () => {
    const { page } = await suite.open(ABOUT, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.locator(ROW).first().waitFor();
    await page.keyboard.press('y');
    await page.getByText('StatusCollector copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('lowest-by-region.yaml');
    const saved = await readFile(await download.path(), 'utf8');
    expect(saved).toBe(copied);
    const [document] = parseDocuments(saved, 'saved.yaml');
    expect(compileStatusCollector(at(document?.value ?? {}, 'spec')).ok).toBe(true);
  });

  it('is the address, which shows the same elsewhere', async () => {
    const { page } = await suite.open(QUERY);
    await page.getByRole('button', { name: 'Where is it not ready?' }).click();
    await page.locator(ROW).first().waitFor();
    await page.waitForURL(/q=/);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.locator(ROW).first().waitFor();
    expect(await field(other, 'Filter').inputValue()).toBe(
      await field(page, 'Filter').inputValue(),
    );
  });

  it('is nothing if the address was cut', async () => {
    const address = await addressOf(ROWS);
    const opened = await suite.open(address.slice(0, -9));
    const { page } = opened;
    await page.getByRole('heading', { name: 'This address holds no question' }).waitFor();
    await page.getByRole('link', { name: 'Begin anew' }).click();
    await page.getByRole('heading', { name: 'Nothing is asked yet' }).waitFor();
    suite.expectQuiet(opened);
  });
});

describe('a question from another screen', () => {
  it('is about all that a WEC says', async () => {
    const opened = await suite.open('#/wec/eu-west-003');
    const { page } = opened;
    await page.getByRole('link', { name: 'Ask about this' }).click();
    await page.locator(ROW).first().waitFor();
    expect(await page.locator('.qt').getAttribute('aria-rowcount')).toBe('10');
    expect(await field(page, 'Filter').inputValue()).toBe('inventory.name == "eu-west-003"');
    suite.expectQuiet(opened);
  });

  it('is limited to the WECs to which the table is', async () => {
    const { page } = await suite.open('#/workload/services/shop/web?q=region%3Dus-west');
    await page.getByRole('link', { name: 'Ask about this' }).click();
    await page.locator(ROW).first().waitFor();
    expect(await page.locator('.qt').getAttribute('aria-rowcount')).toBe('6');
  });
});

describe('without an answer', () => {
  it('a question that runs can be given up', async () => {
    const { page } = await suite.open(QUERY);
    let hung = 0;
    await page.route('**/clusterstatusqueries', () => {
      hung += 1;
    });
    await page.getByRole('button', { name: 'Silent WECs' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Run' }).waitFor();
    expect(hung).toBe(1);
    await page.unroute('**/clusterstatusqueries');
    await field(page, 'Filter').focus();
    await page.keyboard.press('Control+Enter');
    await page.locator(ROW).first().waitFor();
  });

  it('the page says which rights are missing', async () => {
    const { page } = await suite.open('#/');
    const access = { verb: 'create', group: 'status.starfold.dev', resource: 'statusqueries' };
    const message = accessForbidden('eve', { ...access, namespace: 'shop', name: '' }, '');
    await page.route('**/statusqueries', (route) =>
      route.fulfill({ status: 403, json: { kind: 'Status', code: 403, message } }),
    );
    await page.evaluate(`location.hash = ${JSON.stringify(ABOUT)}`);
    await page.getByRole('heading', { name: 'You may not read this' }).waitFor();
    await page
      .getByText('kubectl auth can-i create statusqueries.status.starfold.dev -n shop')
      .waitFor();
    await page.getByText('kubectl auth can-i get deployments.apps -n shop').waitFor();
    await expectAccessible(page, 'body');
  });

  it('of which a part is left out, the page says so', async () => {
    const { page } = await suite.open('#/');
    const warning = `299 - "${leftOut(['secrets'])}"`;
    await page.route('**/statusqueries', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), warning } });
    });
    await page.evaluate(`location.hash = ${JSON.stringify(ABOUT)}`);
    await page.getByText(leftOut(['secrets'])).waitFor();
  });

  it('the last one stays, and the page is back by itself', async () => {
    const opened = await suite.open(ABOUT);
    const { page } = opened;
    await page.locator(ROW).first().waitFor();
    const comeBack = await suite.goDown();
    await page.locator('.banner').waitFor();
    await page.getByText('as of the last answer').waitFor();
    expect(await page.locator(ROW).count()).toBe(6);
    await comeBack();
    await page.getByText(/ms, live$/).waitFor();
    suite.expectQuiet(opened);
  });

  it('because it was ended, the page says what to change, and does not ask it again by itself', async () => {
    const { page } = await suite.open('#/');
    const { message } = new QueryEndedError('it took longer than 20 seconds', { isLate: true });
    const ended = queryEnded(message, true);
    let asked = 0;
    await page.route('**/statusqueries', async (route) => {
      asked += 1;
      await route.fulfill({ status: ended.code, json: ended.toStatus() });
    });
    await page.clock.install();
    await page.evaluate(`location.hash = ${JSON.stringify(ABOUT)}`);
    await page.getByRole('heading', { name: 'The question was not answered' }).waitFor();
    await page.getByText(message).waitFor();
    const before = asked;
    await page.clock.runFor(60_000);
    expect(asked).toBe(before);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => asked).toBe(before + 1);
  });

  it('the page says that the API fails, and goes on when it does not any more', async () => {
    suite.fleet.source.failure = new Error('the state is locked');
    const { page } = await suite.open(ABOUT);
    await page.getByRole('heading', { name: 'The question was not answered' }).waitFor();
    suite.fleet.source.failure = undefined;
    await page.locator(ROW).first().waitFor();
  });
});

describe('the screen', () => {
  it('shows what a WEC says, and what an address holds, and obeys neither', async () => {
    const message = 'returned.status.conditions[1].message';
    const opened = await suite.open(
      await addressOf({
        ...{ resource: 'deployments.apps', namespace: 'edge', name: 'banner' },
        filter: `inventory.name != "\u202e<img src=x onerror=alert(3)>"`,
        select: [
          { name: '<b>', def: message },
          { name: `\u202e${'x'.repeat(200)}`, def: 'inventory.name' },
        ],
      }),
    );
    const { page } = opened;
    const row = page.locator(ROW).filter({ hasText: HOSTILE.wec.slice(0, 20) });
    await row.getByText('<script>alert(1)</script>').waitFor();
    expect(await row.locator('.ctl').first().textContent()).toBe('U+202E');
    await page.getByText('has characters that cannot be seen: U+202E').first().waitFor();
    expect(await page.locator('main script, main img, main b:has(script)').count()).toBe(0);
    suite.expectQuiet(opened);
  });

  it.each([
    ['nothing', {}],
    ['rows', ROWS],
    ['an error', { ...ROWS, filter: 'inventory.nam' }],
    [
      'groups',
      {
        ...ROWS,
        select: [],
        groupBy: ROWS.select,
        combined: [{ name: 'n', type: 'COUNT', subject: '' }],
      },
    ],
  ] as const)('axe finds nothing in %s, in either theme', async (what, query) => {
    for (const theme of ['dark', 'light']) {
      const { page } = await suite.open(await addressOf(query), { theme });
      await page
        .locator(what === 'nothing' || what === 'an error' ? '.blank' : ROW)
        .first()
        .waitFor();
      if (what === 'rows') {
        await field(page, 'Filter').focus();
        await page.keyboard.press('Control+Space');
        await page.getByRole('listbox', { name: 'Names' }).waitFor();
      }
      await expectAccessible(page, 'body');
    }
  });

  it('needs no scrolling sideways at 360 px', async () => {
    const { page } = await suite.open(ABOUT, { viewport: { width: 360, height: 740 } });
    await page.locator(ROW).first().waitFor();
    await field(page, 'Filter').focus();
    await page.keyboard.press('Control+Space');
    await page.getByRole('listbox', { name: 'Names' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});
