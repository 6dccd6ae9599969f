import { beforeEach, describe, expect, it } from 'vitest';
import { heldReviews } from '#shared/api/held-reviews.ts';
import { Reviews } from '#shared/api/reviews.ts';
import { createTokenUsers } from '#shared/api/token-users.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';

const REF = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  namespace: '',
  name: '',
};
const TIMEOUT_MS = 10_000;
const HANGING = new ApiUnavailableError('create', 'no answer within 10000 ms');
const BROKEN = new ApiUnavailableError('create', 'HTTP 500', { status: 500 });
const REFUSED = new ApiUnavailableError('create', 'ECONNREFUSED');
const ALICE = { username: 'alice', uid: '', groups: [], extra: {} };

let now: number;
let asked: number;
/** What happens to the next reviews: an error after some time. After that, they are answered. */
let outcomes: (readonly [error: unknown, ms: number])[];
let api: Pick<ObjectApi, 'create'>;

beforeEach(() => {
  now = 0;
  asked = 0;
  outcomes = [];
  api = {
    async create(_ref, object) {
      asked += 1;
      const [error, ms] = outcomes.shift() ?? [undefined, 0];
      now += ms;
      if (error !== undefined) throw error;
      return { ...object, status: { allowed: true } };
    },
  };
});

function outcomesOf(count: number): Promise<readonly unknown[]> {
  return (async () => {
    const found: unknown[] = [];
    for (let one = 0; one < count; one += 1)
      found.push(
        await held.create(REF, {}).then(
          () => 'answered',
          (error: unknown) => error,
        ),
      );
    return found;
  })();
}

let held: Pick<ObjectApi, 'create'>;
beforeEach(() => {
  held = heldReviews({ create: (...review) => api.create(...review) }, () => now);
});

describe('reviews', () => {
  it('fail at once while the API server is known to hang, and one is tried after a time', async () => {
    outcomes = [
      [HANGING, TIMEOUT_MS],
      [HANGING, TIMEOUT_MS],
    ];
    expect(await outcomesOf(3)).toEqual([HANGING, HANGING, HANGING]);
    expect({ asked, now }).toEqual({ asked: 1, now: TIMEOUT_MS });
    now += 5_000;
    expect(await outcomesOf(2)).toEqual([HANGING, HANGING]);
    expect(asked).toBe(2);
    now += 5_000;
    expect(await outcomesOf(2)).toEqual(['answered', 'answered']);
  });

  it('are not tried while another one is', async () => {
    outcomes = [[HANGING, TIMEOUT_MS]];
    await outcomesOf(1);
    now += 5_000;
    const both = await Promise.allSettled([held.create(REF, {}), held.create(REF, {})]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it.each([
    ['an answer', BROKEN, TIMEOUT_MS],
    ['a connection that is refused', REFUSED, 3],
    ['an error of this program', new TypeError('x'), TIMEOUT_MS],
  ])('go on after %s', async (_what, error, ms) => {
    outcomes = [[error, ms]];
    expect(await outcomesOf(2)).toEqual([error, 'answered']);
  });

  it('of many resources wait for one timeout, with the cause', async () => {
    outcomes = Array.from({ length: 200 }, () => [HANGING, TIMEOUT_MS] as const);
    const reviews = new Reviews(api, () => now);
    for (let index = 0; index < 100; index += 1) {
      const access = { verb: 'get', group: '', resource: `r${index}`, namespace: '', name: '' };
      await expect(reviews.allows(ALICE, access)).rejects.toMatchObject({
        code: 503,
        message: expect.stringContaining('no answer within 10000 ms'),
      });
    }
    expect({ asked, now }).toEqual({ asked: 1, now: TIMEOUT_MS });
  });

  it('of many tokens wait for one timeout', async () => {
    outcomes = Array.from({ length: 9 }, () => [HANGING, TIMEOUT_MS] as const);
    const user = createTokenUsers(api, () => now);
    for (const token of ['a', 'b', 'c'])
      await expect(user(`Bearer ${token}`)).rejects.toMatchObject({ code: 503 });
    expect(asked).toBe(1);
  });
});
