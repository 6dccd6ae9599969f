import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_STATE, NOTHING_REMOVED } from '#local/cli/register/messages.ts';
import { runUnregisterState } from '#local/cli/register/unregister-state.ts';
import { noState, olderState } from '#local/cli/state/messages.ts';
import { type LocalQueues, openQueues } from '#local/stack/queues.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { FILE_PROBLEMS, unusableFile } from '#shared/adapters/sqlite/messages.ts';
import { SCHEMA_VERSION } from '#shared/adapters/sqlite/schema.ts';
import type { EventSource } from '#shared/core/event.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { heartbeatItem, readHeartbeats, readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { reportedKey, versionText } from '#shared/state/keys.ts';
import { EVERY_WEC } from '#shared/state/senders.ts';
import { createFakeTerminal, NOW_MS } from '#test/unit/local/cli/deployment/fake-account.ts';

const WEC = { type: 'wec', name: 'edge1' } as const;
const OTHER = { type: 'wec', name: 'edge2' } as const;
const WDS = { type: 'wds', name: 'wds1' } as const;
const UPSTREAM = { type: 'fleet', name: 'upstream1' } as const;
const VERSION = { epoch: 3, sequence: 4 };

let folder: string;
let state: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-unregister-'));
  state = join(folder, 'state.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The content of the state file, as a stack that runs meanwhile has it open. */
async function within<T>(
  use: (content: { readonly store: ItemStore; readonly queues: LocalQueues }) => Promise<T>,
): Promise<T> {
  const database = openSqliteDatabase(state);
  try {
    return await use({ store: createSqliteItemStore(database), queues: openQueues(database) });
  } finally {
    database.close();
  }
}

async function beat(source: EventSource): Promise<void> {
  await within(({ store }) => store.put([{ item: heartbeatItem(source, VERSION, NOW_MS) }]));
}

interface Answered {
  readonly out: string;
  readonly asked: readonly string[];
  readonly told: readonly string[];
}

/** Runs the command; without an answer there is nobody to ask. */
async function unregister(
  source: EventSource,
  { yes, answer }: { readonly yes?: boolean; readonly answer?: boolean } = { yes: true },
): Promise<Answered> {
  const terminal = createFakeTerminal({ nowMs: NOW_MS });
  const asked: string[] = [];
  const question = {
    isPossible: answer !== undefined,
    ask: async (text: string) => {
      asked.push(text);
      return answer === true;
    },
  };
  const options = { state, ...(yes === undefined ? {} : { yes }) };
  await runUnregisterState(source, options, { terminal, question });
  return { out: terminal.written, asked, told: terminal.notices };
}

describe('starfold unregister --state', () => {
  it('removes the heartbeat of a WEC, and sends the sweep of what it has reported', async () => {
    await beat(WEC);
    await beat(OTHER);
    expect((await unregister(WEC)).out).toBe(`wec/edge1: ${IN_STATE.removed(WEC)}\n`);
    await within(async ({ store, queues }) => {
      expect((await readHeartbeats(store)).map(({ wec }) => wec)).toEqual(['edge2']);
      const received = await queues.dirty.receive({ max: 10, waitSeconds: 0 });
      expect(received.map(({ body }) => parseDirty(body))).toEqual([
        { type: 'sweep', source: WEC, since: { epoch: 3, sequence: 5 } },
      ]);
    });
  });

  it('removes a WEC of which nothing has been recorded yet, or ever', async () => {
    const group = sourceGroup(WEC);
    for (const name of ['events', 'events-dlq'] as const) {
      await within(({ queues }) => queues[name].send([{ body: 'not an event', group }]));
      expect((await unregister(WEC)).out).toBe(`wec/edge1: ${IN_STATE.removed(WEC)}\n`);
      expect(await within(({ queues }) => queues[name].holdsGroup(group))).toBe(false);
    }
    await expect(unregister(WEC)).rejects.toThrow(IN_STATE.unknown('wec/edge1', state));
  });

  it('removes a WEC of which only a report is stored', async () => {
    const row = { pk: 'W#wds1//pods/shop/a', sk: 'R#0#edge1' };
    const item = { ...reportedKey(WEC, row), version: versionText(VERSION) };
    await within(({ store }) => store.put([{ item }]));
    expect((await unregister(WEC)).out).toContain(IN_STATE.removed(WEC));
  });

  it('discards what a WEC has sent and nobody has recorded yet, and nothing of others', async () => {
    await beat(WEC);
    await within(async ({ queues }) => {
      for (const group of ['wec/edge1', 'wec/edge2'])
        for (const queue of [queues.events, queues['events-dlq']])
          await queue.send([{ body: `of ${group}`, group }]);
    });
    await unregister(WEC);
    await within(async ({ queues }) => {
      for (const queue of [queues.events, queues['events-dlq']]) {
        const received = await queue.receive({ max: 10, waitSeconds: 0 });
        expect(received.map(({ body }) => body)).toEqual(['of wec/edge2']);
      }
    });
  });

  it.each([WDS, UPSTREAM])(
    'removes the heartbeat of a cluster that is left: %o',
    async (source) => {
      await beat(source);
      await beat(WEC);
      expect((await unregister(source)).out).toBe(
        `${source.type}/${source.name}: ${IN_STATE.removed(source)}\n`,
      );
      await within(async ({ store, queues }) => {
        expect(await readSourceHeartbeats(store, source.type)).toEqual([]);
        expect(await readHeartbeats(store)).toHaveLength(1);
        expect(await queues.dirty.counts()).toMatchObject({ visible: 0 });
      });
    },
  );

  it.each([WEC, WDS, UPSTREAM])('asks before it removes a source: %o', async (source) => {
    await beat(source);
    const question = IN_STATE.question(source, `${source.type}/${source.name}`);
    expect(await unregister(source, { answer: false })).toEqual({
      out: '',
      asked: [question],
      told: [NOTHING_REMOVED],
    });
    const read = () => within(({ store }) => readSourceHeartbeats(store, source.type));
    expect(await read()).toHaveLength(1);
    expect((await unregister(source, { answer: true })).asked).toEqual([question]);
    expect(await read()).toEqual([]);
  });

  it('requires --yes without a terminal', async () => {
    await beat(WEC);
    const attempt = unregister(WEC, {});
    await expect(attempt).rejects.toMatchObject({ name: 'UsageError' });
    await expect(attempt).rejects.toThrow(IN_STATE.noTerminal);
  });

  it('does not remove every WEC at once', async () => {
    await beat(WEC);
    const attempt = unregister(EVERY_WEC);
    await expect(attempt).rejects.toMatchObject({ name: 'UsageError' });
    await expect(attempt).rejects.toThrow(IN_STATE.everyWecStays);
  });

  it.each([WEC, WDS])('fails for a source that is not known: %o', async (source) => {
    await beat(OTHER);
    const attempt = unregister(source);
    await expect(attempt).rejects.toMatchObject({ name: 'InputError' });
    await expect(attempt).rejects.toThrow(IN_STATE.unknown(`${source.type}/${source.name}`, state));
  });

  it('fails for a file that does not exist, and creates none', async () => {
    await expect(unregister(WEC)).rejects.toThrow(noState(unusableFile(state, 'missing')));
    expect(existsSync(state)).toBe(false);
  });

  it('fails for a file without content, and writes nothing into it', async () => {
    const empty = new DatabaseSync(state);
    await expect(unregister(WEC)).rejects.toThrow(FILE_PROBLEMS.empty);
    expect(empty.prepare('SELECT count(*) AS count FROM sqlite_schema').get()).toEqual({
      count: 0,
    });
    empty.close();
  });

  it('fails for the file of an older release, which may run, and leaves it as it is', async () => {
    await beat(WEC);
    const older = new DatabaseSync(state);
    older.exec(`PRAGMA user_version = ${SCHEMA_VERSION - 1}`);
    older.close();
    await expect(unregister(WEC)).rejects.toThrow(olderState(state));
    const after = new DatabaseSync(state);
    expect(after.prepare('PRAGMA user_version').get()).toEqual({
      user_version: SCHEMA_VERSION - 1,
    });
    after.close();
  });

  it('fails for the file of a newer release', async () => {
    await beat(WEC);
    const newer = new DatabaseSync(state);
    newer.exec('PRAGMA user_version = 1000');
    newer.close();
    const attempt = unregister(WEC);
    await expect(attempt).rejects.toMatchObject({ name: 'InputError' });
    await expect(attempt).rejects.toThrow(FILE_PROBLEMS['newer-schema']);
  });
});
