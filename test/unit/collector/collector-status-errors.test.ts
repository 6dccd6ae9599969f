import { expect, it } from 'vitest';
import { collectorStatus } from '#shared/core/collector/collector-status.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';

it('lists a hundred errors of a StatusCollector, then the number of the others', () => {
  const select = Array.from({ length: 100 }, (_none, index) => ({ name: `c${index}`, def: 7 }));
  const combinedFields = select.map(({ name }) => ({ name, type: 'MODE' }));
  const { errors } = collectorStatus(1, compileStatusCollector({ select, combinedFields }));
  expect([errors.length, errors.at(-1)]).toEqual([101, 'and 100 more errors']);
});
