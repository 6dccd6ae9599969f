import type { Context, ScheduledEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { startSchedule } from '#local/stack/schedule.ts';

it('a schedule invokes its function every so often, also after one that failed, until it is stopped', async () => {
  const errors: unknown[] = [];
  const invoked: (readonly [ScheduledEvent, Context])[] = [];
  const slept: number[] = [];
  let wake: (() => void) | undefined;
  const schedule = startSchedule({
    name: 'sweep',
    handler: async (event, context) => {
      invoked.push([event, context]);
      if (invoked.length === 1) throw new Error('down');
    },
    everyMs: 30,
    clock: () => 0,
    onError: (error) => void errors.push(error),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        slept.push(ms);
        wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await turn();
  expect(invoked).toEqual([]);
  for (let round = 0; round < 2; round += 1) {
    wake?.();
    await turn();
  }
  await schedule.stop();
  expect(slept).toEqual([30, 30, 30]);
  expect(errors).toEqual([new Error('down')]);
  expect(
    invoked.map(([{ time, source }, { functionName }]) => [time, source, functionName]),
  ).toEqual(Array(2).fill(['1970-01-01T00:00:00.000Z', 'aws.events', 'sweep']));
});
