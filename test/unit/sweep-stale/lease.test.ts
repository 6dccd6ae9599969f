import { beforeEach, describe, expect, it } from 'vitest';
import { underLease } from '#functions/sweep-stale/lease.ts';
import { ALREADY_RUNNING, LEASE_STAYS } from '#functions/sweep-stale/log-messages.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry, type MemoryTelemetry } from '#test/fakes/memory-telemetry.ts';

const LONGEST_MS = 300_000;

let store: ItemStore;
let telemetry: MemoryTelemetry;
let now: number;
/** Names of what has been done, in order. */
let done: string[];

beforeEach(() => {
  store = createMemoryItemStore();
  telemetry = createMemoryTelemetry();
  now = 1_000_000;
  done = [];
});

function work(
  label: string,
  {
    name = 'sweep',
    during = async () => {},
    using = store,
  }: {
    readonly name?: string;
    readonly during?: () => Promise<void>;
    readonly using?: Pick<ItemStore, 'get' | 'put'>;
  } = {},
): Promise<void> {
  const run = async (): Promise<void> => {
    done.push(label);
    await during();
  };
  return underLease(
    { store: using, telemetry, clock: () => now },
    { name, longestMs: LONGEST_MS, run },
  );
}

describe('work under a lease', () => {
  it('is done again and again, one after the other', async () => {
    await work('first');
    await work('second');
    now += 60_000;
    await work('third');
    expect(done).toEqual(['first', 'second', 'third']);
    expect(telemetry.lines).toEqual([]);
  });

  it('is skipped while another invocation has it, which is reported', async () => {
    await work('first', { during: () => work('second') });
    expect(done).toEqual(['first']);
    expect(telemetry.lines).toEqual([
      {
        level: 'info',
        message: ALREADY_RUNNING,
        fields: { task: 'sweep' },
      },
    ]);
  });

  it('is done by one of two that begin at the same time', async () => {
    await Promise.all([work('first'), work('second')]);
    expect(done).toHaveLength(1);
    done = [];
    await Promise.all([work('third'), work('fourth')]);
    expect(done).toHaveLength(1);
  });

  it('of another name continues beside it', async () => {
    await work('first', { during: () => work('second', { name: 'redrive' }) });
    expect(done).toEqual(['first', 'second']);
  });

  it('can begin again after one that failed', async () => {
    const during = async (): Promise<void> => {
      throw new Error('the table is away');
    };
    await expect(work('first', { during })).rejects.toThrow('the table is away');
    await work('second');
    expect(done).toEqual(['first', 'second']);
  });

  /** A store that takes one put, and no other. */
  function takingOne(): Pick<ItemStore, 'get' | 'put'> {
    let puts = 0;
    return {
      get: (keys) => store.get(keys),
      put: async (all) => {
        puts += 1;
        if (puts > 1) throw new StoreUnavailableError('away');
        return store.put(all);
      },
    };
  }

  it('can begin again once a process that was killed can live no more', async () => {
    await work('killed', { using: takingOne() });
    expect(telemetry.lines).toMatchObject([{ level: 'warn', message: LEASE_STAYS }]);
    now += LONGEST_MS - 1;
    await work('too soon');
    now += 1;
    await work('second');
    expect(done).toEqual(['killed', 'second']);
  });

  it('fails with its own error if the lease cannot be released either', async () => {
    const during = async (): Promise<void> => {
      throw new Error('its own fault');
    };
    await expect(work('first', { during, using: takingOne() })).rejects.toThrow('its own fault');
  });

  it('leaves a lease alone that another has taken since', async () => {
    await work('slow', {
      during: async () => {
        now += LONGEST_MS;
        await work('second', {
          during: async () => {
            done.push('inside');
          },
        });
      },
    });
    expect(done).toEqual(['slow', 'second', 'inside']);
    await work('third', { during: () => work('fourth') });
    expect(done.slice(3)).toEqual(['third']);
  });
});

it('an unreadable lease is reported as a failure', async () => {
  const get: ItemStore['get'] = async () => {
    throw new StoreUnavailableError('away');
  };
  const broken = { get, put: store.put };
  await expect(work('first', { using: broken })).rejects.toThrow(StoreUnavailableError);
  expect(done).toEqual([]);
});
