import { expect, it } from 'vitest';
import { type BatchRules, runBatches } from '#shared/adapters/sqs/batches.ts';

const TASKS = Array.from({ length: 100 }, (_none, entry) => ({
  entry,
  bytes: 1,
  group: undefined,
}));

function rules(send: BatchRules<number>['send']): BatchRules<number> {
  return {
    send,
    settles: () => false,
    exhausted: ({ code }) => new Error(code),
    backOff: async () => undefined,
  };
}

it('has up to 4 batches under way at once', async () => {
  const underWay = { now: 0, most: 0 };
  const done: number[] = [];
  await runBatches(
    TASKS,
    rules(async (entries) => {
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      await new Promise(setImmediate);
      underWay.now -= 1;
      done.push(...entries);
      return entries.map(() => undefined);
    }),
  );
  expect(underWay.most).toBe(4);
  expect(done.toSorted((a, b) => a - b)).toEqual(TASKS.map(({ entry }) => entry));
});

it('fails when no batch is under way anymore, and sends no other', async () => {
  const last = Promise.withResolvers<void>();
  const sent: number[] = [];
  let failed = false;
  const run = runBatches(
    TASKS,
    rules(async (entries) => {
      sent.push(entries[0] ?? -1);
      if (entries[0] === 0) throw new Error('broken');
      await last.promise;
      return entries.map(() => undefined);
    }),
  ).catch((error: unknown) => {
    failed = true;
    return error;
  });
  await new Promise(setImmediate);
  expect(failed).toBe(false);
  last.resolve();
  expect(await run).toEqual(new Error('broken'));
  expect(sent).toEqual([0, 10, 20, 30]);
});
