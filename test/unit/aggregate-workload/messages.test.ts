import { expect, it } from 'vitest';
import {
  askedWorkText,
  isOwnAside,
  OWN_ASIDE,
  workloadAside,
} from '#functions/aggregate-workload/messages.ts';

const AGAIN = 'it is retried after a minute, then after longer pauses of up to an hour';

it('names what a workload object that is set aside may be simplified by', () => {
  const work = askedWorkText({
    ...{ binding: 'b'.repeat(50), collectors: ['c1', 'c2', 'c3'] },
    ...{ loops: 4, characters: 81 },
  });
  expect(work).toBe(
    `c1, c2 and 1 more of Binding ${'b'.repeat(40)}… (loops and patterns: 4, characters: 81)`,
  );
  const largest = [
    { wec: 'wec1', bytes: 7 },
    { wec: 'wec2', bytes: 5 },
  ];
  expect(workloadAside('pods shop/web', { expensive: [work, work], largest })).toBe(
    `pods shop/web is set aside because aggregating it stopped the process twice (timeout or out of memory); ${AGAIN}, or of up to five minutes if its Bindings or their StatusCollectors have changed; simplify the most expensive StatusCollectors: ${work}; ${work}; or reduce the size of its statuses in the WECs; it read as the largest: wec1 (7 bytes), wec2 (5 bytes)`,
  );
});

it('says that a Binding or a StatusCollector is set aside', () => {
  expect(OWN_ASIDE).toBe(
    `set aside because evaluating it stopped the process twice (timeout or out of memory); ${AGAIN}, or of up to five minutes if it has changed; reduce the size of its spec, or simplify its expressions`,
  );
  expect(isOwnAside(OWN_ASIDE)).toBe(true);
});
