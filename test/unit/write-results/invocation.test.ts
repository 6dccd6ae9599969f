import { describe, expect, it } from 'vitest';
import { noFleet } from '#functions/write-results/deps.ts';
import { createInvocation } from '#functions/write-results/invocation.ts';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { CHECK_WDSES, type CheckWdsesDeps } from '#shared/doctor/check-wdses.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

const CONTEXT = localContext('write-results', 'request-1');

describe('an invocation of write-results', () => {
  it('is either messages of its queue or the question of starfold doctor, asked again each time', async () => {
    let isDown = true;
    const connected: boolean[] = [];
    const check = (): CheckWdsesDeps => {
      const wasDown = isDown;
      connected.push(wasDown);
      const create = async () => {
        if (wasDown) throw new ApiUnavailableError('WDS wds1: create', 'down');
        return { status: { allowed: true } };
      };
      const wds = () => ({ get: async () => undefined, create });
      return {
        store: createMemoryItemStore(),
        self: { identity: 'mine', runsAs: 'a test' },
        wdses: ['wds1'],
        wds,
        upstreams: [],
        fleet: noFleet,
      };
    };
    const written = { batchItemFailures: [] };
    const { observability } = createObservedOutput();
    const handler = createInvocation(async () => written, check, observability);
    expect(await handler(CHECK_WDSES, CONTEXT)).toMatchObject([{ reachable: false }]);
    isDown = false;
    expect(await handler(CHECK_WDSES, CONTEXT)).toMatchObject([{ reachable: true }]);
    expect(await handler(sqsEvent('hints', []), CONTEXT)).toBe(written);
    expect(connected).toEqual([true, false]);
  });
});
