import { afterEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import type { OutgoingMessage, ReceivedMessage } from '#shared/ports/message-queue.ts';

let database: SqliteDatabase;
afterEach(() => database.close());

function makeQueue(fifo: boolean, file?: SqliteDatabase, turns?: number): SqliteMessageQueue {
  database = file ?? openSqliteDatabase(':memory:');
  return createSqliteMessageQueue(database, {
    name: 'live',
    fifo,
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 3,
    clock: () => 1_700_000_000_000,
    ...(turns === undefined ? {} : { turns }),
  });
}

function flood(count: number, of: (index: number) => OutgoingMessage): readonly OutgoingMessage[] {
  return Array.from({ length: count }, (_message, index) => of(index));
}

async function receive(queue: SqliteMessageQueue, times: number): Promise<ReceivedMessage[]> {
  const received: ReceivedMessage[] = [];
  for (let time = 0; time < times; time += 1)
    received.push(...(await queue.receive({ max: 10, waitSeconds: 0 })));
  return received;
}

const BACKLOG = 10_000;

describe('a standard queue with a backlog of one group', () => {
  it('delivers the one message of another group with the next receive', async () => {
    const queue = makeQueue(false);
    await queue.send(flood(BACKLOG, (index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    await receive(queue, 3);
    await queue.send([{ body: 'quiet', group: 'wec/quiet' }]);
    const received = await receive(queue, 1);
    expect(received).toHaveLength(10);
    expect(received.filter(({ group }) => group === 'wec/quiet')).toHaveLength(1);
  });

  it('gives every group the same number of messages, whoever waits with how many', async () => {
    const queue = makeQueue(false);
    await queue.send(flood(BACKLOG, (index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    for (const group of ['wec/a', 'wec/b', 'wec/c'])
      await queue.send(flood(100, (index) => ({ body: `${group}${index}`, group })));
    const received = await receive(queue, 20);
    const counts = Map.groupBy(received, ({ group }) => group);
    const each = [...counts.values()].map(({ length }) => length);
    expect(each).toHaveLength(4);
    expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(10);
  });

  it('serves more groups than a receive has places for, one after the other', async () => {
    const queue = makeQueue(false);
    await queue.send(flood(BACKLOG, (index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    const groups = Array.from({ length: 49 }, (_group, index) => `wec/${index}`);
    await queue.send(groups.map((group) => ({ body: group, group })));
    const received = await receive(queue, 5);
    expect(new Set(received.map(({ group }) => group)).size).toBe(50);
  });

  it('gives all places to a group that waits alone', async () => {
    const queue = makeQueue(false);
    await queue.send(flood(25, (index) => ({ body: `${index}`, group: 'wec/a' })));
    const bodies = (await receive(queue, 3)).map(({ body }) => Number(body));
    expect(bodies).toEqual(Array.from({ length: 25 }, (_body, index) => index));
  });

  it('does not make a group pay that had the queue for itself before', async () => {
    const queue = makeQueue(false);
    await queue.send(flood(1_000, (index) => ({ body: `${index}`, group: 'wec/a' })));
    await receive(queue, 60);
    await queue.send(flood(1_000, (index) => ({ body: `b${index}`, group: 'wec/b' })));
    const received = await receive(queue, 4);
    expect(received.filter(({ group }) => group === 'wec/a').length).toBeGreaterThanOrEqual(15);
  });

  it('continues with the next turn after a restart', async () => {
    const queue = makeQueue(false);
    await queue.send(flood(30, (index) => ({ body: `a${index}`, group: 'wec/a' })));
    await queue.send(flood(30, (index) => ({ body: `b${index}`, group: 'wec/b' })));
    await queue.receive({ max: 1, waitSeconds: 0 });
    const again = makeQueue(false, database);
    const [next] = await again.receive({ max: 1, waitSeconds: 0 });
    expect(next?.group).toBe('wec/b');
  });
});

describe('a FIFO queue with a backlog of one tenant', () => {
  const dirty = (group: string, tenant: string): OutgoingMessage => ({
    body: `${tenant} ${group}`,
    group,
    tenant,
  });

  it('delivers the group of another tenant with the next receive', async () => {
    const queue = makeQueue(true);
    await queue.send(flood(BACKLOG, (index) => dirty(`g${index}`, 'wds/noisy')));
    await receive(queue, 3);
    await queue.send([dirty('other', 'wds/quiet')]);
    expect((await receive(queue, 1)).map(({ group }) => group)).toContain('other');
  });

  it('delivers a group in the turn of each tenant that has a message in it, in the order of sending', async () => {
    const queue = makeQueue(true);
    await queue.send(flood(BACKLOG, (index) => dirty(`g${index}`, 'wec/noisy')));
    await queue.send([dirty(`g${BACKLOG - 1}`, 'wec/quiet')]);
    const received = await receive(queue, 1);
    const shared = received.filter(({ group }) => group === `g${BACKLOG - 1}`);
    expect(shared.map(({ body }) => body)).toEqual([
      `wec/noisy g${BACKLOG - 1}`,
      `wec/quiet g${BACKLOG - 1}`,
    ]);
  });

  it('says nothing of the tenant to who receives', async () => {
    const queue = makeQueue(true);
    await queue.send([dirty('g', 'wec/a')]);
    const [message] = await receive(queue, 1);
    expect(message).not.toHaveProperty('tenant');
  });
});

describe('a queue that says how many turns a tenant has in one receive', () => {
  it('gives no more messages to a group that waits alone, and the rest with the next receives', async () => {
    const queue = makeQueue(false, undefined, 2);
    await queue.send(flood(5, (index) => ({ body: `${index}`, group: 'wec/a' })));
    const batches = [await receive(queue, 1), await receive(queue, 1), await receive(queue, 1)];
    expect(batches.map((batch) => batch.map(({ body }) => body))).toEqual([
      ['0', '1'],
      ['2', '3'],
      ['4'],
    ]);
  });

  it('gives all that wait with little the same number', async () => {
    const queue = makeQueue(false, undefined, 2);
    await queue.send(flood(9, (index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    await queue.send(flood(3, (index) => ({ body: `a${index}`, group: 'wec/a' })));
    await queue.send([{ body: 'b0', group: 'wec/b' }]);
    const received = await receive(queue, 1);
    expect(received.map(({ body }) => body).sort()).toEqual(['a0', 'a1', 'b0', 'n0', 'n1']);
  });

  it('delivers a backlog apart from tenants that have none, in turn with them', async () => {
    const queue = makeQueue(false, undefined, 2);
    await queue.send(flood(BACKLOG, (index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    await queue.send(flood(3, (index) => ({ body: `a${index}`, group: 'wec/a' })));
    await queue.send([{ body: 'b0', group: 'wec/b' }]);
    const batches = [await receive(queue, 1), await receive(queue, 1), await receive(queue, 1)];
    expect(batches.map((batch) => batch.map(({ body }) => body))).toEqual([
      ['a0', 'b0', 'a1'],
      ['n0', 'n1'],
      ['a2'],
    ]);
  });

  it('delivers the backlogs of several together, so that receives are full if all have one', async () => {
    const queue = makeQueue(true, undefined, 2);
    for (const tenant of ['wec/a', 'wec/b'])
      await queue.send(
        flood(50, (index) => ({ body: tenant, group: `${tenant}-${index}`, tenant })),
      );
    const batches = [await receive(queue, 1), await receive(queue, 1)];
    for (const batch of batches)
      expect(batch.map(({ body }) => body)).toEqual(['wec/a', 'wec/b', 'wec/a', 'wec/b']);
  });

  it('counts the groups of a FIFO queue, each with all of its messages', async () => {
    const queue = makeQueue(true, undefined, 2);
    await queue.send(
      flood(9, (index) => ({ body: `${index}`, group: `g${index % 3}`, tenant: 'wec/a' })),
    );
    const bodies = (await receive(queue, 1)).map(({ body }) => body);
    expect(bodies).toEqual(['0', '3', '6', '1', '4', '7']);
  });
});

describe('what a receive looks at', () => {
  /** What SQLite does for a statement, as it says itself. */
  function plan(sql: string): string {
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return rows.map((row) => String(row['detail'])).join('; ');
  }

  it('is found by indexes, without sorting and without stepping over a backlog', () => {
    makeQueue(false);
    const statements = [
      "SELECT tenant FROM turns WHERE queue = 'q' AND ready = 1 ORDER BY served, tenant LIMIT 1",
      "SELECT group_id FROM ready_groups WHERE queue = 'q' AND tenant = 't' ORDER BY first_sequence LIMIT 1",
      "SELECT * FROM messages WHERE queue = 'q' AND group_id = 'g' AND hidden_until = 0 ORDER BY sequence LIMIT 10",
      "SELECT min(tenant) FROM messages WHERE queue = 'q' AND group_id = 'g' AND hidden_until = 0 AND tenant > 't'",
      "SELECT min(sequence) FROM messages WHERE queue = 'q' AND group_id = 'g' AND hidden_until = 0 AND tenant = 't'",
      "SELECT max(served) FROM turns WHERE queue = 'q'",
      "SELECT 1 FROM ready_groups WHERE queue = 'q' AND tenant = 't' LIMIT 1 OFFSET 10",
      "SELECT 1 FROM messages WHERE queue = 'q' AND group_id = 'g' AND hidden_until = 0 LIMIT 1 OFFSET 10",
      "SELECT 1 FROM messages WHERE queue = 'q' AND hidden_until > 0 AND hidden_until <= 5 LIMIT 1",
    ];
    for (const statement of statements) {
      expect(plan(statement)).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX \w+ \(queue=\?/);
      expect(plan(statement)).not.toMatch(/SCAN|TEMP B-TREE/);
    }
    expect(plan(statements[3] ?? '')).toContain('tenant>?');
    expect(plan(statements[4] ?? '')).toContain('tenant=?');
  });
});

describe('a queue that feeds another one', () => {
  it('gives no turn to who has enough waiting there, until less of it does', async () => {
    database = openSqliteDatabase(':memory:');
    const options = { visibilityTimeoutSeconds: 30, maxReceiveCount: 3, clock: () => 1 };
    const fed = createSqliteMessageQueue(database, { ...options, name: 'dirty', fifo: true });
    const feeds = { name: 'dirty', groups: 20, perTurn: 5 };
    const queue = createSqliteMessageQueue(database, {
      ...options,
      name: 'events',
      fifo: false,
      feeds,
    });
    await fed.send(flood(20, (index) => ({ body: 'x', group: `g${index}`, tenant: 'wec/noisy' })));
    await queue.send(flood(5, (index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    expect(await receive(queue, 1)).toEqual([]);
    await queue.send(flood(3, (index) => ({ body: `q${index}`, group: 'wec/quiet' })));
    expect((await receive(queue, 1)).map(({ body }) => body)).toEqual(['q0', 'q1', 'q2']);
    await fed.receive({ max: 1, waitSeconds: 0 });
    // The message that this receive takes counts for five more that will wait there.
    expect((await receive(queue, 1)).map(({ body }) => body)).toEqual(['n0']);
  });

  it('counts what is in flight here as waiting there', async () => {
    database = openSqliteDatabase(':memory:');
    const options = { visibilityTimeoutSeconds: 30, maxReceiveCount: 3, clock: () => 1 };
    const fed = createSqliteMessageQueue(database, { ...options, name: 'dirty', fifo: true });
    const queue = createSqliteMessageQueue(database, {
      ...options,
      name: 'events',
      fifo: false,
      turns: 1,
      feeds: { name: 'dirty', groups: 20, perTurn: 5 },
    });
    await fed.send(flood(10, (index) => ({ body: 'x', group: `g${index}`, tenant: 'wec/noisy' })));
    await queue.send(flood(9, (index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    const [first] = await receive(queue, 1);
    expect((await receive(queue, 3)).map(({ body }) => body)).toEqual(['n1']);
    await queue.delete([first?.receiptHandle ?? '']);
    expect((await receive(queue, 3)).map(({ body }) => body)).toEqual(['n2']);
  });

  it('does not let a tenant wait for what is in flight here if nothing waits there', async () => {
    database = openSqliteDatabase(':memory:');
    const options = { visibilityTimeoutSeconds: 30, maxReceiveCount: 3, clock: () => 1 };
    const queue = createSqliteMessageQueue(database, {
      ...options,
      name: 'events',
      fifo: false,
      turns: 1,
      feeds: { name: 'dirty', groups: 20, perTurn: 5 },
    });
    await queue.send(flood(9, (index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    expect(await receive(queue, 6)).toHaveLength(6);
  });
});
