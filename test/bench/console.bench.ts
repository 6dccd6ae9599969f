/** The page in Chromium, over the real API and SQLite: 10,000 WECs, 200 changes a second. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundlePage } from '#console/bundle.ts';
import { startStatusServer } from '#local/api/status-server.ts';
import { pageFilesOf } from '#local/console/page-files.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { openSqliteJournal } from '#shared/adapters/sqlite/journal.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { StatusApi } from '#shared/api/api.ts';
import { ANYBODY, OPEN_WDS } from '#shared/api/open-wds.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { JOURNALED_KEYS } from '#shared/state/status-source/changes.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { startBrowser } from '#test/browser/harness/chromium.ts';
import type { CDPSession, Page } from '#tools/browser.ts';
import { fill, nameOf, reported, wecOf } from './ask.bench.ts';
import { type Figure, quantile } from './figure.ts';
import { recorded, statusWith } from './recorded-deployment.ts';
import { createUseCaseWorld, drain, type UseCaseWorld } from './use-case-world.ts';

const WDS = 'wds1';
const WECS = 10_000;
const RATE = 200;
const TICK_MS = 50;
const FRAMES_PER_SECOND = 60;
const SECTION = `the page: 1 object in ${WECS.toLocaleString('en-US')} WECs, on SQLite, in Chromium`;
const WANTED = Number(recorded('spec')['replicas'] ?? 1);
/** The first row of the table: no other WEC is worse, and none of those has an earlier name. */
const FIRST_ROW = wecOf(7);
/** More than there ever are, so that a message has the number of those that are available. */
const UPDATED = 1_000_000;

/** What runs in the page. It notes when the first row is there, each frame, and each counter that the first row shows. */
const WATCHER = `
  globalThis.bench = { firstRow: 0, frames: [], shown: [], last: 0 };
  new MutationObserver(() => {
    const row = document.querySelector('.wt .tr.hit');
    if (row === null) return;
    if (bench.firstRow === 0) bench.firstRow = performance.now();
    const counter = Number(/(\\d+) of ${UPDATED}/.exec(row.textContent)?.[1] ?? 0);
    if (counter <= bench.last) return;
    bench.last = counter;
    bench.shown.push([counter, performance.timeOrigin + performance.now()]);
  }).observe(document, { childList: true, subtree: true, characterData: true });
  const frame = (time) => {
    bench.frames.push(time);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
`;

interface Watched {
  readonly firstRow: number;
  readonly frames: readonly number[];
  readonly shown: readonly (readonly [counter: number, atMs: number])[];
}

/** The status of which the first row shows the counter. */
function counted(counter: number): JsonObject {
  const replicas = { replicas: UPDATED, updatedReplicas: UPDATED, availableReplicas: counter };
  return statusWith(0, replicas);
}

/** Changes of rows at a rate. Each tenth of a second, the first row is one of them. */
class Changes {
  readonly #world: UseCaseWorld;
  /** When the first row has changed, by its counter. */
  readonly sent = new Map<number, number>();
  #done = 0;

  constructor(world: UseCaseWorld) {
    this.#world = world;
  }

