import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sleep } from '#shared/concurrency.ts';

test('a sleep until a time that is over ends at once, and nobody is warned', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', onWarning);
  await sleep(-1_000, new AbortController().signal);
  await turn();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
