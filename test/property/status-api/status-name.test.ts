import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPathSegment, isSourceName, isSubdomain } from '#shared/core/names.ts';
import {
  parseWecStatusName,
  parseWorkloadText,
  type WecStatusRef,
  wecStatusName,
  workloadText,
} from '#shared/core/status-api/status-name.ts';

const label = fc.stringMatching(/^[a-z0-9](?:[-a-z0-9]{0,6}[a-z0-9])?$/);
const group = fc.oneof(
  fc.constant(''),
  fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.')),
);
const objectName = fc.oneof(
  label,
  fc.string({ unit: fc.constantFrom('a', ':', '~', '.', '-', 'é', '#', '|'), minLength: 1 }),
);
const wecName = fc.string({
  unit: fc.constantFrom('a', 'Z', ':', '.', '_', '@', '-'),
  minLength: 1,
});

const ref: fc.Arbitrary<WecStatusRef> = fc
  .record({
    group,
    resource: label,
    namespace: fc.oneof(fc.constant(''), label),
    name: objectName,
    wec: wecName,
  })
  .filter(
    (one) =>
      isPathSegment(one.name) &&
      (one.group === '' || isSubdomain(one.group)) &&
      isSourceName(one.wec),
  )
  .map(({ wec, ...workload }) => ({ workload, wec }));

describe('names of the API', () => {
  it('identify the workload object and the WEC, also if their names have colons', () => {
    fc.assert(
      fc.property(ref, (one) => {
        expect(parseWecStatusName(wecStatusName(one), one.workload.namespace)).toEqual(one);
        expect(parseWorkloadText(workloadText(one.workload), one.workload.namespace)).toEqual(
          one.workload,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('are different for different objects and WECs', () => {
    fc.assert(
      fc.property(ref, ref, (a, b) => {
        const same =
          a.workload.namespace === b.workload.namespace && wecStatusName(a) === wecStatusName(b);
        if (same) expect(a).toEqual(b);
      }),
      { numRuns: 1000 },
    );
  });

  it('are path segments', () => {
    fc.assert(
      fc.property(ref, (one) => {
        expect(wecStatusName(one)).not.toMatch(/[/%]/);
      }),
    );
  });
});
