import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { ApiUnavailableError, ResourceExpiredError } from '#shared/errors.ts';
import { countedStatus } from '#test/bench/recorded-deployment.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { Latency } from '#test/soak/latency.ts';
import { DEPLOYMENTS, refOf } from '#test/soak/objects.ts';

let cluster: FakeCluster;
let latency: Latency;
let stopping: AbortController;
let followed: Promise<void>;

function deployment(index: number, counter: number): JsonObject {
  const { namespace, name } = refOf(index);
  return { metadata: { namespace, name }, status: countedStatus(1, counter) };
}

/** Whether the first change of all has been shown. */
function isShown(): boolean {
  return !Number.isNaN(latency.quantile(0.5));
}

function calls(call: string): number {
  return cluster.calls.filter((one) => one === `${call} apps/deployments`).length;
}

beforeEach(async () => {
  cluster = new FakeCluster();
  cluster.serve({ ...DEPLOYMENTS, kind: 'Deployment', namespaced: true, statusSubresource: true });
  latency = new Latency();
  stopping = new AbortController();
  followed = latency.follow(cluster, stopping.signal);
  await vi.waitFor(() => expect(calls('watch')).toBe(1), { timeout: 30_000 });
});

afterEach(async () => {
  stopping.abort();
  await followed;
});

it('a change counts as shown when the watch returns its counter or a later one', async () => {
  latency.changed(3, 7);
  cluster.put(DEPLOYMENTS, deployment(3, 6));
  expect(isShown()).toBe(false);
  cluster.put(DEPLOYMENTS, deployment(3, 8));
  expect(isShown()).toBe(true);
});

it.each([
  new ResourceExpiredError('watch deployments.apps/v1'),
  new ApiUnavailableError('watch deployments.apps/v1', 'reset'),
])('after a watch that failed everything is listed again: %s', async (error) => {
  latency.changed(3, 7);
  cluster.failure = error;
  cluster.disconnect(error);
  await vi.waitFor(() => expect(calls('list')).toBeGreaterThan(2), { timeout: 30_000 });
  // What happens meanwhile comes in the list alone.
  cluster.put(DEPLOYMENTS, deployment(3, 7));
  cluster.compact();
  cluster.failure = undefined;
  await vi.waitFor(() => expect(isShown()).toBe(true), { timeout: 30_000 });
});
