import { describe, expect, it } from 'vitest';
import { FairLimit, type Reader } from '#shared/api/fair-limit.ts';

const NEVER = new AbortController().signal;

function reader(user: string, signal: AbortSignal = NEVER): Reader {
  return { user, signal };
}

/** Works that end when the test says so. */
class Works {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (failure?: Error) => void>();

  readonly work = (name: string) => async (): Promise<string> => {
    this.begun.push(name);
    await new Promise<void>((resolve, reject) => {
      this.#ends.set(name, (failure) => (failure === undefined ? resolve() : reject(failure)));
    });
    return name;
  };

  async end(name: string, failure?: Error): Promise<void> {
    this.#ends.get(name)?.(failure);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a fair limit', () => {
  it('lets so many works go on at a time, and the next one when one ends', async () => {
    const [limit, works] = [new FairLimit(2), new Works()];
    const results = ['1', '2', '3', '4'].map((name) => limit.run(reader('a'), works.work(name)));
    expect(works.begun).toEqual(['1', '2']);
    await works.end('2');
    expect(works.begun).toEqual(['1', '2', '3']);
    for (const name of ['1', '3', '4']) await works.end(name);
    expect(await Promise.all(results)).toEqual(['1', '2', '3', '4']);
  });

  it('gives users their turns one after the other, however much each of them waits for', async () => {
    const [limit, works] = [new FairLimit(1), new Works()];
    const waiting = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) =>
      limit.run(reader(name.charAt(0)), works.work(name)),
    );
    for (let turn = 0; turn < waiting.length; turn += 1) await works.end(works.begun.at(-1) ?? '');
    expect(works.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    await Promise.all(waiting);
  });

  it('keeps a place for others from a user who has as many as one user may have', async () => {
    const [limit, works] = [new FairLimit(2, 1), new Works()];
    const waiting = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) =>
      limit.run(reader(name.charAt(0)), works.work(name)),
    );
    const results = Promise.allSettled(waiting);
    expect(works.begun).toEqual(['a1', 'b1']);
    await works.end('b1');
    expect(works.begun).toEqual(['a1', 'b1', 'b2']);
    await works.end('b2');
    expect(works.begun).toHaveLength(3);
    await works.end('a1', new Error('a failure gives the place back, too'));
    await works.end('a2');
    await works.end('a3');
    expect(works.begun).toEqual(['a1', 'b1', 'b2', 'a2', 'a3']);
    expect((await results).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('never begins the work of a reader who has left', async () => {
    const [limit, works] = [new FairLimit(1), new Works()];
    const leaving = new AbortController();
    const first = limit.run(reader('a'), works.work('first'));
    const second = limit.run(reader('a', leaving.signal), works.work('second'));
    const third = limit.run(reader('a'), works.work('third'));
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await expect(limit.run(reader('a', leaving.signal), works.work('late'))).rejects.toThrow(
      'gone',
    );
    await works.end('first');
    expect(works.begun).toEqual(['first', 'third']);
    await works.end('third');
    expect(await Promise.all([first, third])).toEqual(['first', 'third']);
  });

  it('keeps the place of work whose reader has left until the work has ended', async () => {
    const [limit, works] = [new FairLimit(1), new Works()];
    const leaving = new AbortController();
    let told: AbortSignal | undefined;
    const first = limit.run(reader('a', leaving.signal), (signal) => {
      told = signal;
      return works.work('first')();
    });
    const second = limit.run(reader('b'), works.work('second'));
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(told?.aborted).toBe(true);
    expect(works.begun).toEqual(['first']);
    await works.end('first');
    expect(works.begun).toEqual(['first', 'second']);
    await works.end('second');
    expect(await second).toBe('second');
  });

  it('goes on after a work that fails', async () => {
    const limit = new FairLimit(1);
    const fails = limit.run(reader('a'), () => Promise.reject(new Error('no')));
    const next = limit.run(reader('a'), async () => 'next');
    await expect(fails).rejects.toThrow('no');
    expect(await next).toBe('next');
  });
});

describe('work that several readers wait for', () => {
  it('begins in the first turn of any of its users, and gives each the result', async () => {
    const [limit, works] = [new FairLimit(1), new Works()];
    const before = ['a1', 'a2', 'a3'].map((name) => limit.run(reader('a'), works.work(name)));
    const shared = limit.share(works.work('shared'));
    const results = [shared.wait(reader('a')), shared.wait(reader('b'))];
    for (const name of ['a1', 'a2', 'shared', 'a3']) await works.end(name);
    expect(works.begun).toEqual(['a1', 'a2', 'shared', 'a3']);
    expect(await Promise.all(results)).toEqual(['shared', 'shared']);
    expect(await shared.wait(reader('c'))).toBe('shared');
    await Promise.all(before);
  });

  it('goes on as long as one of them waits, and is abandoned when the last one leaves', async () => {
    const [limit, works] = [new FairLimit(1), new Works()];
    const before = limit.run(reader('a'), works.work('before'));
    const shared = limit.share(works.work('shared'));
    const leaving = [new AbortController(), new AbortController(), new AbortController()];
    const results = leaving.map(({ signal }, index) =>
      shared.wait(reader(index === 0 ? 'b' : 'a', signal)),
    );
    const outcomes = Promise.allSettled(results);
    leaving[0]?.abort();
    leaving[1]?.abort();
    await Promise.allSettled(results.slice(0, 2));
    expect([shared.isWaiting, shared.isAbandoned]).toEqual([true, false]);
    leaving[2]?.abort();
    await outcomes;
    expect([shared.isWaiting, shared.isAbandoned]).toEqual([false, true]);
    await works.end('before');
    await before;
    expect(works.begun).toEqual(['before']);
  });

  it('fails for each of them', async () => {
    const [limit, works] = [new FairLimit(1), new Works()];
    const shared = limit.share(works.work('shared'));
    const results = [shared.wait(reader('a')), shared.wait(reader('b'))];
    const outcomes = Promise.allSettled(results);
    await works.end('shared', new Error('no'));
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
