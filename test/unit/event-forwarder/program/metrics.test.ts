import { describe, expect, it } from 'vitest';
import {
  createMetrics,
  type ForwarderMetrics,
} from '#functions/event-forwarder/program/metrics.ts';
import type { ProgramStatus } from '#functions/event-forwarder/program/status.ts';
import { forwarderState, leading, reflectorState, STARTED } from './states.ts';

interface Parsed {
  /** By name and labels, as they stand in the text. */
  readonly samples: ReadonlyMap<string, number>;
  readonly types: ReadonlyMap<string, string>;
  readonly helps: ReadonlySet<string>;
}

const COMMENT = /^# (HELP|TYPE) (\w+) (.+)$/;
/** A value is what Go's ParseFloat takes, also `Nan`. */
const SAMPLE = /^(\w+(?:\{.*\})?) (-?[\d.]+(?:e[+-]?\d+)?|[Nn]a[Nn])$/;

/** Reads Prometheus' text format; throws where a line is none of it. */
async function parsed(metrics: ForwarderMetrics): Promise<Parsed> {
  const lines = (await metrics.text()).text.split('\n').filter((line) => line !== '');
  const comments = lines.filter((line) => line.startsWith('#')).map((line) => COMMENT.exec(line));
  const values = lines.filter((line) => !line.startsWith('#')).map((line) => SAMPLE.exec(line));
  if (comments.includes(null) || values.includes(null)) throw new Error(lines.join('\n'));
  const ofKind = (kind: string) =>
    comments
      .filter((match) => match?.[1] === kind)
      .map((match): [string, string] => [match?.[2] ?? '', match?.[3] ?? '']);
  return {
    samples: new Map(
      values.map((match) => [
        match?.[1]?.replace('starfold_forwarder_', '') ?? '',
        Number(match?.[2]),
      ]),
    ),
    types: new Map(ofKind('TYPE')),
    helps: new Set(ofKind('HELP').map(([name]) => name)),
  };
}

function start(status: ProgramStatus): ForwarderMetrics {
  return createMetrics({ status: () => status, clock: () => 50_000 });
}

function counted(
  resource: string,
  counts: { listings: number; watches: number; failures: number },
) {
  return forwarderState({ resources: new Map([[resource, reflectorState(counts)]]), tooLarge: 2 });
}

describe('the metrics', () => {
  it('are named by the conventions: a prefix, base units, total for counters, a help for each', async () => {
    const { types, helps } = await parsed(start(STARTED));
    const own = [...types].filter(([name]) => name.startsWith('starfold_forwarder_'));
    expect(own.length).toBeGreaterThan(15);
    for (const [name, type] of own) {
      expect(helps).toContain(name);
      expect(name.endsWith('_total')).toBe(type === 'counter');
    }
    expect(types.get('process_cpu_seconds_total')).toBe('counter');
  });

  it('say what the forwarder of a leader has to do', async () => {
    const { samples } = await parsed(
      start(leading({ unsent: 4, unsentSince: 47_500, objects: 9 })),
    );
    expect(Object.fromEntries(samples)).toMatchObject({
      leader: 1,
      epoch: 7,
      unsent_events: 4,
      objects: 9,
      behind_seconds: 2.5,
    });
  });

  it('say that a standby does nothing', async () => {
    const { samples } = await parsed(start(STARTED));
    const zero = { leader: 0, epoch: 0, unsent_events: 0, objects: 0, behind_seconds: 0 };
    expect(Object.fromEntries(samples)).toMatchObject(zero);
  });

  it('count what the queue has accepted, and what not', async () => {
    const metrics = start(STARTED);
    const events = { 'wec-object': 3, 'fleet-object': 2, heartbeat: 1, snapshot: 1 };
    metrics.sent({ events, messages: 1, milliseconds: 40 });
    metrics.sent({ events: { heartbeat: 1 }, messages: 1, milliseconds: 400 });
    metrics.sendFailed();
    const { samples } = await parsed(metrics);
    expect(Object.fromEntries(samples)).toMatchObject({
      'events_sent_total{type="wec-object"}': 3,
      'events_sent_total{type="wds-object"}': 0,
      'events_sent_total{type="fleet-object"}': 2,
      'events_sent_total{type="heartbeat"}': 2,
      'events_sent_total{type="snapshot"}': 1,
      batches_sent_total: 2,
      snapshots_total: 1,
      heartbeats_total: 2,
      send_failures_total: 1,
      'send_duration_seconds_bucket{le="0.05"}': 1,
      send_duration_seconds_count: 2,
      last_successful_send_timestamp_seconds: 50,
    });
  });

  it('count watches and listings after the first ones, by resource, also those of a new reflector', async () => {
    const metrics = start(STARTED);
    const jobs = 'jobs.batch/v1';
    metrics.observe(counted(jobs, { listings: 1, watches: 1, failures: 0 }));
    metrics.observe(counted(jobs, { listings: 3, watches: 5, failures: 2 }));
    metrics.observe(counted(jobs, { listings: 3, watches: 5, failures: 2 }));
    metrics.observe(counted(jobs, { listings: 2, watches: 1, failures: 1 }));
    const { samples } = await parsed(metrics);
    expect(Object.fromEntries(samples)).toMatchObject({
      'relists_total{resource="jobs.batch/v1"}': 3,
      'watch_restarts_total{resource="jobs.batch/v1"}': 4,
      'watch_errors_total{resource="jobs.batch/v1"}': 3,
      too_large_events_total: 2,
    });
  });

  it('continue counting in the next term', async () => {
    const metrics = start(STARTED);
    for (let term = 0; term < 2; term += 1) {
      metrics.termBegan();
      metrics.observe(counted('jobs.batch/v1', { listings: 2, watches: 2, failures: 1 }));
    }
    const { samples } = await parsed(metrics);
    expect(samples.get('relists_total{resource="jobs.batch/v1"}')).toBe(2);
    expect(samples.get('too_large_events_total')).toBe(4);
  });

  it('take the state of the forwarder that runs at each look', async () => {
    const resources = new Map([['jobs.batch/v1', reflectorState({ watches: 4 })]]);
    const metrics = start(leading({ resources }));
    await metrics.text();
    const { samples } = await parsed(metrics);
    expect(samples.get('watch_restarts_total{resource="jobs.batch/v1"}')).toBe(3);
  });
});
