import { beforeEach, describe, expect, it } from 'vitest';
import { createSweepStale } from '#functions/sweep-stale/lambda.ts';
import { publishWorkloads } from '#functions/sweep-stale/publish-workloads.ts';
import { localContext } from '#local/stack/poller.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry, type MemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { putJudged, workloadNamed } from '#test/unit/state/named-workloads.ts';

let store: ItemStore;
let telemetry: MemoryTelemetry;

beforeEach(() => {
  store = createMemoryItemStore();
  telemetry = createMemoryTelemetry();
});

const countedWdses = ['wds1'];
const gauge = (verdict: string, objects: number) => ({
  ...{ wds: 'wds1', resource: 'deployments.apps', verdict, objects },
});

describe('the counts of workload objects', () => {
  it('are published with each count, and 0 once for a verdict that no object has any more', async () => {
    await putJudged(store, workloadNamed('a'), 'Degraded');
    await putJudged(store, workloadNamed('b'), 'Healthy');
    const run = () => publishWorkloads({ store, telemetry, countedWdses });
    await run();
    await putJudged(store, workloadNamed('a'), 'Healthy');
    await run();
    await run();
    expect(telemetry.gauges).toEqual([
      ...[gauge('Degraded', 1), gauge('Healthy', 1)],
      ...[gauge('Healthy', 2), gauge('Degraded', 0)],
      gauge('Healthy', 2),
    ]);
  });

  it('of many objects are published when the last invocation has found all of them', async () => {
    for (let index = 0; index < 1_100; index += 1)
      await putJudged(store, workloadNamed(`w${index}`), 'Healthy');
    const run = () => publishWorkloads({ store, telemetry, countedWdses, mostCounted: 500 });
    await run();
    await run();
    expect(telemetry.gauges).toEqual([]);
    await run();
    expect(telemetry.gauges).toEqual([gauge('Healthy', 1_100)]);
    await run();
    await run();
    await run();
    expect(telemetry.gauges).toEqual([gauge('Healthy', 1_100), gauge('Healthy', 1_100)]);
  });

  it('are published again if the process crashes before it stores that they were', async () => {
    await putJudged(store, workloadNamed('a'), 'Degraded');
    const run = (over: typeof store) => publishWorkloads({ store: over, telemetry, countedWdses });
    await run(store);
    await putJudged(store, workloadNamed('a'), 'Healthy');
    const crashing = {
      ...store,
      put: () => Promise.reject(new StoreUnavailableError('put')),
    };
    await expect(run(crashing)).rejects.toThrow(StoreUnavailableError);
    await run(store);
    const ended = [gauge('Healthy', 1), gauge('Degraded', 0)];
    expect(telemetry.gauges).toEqual([gauge('Degraded', 1), ...ended, ...ended]);
  });

  it('of a WDS are published even if those of another one cannot be read', async () => {
    await putJudged(store, workloadNamed('a'), 'Healthy');
    const failing: typeof store = {
      ...store,
      query: (query) =>
        query.pk === 'N#wds0'
          ? Promise.reject(new StoreUnavailableError('query'))
          : store.query(query),
    };
    const deps = { store: failing, telemetry, countedWdses: ['wds0', 'wds1'] };
    await expect(publishWorkloads(deps)).rejects.toThrow(StoreUnavailableError);
    expect(telemetry.gauges).toEqual([gauge('Healthy', 1)]);
  });

  it('cost no call if no WDS is counted', async () => {
    const unused = { get: fail, query: fail, put: fail, delete: fail };
    await publishWorkloads({ store: unused, telemetry });
    expect(telemetry.gauges).toEqual([]);
  });

  it('are a task of the function, which the schedule names', async () => {
    await putJudged(store, workloadNamed('a'), 'Healthy');
    const { observability } = createObservedOutput();
    const sent = { dirty: new SentMessages(), hints: new SentMessages() };
    const handler = createSweepStale(
      {
        ...{ store, ...sent, telemetry, countedWdses },
        ...{ routes: [], principal: 'AROA', clock: () => 0 },
      },
      observability,
    );
    await handler({ task: 'count' }, localContext('sweep-stale', 'request-1'));
    expect(telemetry.gauges).toEqual([gauge('Healthy', 1)]);
  });
});

function fail(): never {
  throw new Error('a call');
}
