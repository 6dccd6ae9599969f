import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { ABORTED } from '#shared/adapters/kubernetes/messages.ts';
import { createRateLimit, type RateLimit } from '#shared/adapters/kubernetes/rate-limit.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

describe('a rate limit', () => {
  let released: string[];

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    released = [];
  });

  afterEach(() => void vi.useRealTimers());

  /** Asks for so many, and notes the number of each one that is let out or refused. */
  function ask(limit: RateLimit, count: number, signal?: AbortSignal): void {
    for (let index = 0; index < count; index += 1)
      limit(signal).then(
        () => released.push(String(index)),
        () => released.push(`aborted ${index}`),
      );
  }

  it('lets a burst go at once and then so many in a second, first come first served', async () => {
    ask(createRateLimit({ qps: 10, burst: 3 }), 8);
    await vi.advanceTimersByTimeAsync(0);
    expect(released).toEqual(['0', '1', '2']);
    await vi.advanceTimersByTimeAsync(99);
    expect(released).toHaveLength(3);
    // One timer serves all who wait.
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(released).toEqual(['0', '1', '2', '3']);
    await vi.advanceTimersByTimeAsync(200);
    expect(released).toEqual(['0', '1', '2', '3', '4', '5']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(released).toHaveLength(8);
  });

  it('lets nobody pass who comes while others wait', async () => {
    const limit = createRateLimit({ qps: 10, burst: 1 });
    ask(limit, 2);
    await vi.advanceTimersByTimeAsync(50);
    void limit(undefined).then(() => released.push('late'));
    await vi.advanceTimersByTimeAsync(60);
    expect(released).toEqual(['0', '1']);
    await vi.advanceTimersByTimeAsync(100);
    expect(released).toEqual(['0', '1', 'late']);
  });

  it('fills up again to the burst and no further', async () => {
    const limit = createRateLimit({ qps: 10, burst: 2 });
    ask(limit, 2);
    await vi.advanceTimersByTimeAsync(3_600_000);
    released = [];
    ask(limit, 4);
    await vi.advanceTimersByTimeAsync(0);
    expect(released).toEqual(['0', '1']);
  });

  it('drops who is aborted while he waits, without a token for him', async () => {
    const limit = createRateLimit({ qps: 10, burst: 1 });
    const aborting = new AbortController();
    ask(limit, 1);
    ask(limit, 2, aborting.signal);
    void limit(undefined).then(() => released.push('last'));
    await vi.advanceTimersByTimeAsync(10);
    aborting.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(released).toEqual(['0', 'aborted 0', 'aborted 1']);
    await vi.advanceTimersByTimeAsync(95);
    expect(released.at(-1)).toBe('last');
  });

  it('leaves nothing behind on a signal that lives on', async () => {
    const limit = createRateLimit({ qps: 10, burst: 1 });
    const { signal } = new AbortController();
    ask(limit, 3, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(released).toHaveLength(3);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects a request that is already aborted, and keeps its token', async () => {
    const limit = createRateLimit({ qps: 10, burst: 1 });
    ask(limit, 1, AbortSignal.abort());
    ask(limit, 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(released).toEqual(['aborted 0', '0']);
  });

  it('continues when all waiting requests have been aborted', async () => {
    const limit = createRateLimit({ qps: 10, burst: 1 });
    const aborting = new AbortController();
    ask(limit, 1);
    ask(limit, 1, aborting.signal);
    aborting.abort();
    await vi.advanceTimersByTimeAsync(1000);
    released = [];
    ask(limit, 2);
    await vi.advanceTimersByTimeAsync(101);
    expect(released).toEqual(['0', '1']);
  });
});

describe('a connection with a rate limit', () => {
  const PODS = { group: '', version: 'v1', resource: 'pods' };
  const WEB = { ...PODS, namespace: 'default', name: 'web' };
  const OPTIONS = { requestTimeoutMs: 5000, fieldManager: 'starfold' };
  /** After the burst nothing goes out for as long as a test lasts. */
  const SLOW = { qps: 0.0001, burst: 2 };

  let server: HttpApiServer;

  beforeEach(async () => {
    server = await startHttpApiServer();
    server.answer = (_request, response) => json(response, { metadata: { resourceVersion: '1' } });
  });

  afterEach(() => server.close());

  const connect = (rateLimit: RateLimit): ObjectApi & ResourceApi =>
    createKubernetesApi(server.kubeConfig(), { ...OPTIONS, rateLimit });

  it('holds back reads, lists and watches, and reports an abort', async () => {
    const api = connect(createRateLimit(SLOW));
    await api.get(WEB);
    await api.list(PODS, {});
    const aborting = new AbortController();
    const { signal } = aborting;
    const outcomes = Promise.allSettled([
      api.get(WEB, signal),
      api.list(PODS, {}, signal),
      api.watch(PODS, { resourceVersion: '1', onEvent: () => undefined }, signal),
    ]);
    await createKubernetesApi(server.kubeConfig(), OPTIONS).get({ ...WEB, name: 'lease' });
    aborting.abort();
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { message: expect.stringContaining(ABORTED) } },
      { status: 'rejected', reason: { message: expect.stringContaining(ABORTED) } },
      // A watch that is aborted just ends.
      { status: 'fulfilled' },
    ]);
    expect(server.requests.map(({ line }) => line)).toEqual([
      'GET /api/v1/namespaces/default/pods/web',
      'GET /api/v1/pods?limit=500',
      // One without the limit does not wait behind the others.
      'GET /api/v1/namespaces/default/pods/lease',
    ]);
  });

  it('does not count the wait as time of the answer', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const api = createKubernetesApi(server.kubeConfig(), {
      ...OPTIONS,
      requestTimeoutMs: 1000,
      rateLimit: () => opened,
    });
    setTimeout(open, 1500);
    await expect(api.get(WEB)).resolves.toBeDefined();
  });

  it('takes a token for each page, and for what is asked again after a 406', async () => {
    let asked = 0;
    const api = connect(async () => {
      asked += 1;
    });
    server.answer = ({ headers }, response) =>
      json(
        response,
        { metadata: { resourceVersion: '1' } },
        headers.accept?.includes('as=') ? 406 : 200,
      );
    await api.list(PODS, { metadataOnly: true });
    expect(asked).toBe(2);
  });
});
