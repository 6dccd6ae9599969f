import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { cannotListen } from '#local/intake/messages.ts';
import { METRICS_ANSWERS } from '#local/start/messages.ts';
import { createStackMetrics, MetricsError, serveMetrics } from '#local/start/metrics.ts';
import type { WorkloadCount } from '#shared/core/health/workload-counts.ts';

const HEALTHY = { resource: 'deployments.apps', verdict: 'Healthy', objects: 3 };
const DEGRADED = { resource: 'deployments.apps', verdict: 'Degraded', objects: 1 };

function stackWith(counts: readonly WorkloadCount[]) {
  const state = { counts, nowMs: 0, counted: 0, error: undefined as Error | undefined };
  const parts = {
    wds: 'wds1',
    stack: {
      backlog: async () => ({ events: 2, 'events-dlq': 1 }),
      silentSince: async () => new Map([['wec1', '2026-01-01T00:00:00Z']]),
      countSetAside: async () => 2,
      countWorkloads: async () => {
        state.counted += 1;
        if (state.error !== undefined) throw state.error;
        return state.counts;
      },
    },
    onError: (text: string) => errors.push(text),
    clock: () => state.nowMs,
  };
  const errors: string[] = [];
  return { state, parts, errors };
}

/** The lines of Starfold's own metrics. */
function ownLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('starfold_'));
}

describe('the metrics of the embedded stack', () => {
  it('show workload objects by verdict, waiting messages and silent WECs; no WEC is named', async () => {
    const registry = createStackMetrics(stackWith([HEALTHY, DEGRADED]).parts);
    expect(ownLines(await registry.metrics())).toEqual([
      'starfold_workloads{wds="wds1",resource="deployments.apps",verdict="Degraded"} 1',
      'starfold_workloads{wds="wds1",resource="deployments.apps",verdict="Healthy"} 3',
      'starfold_queue_messages{queue="events"} 2',
      'starfold_queue_messages{queue="events-dlq"} 1',
      'starfold_silent_wecs 1',
      'starfold_subjects_set_aside 2',
    ]);
  });

  it('no longer have a verdict that no object has any more', async () => {
    const { state, parts } = stackWith([HEALTHY, DEGRADED]);
    const registry = createStackMetrics(parts);
    await registry.metrics();
    Object.assign(state, { counts: [HEALTHY], nowMs: 10_000 });
    expect(await registry.metrics()).not.toMatch(/Degraded/);
  });

  it('count the objects once for the scrapes of ten seconds, and again after an error', async () => {
    const { state, parts } = stackWith([HEALTHY]);
    const registry = createStackMetrics(parts);
    await Promise.all([registry.metrics(), registry.metrics()]);
    state.nowMs = 9_999;
    await registry.metrics();
    expect(state.counted).toBe(1);
    Object.assign(state, { nowMs: 10_000, error: new Error('disk') });
    await expect(registry.metrics()).rejects.toThrow('disk');
    state.error = undefined;
    await registry.metrics();
    expect(state.counted).toBe(3);
  });

  it('have no workload objects without a WDS', async () => {
    const { parts, state } = stackWith([HEALTHY]);
    const text = await createStackMetrics({ ...parts, wds: undefined }).metrics();
    expect(ownLines(text).filter((line) => line.startsWith('starfold_workloads'))).toEqual([]);
    expect(state.counted).toBe(0);
  });
});

describe('the server of the metrics', () => {
  const ANY = { host: '127.0.0.1', port: 0 };

  it('answers GET and HEAD of /metrics, and nothing else', async () => {
    const server = await serveMetrics(ANY, stackWith([HEALTHY]).parts);
    try {
      const answer = await fetch(server.url);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(await answer.text()).toContain('starfold_workloads{');
      const head = await fetch(server.url, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect((await fetch(server.url, { method: 'POST' })).status).toBe(405);
      expect((await fetch(new URL('/', server.url))).status).toBe(404);
    } finally {
      await server.stop();
    }
  });

  it.each([
    ['a page whose name resolves to this machine', { host: 'evil.example' }],
    ['a page of another site', { origin: 'https://evil.example' }],
  ])('does not answer %s on an address of this machine alone', async (_what, headers) => {
    const server = await serveMetrics(ANY, stackWith([HEALTHY]).parts);
    try {
      const sent = request(server.url, { headers });
      sent.end();
      const [answer] = await once(sent, 'response');
      expect(answer.statusCode).toBe(403);
      answer.resume();
    } finally {
      await server.stop();
    }
  });

  it('answers 500 if the metrics cannot be read, and says why where the user looks', async () => {
    const { state, parts, errors } = stackWith([]);
    state.error = new Error('disk');
    const server = await serveMetrics(ANY, parts);
    try {
      const answer = await fetch(server.url);
      expect([answer.status, await answer.text()]).toEqual([
        500,
        `${METRICS_ANSWERS.unreadable}\n`,
      ]);
      expect(errors).toEqual(['disk']);
    } finally {
      await server.stop();
    }
  });

  it('names the address, the problem and the option if it cannot listen', async () => {
    const first = await serveMetrics(ANY, stackWith([]).parts);
    try {
      const port = Number(new URL(first.url).port);
      const second = serveMetrics({ ...ANY, port }, stackWith([]).parts);
      await expect(second).rejects.toThrow(MetricsError);
      await expect(second).rejects.toThrow(
        cannotListen({ ...ANY, port }, '--metrics', { code: 'EADDRINUSE' }),
      );
    } finally {
      await first.stop();
    }
  });
});
