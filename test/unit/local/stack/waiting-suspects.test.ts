import { beforeEach, describe, expect, it } from 'vitest';
import type { Suspect } from '#local/stack/suspects.ts';
import { WaitingSuspects } from '#local/stack/waiting-suspects.ts';

let waiting: WaitingSuspects;

beforeEach(() => {
  waiting = new WaitingSuspects(6);
});

/** The first character of a name is the tenant. */
function suspect(name: string, change: Partial<Suspect> = {}): Suspect {
  const message = {
    messageId: name,
    receiptHandle: name,
    body: name,
    senderId: 'local',
    receiveCount: 2,
    sentAt: 0,
  };
  return { messages: [message], tenant: name.slice(0, 1), receives: 2, isKnown: false, ...change };
}

function namesOf(suspects: readonly Suspect[]): readonly string[] {
  return suspects.map(({ messages }) => String(messages[0]?.body));
}

function add(...names: readonly string[]): readonly string[] {
  return namesOf(waiting.add(names.map((name) => suspect(name))));
}

/** The turns, each of which takes the time of its tenant in milliseconds. */
function turns(max: number, times: Readonly<Record<string, number>> = {}): readonly string[] {
  const order: string[] = [];
  for (let next = waiting.next(); next !== undefined; ) {
    order.push(...namesOf([next]));
    waiting.spend(next.tenant, times[next.tenant] ?? 0);
    next = order.length < max ? waiting.next() : undefined;
  }
  return order;
}

describe('WaitingSuspects', () => {
  it('lets tenants take turns', () => {
    add('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
    expect(turns(9)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('begins within a tenant with the least suspicious, and ends with those that are known', () => {
    waiting.add([
      suspect('a-known', { receives: 1, isKnown: true }),
      suspect('a-often', { receives: 5 }),
      suspect('a-twice'),
    ]);
    expect(turns(9)).toEqual(['a-twice', 'a-often', 'a-known']);
  });

  it('leaves out the last one of the tenant with the most', () => {
    expect(add('a1', 'b1', 'b2', 'b3', 'b4', 'c1', 'a2')).toEqual(['b4']);
    expect(turns(9)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'b3']);
  });

  it('takes from the tenant whose turn is last if several have equally many, and keeps the order of the turns', () => {
    add('a1', 'a2', 'b1', 'b2', 'c1', 'c2');
    expect(add('d1')).toEqual(['c2']);
    expect(add('e1')).toEqual(['b2']);
    expect(turns(9)).toEqual(['a1', 'b1', 'c1', 'd1', 'e1', 'a2']);
  });

  it('leaves out who comes last if each tenant has one', () => {
    add('a1', 'b1', 'c1', 'd1', 'e1', 'f1');
    expect(add('g1')).toEqual(['g1']);
    expect(turns(1)).toEqual(['a1']);
    expect(add('g1')).toEqual([]);
    expect(turns(9)).toEqual(['b1', 'c1', 'd1', 'e1', 'f1', 'g1']);
  });

  it('gives a tenant whose trials take long at most the time that those of the others take', () => {
    waiting = new WaitingSuspects(100);
    const healthy = Array.from({ length: 10 }, (_, index) => `h${index}`);
    add('p1', 'p2', ...healthy, 'o1');
    const order = turns(99, { p: 30_000, h: 20, o: 1_000 });
    expect(order).toEqual(['p1', 'h0', 'o1', ...healthy.slice(1), 'p2']);
  });

  it('does not let a tenant begin anew each time that it waits again', () => {
    waiting = new WaitingSuspects(100);
    const healthy = Array.from({ length: 20 }, (_, index) => `h${index}`);
    add('p1', ...healthy);
    expect(turns(2, { p: 200, h: 20 })).toEqual(['p1', 'h0']);
    add('p2');
    expect(turns(10, { p: 200, h: 20 })).toEqual([...healthy.slice(1, 10), 'p2']);
  });

  it('gives a tenant that comes later no turns for the time before', () => {
    waiting = new WaitingSuspects(100);
    add(...Array.from({ length: 20 }, (_, index) => `h${index}`));
    turns(10, { h: 1_000 });
    add('l1', 'l2', 'l3');
    expect(turns(4, { h: 1_000, l: 1_000 })).toEqual(['l1', 'h10', 'l2', 'h11']);
  });

  it('forgets what tenants have used when nobody waits', () => {
    add('p1');
    turns(9, { p: 30_000 });
    add('p2', 'h1', 'h2');
    expect(turns(9, { h: 20 })).toEqual(['p2', 'h1', 'h2']);
  });

  it('gives all of them back at once', () => {
    add('a1', 'b1');
    expect(namesOf(waiting.clear())).toEqual(['a1', 'b1']);
    expect([waiting.next(), waiting.all]).toEqual([undefined, []]);
  });
});
