import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sleep, unlessAborted } from '#shared/concurrency.ts';

test('a sleep until a time that is over ends at once, and nobody is warned', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', onWarning);
  await sleep(-1_000, new AbortController().signal);
  await turn();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

test('what is awaited unless a signal aborts is what the work gives, until the signal aborts', async () => {
  const stopping = new AbortController();
  const never = new Promise<void>(() => undefined);
  expect(await unlessAborted(Promise.resolve(1), stopping.signal)).toBe(1);
  expect(await unlessAborted(Promise.resolve(2), undefined)).toBe(2);
  await expect(unlessAborted(Promise.reject(new Error('bad')), stopping.signal)).rejects.toThrow(
    'bad',
  );
  const waiting = unlessAborted(never, stopping.signal);
  stopping.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(unlessAborted(never, stopping.signal)).rejects.toThrow('stopped');
});