  async #one(): Promise<void> {
    this.#done += 1;
    const isOfFirst = this.#done % (RATE / 10) === 0;
    const counter = this.sent.size + 1;
    if (isOfFirst) this.sent.set(counter, Date.now());
    // Never the first row: neither number ends with its 7.
    const name = isOfFirst ? FIRST_ROW : wecOf((this.#done * 10) % WECS);
    const status = isOfFirst ? counted(counter) : this.#done % 100 === 1 ? 1 : WANTED;
    await this.#world.record({ type: 'wec', name }, [reported(nameOf(0), status, false)]);
  }

  async run(seconds: number): Promise<void> {
    const begun = performance.now();
    const before = this.#done;
    for (let due = 0; due < seconds * RATE; await sleep(TICK_MS)) {
      due = Math.min(seconds * RATE, Math.floor(((performance.now() - begun) * RATE) / 1000));
      while (this.#done - before < due) await this.#one();
      await drain(this.#world.dirty, async () => undefined);
    }
  }
}

async function usedHeap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1024 / 1024;
}

function watched(page: Page): Promise<Watched> {
  return page.evaluate<Watched>('bench');
}

/** The share of frames that were not drawn, in percent. */
function dropped(frames: readonly number[]): number {
  const [first = 0] = frames;
  const wanted = (((frames.at(-1) ?? 0) - first) / 1000) * FRAMES_PER_SECOND;
  return Math.max(0, (1 - (frames.length - 1) / wanted) * 100);
}

async function measured(
  url: string,
  world: UseCaseWorld,
  minutes: number,
): Promise<readonly Figure[]> {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(WATCHER);
    const address = `${url}/#/workload/deployments.apps/shop/${nameOf(0)}`;
    await page.goto(address);
    await page.locator('.wt .tr.hit').first().waitFor({ timeout: 60_000 });
    await page.keyboard.press('j');
    await page
      .locator('.chip', { hasText: /10.000/ })
      .first()
      .waitFor({ timeout: 60_000 });
    const whole: number = await page.evaluate('performance.now()');
    const { firstRow } = await watched(page);
    await page.keyboard.press('Escape');
    await page.goto(`${url}/`);
    await page.goto(address);
    await page
      .locator('.chip', { hasText: /10.000/ })
      .first()
      .waitFor({ timeout: 60_000 });
    await page.evaluate('bench.frames.length = 0');
    await sleep(5_000);
    const quiet = dropped((await watched(page)).frames);
    const session = await page.context().newCDPSession(page);
    const changes = new Changes(world);
    await changes.run(10);
    const before = await usedHeap(session);
    const warmUp = changes.sent.size;
    await page.evaluate('bench.frames.length = 0');
    await changes.run(minutes * 60);
    await sleep(2_000);
    const { frames, shown } = await watched(page);
    const after = await usedHeap(session);
    // What was overtaken was never shown: the next one that is shown counts for it.
    const late = [...changes.sent]
      .slice(warmUp)
      .map(
        ([counter, atMs]) =>
          (shown.find(([one]) => one >= counter)?.[1] ?? Number.POSITIVE_INFINITY) - atMs,
      );
    const section = SECTION;
    const atRate = `at ${RATE} changes/s for ${minutes} min`;
    return [
      {
        section,
        what: 'first rows',
        value: firstRow,
        unit: 'ms',
        goal: { type: 'at most', value: 1_000 },
      },
      { section, what: 'all rows', value: whole, unit: 'ms' },
      { section, what: `change to screen, p50, ${atRate}`, value: quantile(late, 0.5), unit: 'ms' },
      {
        section,
        what: `change to screen, p99, ${atRate}`,
        value: quantile(late, 0.99),
        unit: 'ms',
        goal: { type: 'at most', value: 1_000 },
      },
      {
        section,
        what: `frames that were not drawn, ${atRate}`,
        value: dropped(frames),
        unit: '%',
        goal: { type: 'at most', value: 1 },
        beside: `without changes: ${quiet.toFixed(2)} %`,
      },
      {
        section,
        what: `growth of the heap, ${atRate}`,
        value: after - before,
        unit: 'MiB',
        beside: `${before.toFixed(1)} MiB before`,
      },
    ];
  } finally {
    await browser.close();
  }
}

/**
 * Measures the page: how soon it shows something, how soon a change is on the screen, frames, and memory.
 *
 * @param minutes how long rows change. The design asks for ten
 */
export async function benchConsole(minutes = 1): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-console-'));
  const database = openSqliteDatabase(join(folder, 'starfold.db'));
  const journal = openSqliteJournal(database, { keys: JOURNALED_KEYS, nowMs: Date.now() });
  const world = createUseCaseWorld(createSqliteItemStore(database), (name) =>
    createSqliteMessageQueue(database, {
      ...{ name, fifo: true, visibilityTimeoutSeconds: 60, maxReceiveCount: 5 },
      clock: Date.now,
    }),
  );
  await fill(world, { objects: 1, wecs: WECS });
  const source = createStatusSource({ store: world.store, wds: WDS, journal, clock: Date.now });
  const onError = (error: unknown): void => {
    throw error;
  };
  const api = new StatusApi({ source, wds: OPEN_WDS, now: Date.now, watch: true, onError });
  const protection = {
    type: 'own-machine',
    user: ANYBODY,
    page: pageFilesOf(await bundlePage()),
  } as const;
  const server = await startStatusServer({ host: '127.0.0.1', port: 0, api, protection, onError });
  try {
    return await measured(server.url, world, minutes);
  } finally {
    await server.stop();
    database.close();
    await rm(folder, { recursive: true });
  }
}
