import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';

describe('a tenant with parts', () => {
  let database: SqliteDatabase;
  let queue: SqliteMessageQueue;
  const open = (share?: number): SqliteMessageQueue =>
    createSqliteMessageQueue(database, {
      ...{ name: 'dirty', fifo: true, visibilityTimeoutSeconds: 30, maxReceiveCount: 3 },
      ...(share === undefined ? {} : { share }),
      clock: () => 1_700_000_000_000,
    });
  beforeEach(() => {
    database = openSqliteDatabase(':memory:');
    queue = open();
  });
  afterEach(() => database.close());

  let sent = 0;
  /** So much work of a tenant, each in a group of its own. */
  function work(tenant: string, count: number): readonly OutgoingMessage[] {
    return Array.from({ length: count }, () => {
      sent += 1;
      return { body: tenant, group: `g${sent}`, tenant };
    });
  }

  /** The tenants of the next turns, each handled before the next one. */
  async function turns(count: number, from = queue): Promise<readonly string[]> {
    const tenants: string[] = [];
    for (let turn = 0; turn < count; turn += 1) {
      const messages = await from.receive({ max: 1, waitSeconds: 0 });
      tenants.push(...messages.map(({ body }) => body));
      await from.delete(messages.map(({ receiptHandle }) => receiptHandle));
    }
    return tenants;
  }

  function countsOf(tenants: readonly string[]): Readonly<Record<string, number>> {
    const groups = Map.groupBy(tenants, (tenant) => tenant);
    return Object.fromEntries([...groups].map(([tenant, { length }]) => [tenant, length]));
  }

  it('has the turns of one tenant, however many parts wait, and each part has as many', async () => {
    const parts = Array.from({ length: 10 }, (_part, index) => `wds/one~${index}`);
    await queue.send([...work('wec/a', 200), ...parts.flatMap((part) => work(part, 100))]);
    const counts = countsOf(await turns(200));
    const ofParts = parts.map((part) => counts[part] ?? 0);
    const all = ofParts.reduce((sum, count) => sum + count, 0);
    expect(Math.abs(all - 100)).toBeLessThanOrEqual(10);
    expect(Math.max(...ofParts) - Math.min(...ofParts)).toBeLessThanOrEqual(1);
  });

  it('lets a part with little work wait for one turn of each other part, not for their backlogs', async () => {
    for (let part = 0; part < 10; part += 1) await queue.send(work(`wds/one~${part}`, 200));
    await turns(100);
    await queue.send(work('wds/one~new', 1));
    expect(await turns(12)).toContain('wds/one~new');
  });

  it('does not make others wait for parts that come anew all the time', async () => {
    await queue.send(work('wec/a', 100));
    const tenants: string[] = [];
    for (let round = 0; round < 100; round += 1) {
      await queue.send([0, 1, 2].flatMap((part) => work(`wds/one~${round}-${part}`, 1)));
      tenants.push(...(await turns(1)));
    }
    expect(countsOf(tenants)['wec/a']).toBeGreaterThanOrEqual(45);
  });

  it('neither pays for the time in which it was alone, nor is paid for the time in which it was idle', async () => {
    await queue.send(work('wds/one~1', 500));
    await turns(400);
    await queue.send(work('wec/a', 100));
    const both = countsOf(await turns(40));
    expect(Math.abs((both['wec/a'] ?? 0) - 20)).toBeLessThanOrEqual(2);
    await turns(160);
    await queue.send([...work('wec/b', 300), ...work('wds/one~2', 100)]);
    const later = countsOf(await turns(40));
    expect(Math.abs((later['wec/b'] ?? 0) - 20)).toBeLessThanOrEqual(2);
  });

  it('is forgotten part by part when their work is done', async () => {
    for (let part = 0; part < 20; part += 1) await queue.send(work(`wds/one~${part}`, 1));
    expect(await turns(20)).toHaveLength(20);
    const { rows } = database.prepare('SELECT count(*) AS rows FROM turns').get() ?? {};
    expect(rows).toBe(0);
  });

  it('continues after a restart as if there had been none', async () => {
    await queue.send([...work('wec/a', 100), ...work('wds/one~1', 100), ...work('wds/one~2', 100)]);
    await turns(60);
    const counts = countsOf(await turns(40, open()));
    expect(Math.abs((counts['wec/a'] ?? 0) - 20)).toBeLessThanOrEqual(2);
    expect(Math.abs((counts['wds/one~1'] ?? 0) - 10)).toBeLessThanOrEqual(2);
  });

  it('has one share in flight for all of its parts', async () => {
    const limited = open(2);
    await limited.send([...work('wec/a', 1), ...work('wds/one~1', 5), ...work('wds/one~2', 5)]);
    const messages = await limited.receive({ max: 10, waitSeconds: 0 });
    expect(countsOf(messages.map(({ body }) => body.split('~')[0] ?? ''))).toEqual({
      'wec/a': 1,
      'wds/one': 2,
    });
  });
});
