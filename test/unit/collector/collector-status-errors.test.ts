import { expect, it } from 'vitest';
import { collectorStatus } from '#shared/core/collector/collector-status.ts';

it('lists a hundred errors of a StatusCollector, then how many more there are', () => {
  const select = Array.from({ length: 3000 }, (_none, index) => ({ name: `c${index}`, def: 7 }));
  const { errors } = collectorStatus(1, { select });
  expect([errors.length, errors.at(-1)]).toEqual([101, 'and 2900 more errors']);
});
