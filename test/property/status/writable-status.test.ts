import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusals } from '#local/simulated-cluster/status-validation/status-validation.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import { histories } from '#test/histories.ts';
import { casesOf, STATUS_WRITES } from './status-writes.ts';

const NUM_RUNS = histories({ first: 300, all: 1000 });

describe.each(STATUS_WRITES)('the status that is written into a $kind', (writes) => {
  const cases = casesOf(writes);

  it('is taken by the API server, whatever stands there and is wanted', () => {
    fc.assert(
      fc.property(cases, ({ object, stored, desired }) => {
        const { status } = writableStatus(object, desired, stored);
        expect(refusals(object, status)).toEqual([]);
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('is the one that is wanted where the API server takes that, without a problem', () => {
    fc.assert(
      fc.property(cases, ({ object, stored, desired }) => {
        fc.pre(refusals(object, desired).length === 0);
        const { qosClass = null } = stored;
        const filledIn = qosClass === null ? {} : { qosClass };
        expect(writableStatus(object, desired, stored)).toEqual({
          status: { ...desired, ...filledIn },
        });
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('is the same again where it is what is wanted, and where it stands already', () => {
    fc.assert(
      fc.property(cases, ({ object, stored, desired }) => {
        const { status } = writableStatus(object, desired, stored);
        expect(writableStatus(object, status, stored)).toEqual({ status });
        const standing = { ...object, status };
        expect(writableStatus(standing, desired, status).status).toEqual(status);
      }),
      { numRuns: NUM_RUNS },
    );
  });
});
