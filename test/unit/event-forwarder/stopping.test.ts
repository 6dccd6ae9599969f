import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ForwarderSource } from '#functions/event-forwarder/forwarder-options.ts';
import { anObject, ForwarderBench } from './forwarder-bench.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const WEC: ForwarderSource = {
  type: 'wec',
  name: 'edge-1',
  wds: 'wds1',
  resources: [DEPLOYMENTS],
};
const FLUSH_MS = 20_000;

let bench: ForwarderBench;

beforeEach(() => {
  bench = new ForwarderBench();
  bench.serve(DEPLOYMENTS);
});

afterEach(async () => {
  await bench.stop();
});

/** Whether the promise is fulfilled after so much time. */
async function endsWithin(ended: Promise<void>, ms: number): Promise<boolean> {
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  await bench.time.advance(ms);
  return isEnded;
}

it.each([0, 200, 60_000])(
  'sends what is unsent when it is stopped, without waiting for the window of %i ms',
  async (windowMs) => {
    const forwarder = bench.start(WEC, { config: { windowMs } });
    await bench.sent(120_000);
    bench.cluster.put(DEPLOYMENTS, anObject('web'));
    expect(await endsWithin(forwarder.stop(FLUSH_MS), 0)).toBe(true);
    expect(await bench.said()).toEqual(['edge-1 deployments/web!']);
  },
);

it('sends nothing more when it is stopped without time for it', async () => {
  const forwarder = bench.start(WEC);
  await bench.sent();
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
  await forwarder.stop();
  expect(await bench.sent(60_000)).toEqual([]);
});

it('tries for as long as it is given while the queue is down, and no longer', async () => {
  const forwarder = bench.start(WEC);
  await bench.sent();
  bench.queue.mode = 'lost';
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
  const ended = forwarder.stop(FLUSH_MS);
  expect(await endsWithin(ended, FLUSH_MS - 1)).toBe(false);
  expect(bench.queue.sends.length).toBeGreaterThan(3);
  expect(await endsWithin(ended, 1)).toBe(true);
  const { length } = bench.queue.sends;
  await bench.time.advance(60_000);
  expect(bench.queue.sends).toHaveLength(length);
});

it('ends in time also when the queue does not answer at all', async () => {
  const forwarder = bench.start(WEC);
  await bench.sent();
  bench.queue.mode = 'late';
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
  await bench.time.advance(1000);
  bench.cluster.put(DEPLOYMENTS, anObject('api'));
  const ended = forwarder.stop(FLUSH_MS);
  expect(await endsWithin(ended, FLUSH_MS - 1)).toBe(false);
  expect(await endsWithin(ended, 1)).toBe(true);
});

it('sends what is unsent when the queue returns in time', async () => {
  const forwarder = bench.start(WEC);
  await bench.sent();
  bench.queue.mode = 'lost';
  for (const name of ['web', 'api']) bench.cluster.put(DEPLOYMENTS, anObject(name));
  const ended = forwarder.stop(FLUSH_MS);
  expect(await endsWithin(ended, 2000)).toBe(false);
  bench.queue.mode = 'accept';
  expect(await endsWithin(ended, 5000)).toBe(true);
  expect(await bench.said()).toEqual(['edge-1 deployments/web!', 'edge-1 deployments/api!']);
});

it('says nothing while it does not lead, also when it is stopped, and all of it when it leads again', async () => {
  let leads = false;
  const isLeading = (): boolean => leads;
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
  bench.start(WEC, { isLeading });
  expect(await bench.sent(5 * 60_000)).toEqual([]);
  expect(bench.queue.sends).toEqual([]);
  leads = true;
  expect(await bench.said(1000)).toEqual(['edge-1 deployments/web!', 'edge-1 snapshot']);
  leads = false;
  bench.cluster.put(DEPLOYMENTS, anObject('api'));
  expect(await bench.sent()).toEqual([]);
  const another = bench.start(WEC, { isLeading });
  await bench.time.advance(1000);
  expect(await endsWithin(another.stop(FLUSH_MS), FLUSH_MS)).toBe(true);
  expect(await bench.sent()).toEqual([]);
});

it('does not follow the cluster anymore once it is stopped', async () => {
  const forwarder = bench.start(WEC);
  await bench.sent();
  await bench.time.settle();
  expect(await endsWithin(forwarder.stop(FLUSH_MS), 0)).toBe(true);
  const { length } = bench.cluster.calls;
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
  expect(await bench.sent(24 * 60 * 60_000)).toEqual([]);
  expect(bench.cluster.calls).toHaveLength(length);
});

it('does not wait for the end of a long backoff when it is stopped', async () => {
  const forwarder = bench.start(WEC);
  await bench.sent();
  bench.queue.mode = 'lost';
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
  await bench.time.advance(10 * 60_000);
  bench.queue.mode = 'accept';
  expect(await endsWithin(forwarder.stop(FLUSH_MS), 0)).toBe(true);
  expect(await bench.said()).toEqual(['edge-1 deployments/web!']);
});

it('counts what it is trying to send as unsent, since it was first to be sent', async () => {
  const forwarder = bench.start(WEC);
  await bench.sent();
  expect(forwarder.state()).toMatchObject({ unsent: 0 });
  bench.queue.mode = 'lost';
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
  const since = bench.time.clock();
  // Shorter than the interval of heartbeats, which would be unsent as well.
  await bench.time.advance(5_000);
  expect(forwarder.state()).toMatchObject({ unsent: 1, unsentSince: since });
  bench.cluster.put(DEPLOYMENTS, anObject('api'));
  await bench.time.advance(5_000);
  expect(forwarder.state()).toMatchObject({ unsent: 2, unsentSince: since });
  bench.queue.mode = 'accept';
  await bench.time.advance(60_000);
  expect(forwarder.state().unsent).toBe(0);
  expect(forwarder.state().unsentSince).toBeUndefined();
});
