import { describe, expect, it } from 'vitest';
import { changeEvent } from '#shared/core/notification/change-event.ts';
import {
  ACCEPTED,
  isSameState,
  refusalState,
  type Topic,
  type TopicState,
  topicText,
} from '#shared/core/notification/topic.ts';

const WORKLOAD = {
  wds: 'wds1',
  group: 'apps',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
};
const VERDICT: Topic = { type: 'verdict', workload: WORKLOAD };
const SILENCE: Topic = { type: 'silence', wec: 'edge1' };
const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

interface Pair {
  readonly what: string;
  readonly states: readonly [TopicState, TopicState];
  readonly isSame: boolean;
}

describe('two states', () => {
  it.each<Pair>([
    { what: 'messages', states: [{ status: 'A', message: 'x' }, { status: 'A' }], isSame: true },
    { what: 'statuses', states: [{ status: 'A' }, { status: 'B' }], isSame: false },
    { what: 'rejections', states: [refusalState(['x']), refusalState(['y'])], isSame: false },
    { what: 'lists', states: [refusalState(['x']), refusalState(['x'])], isSame: true },
    { what: 'empty lists', states: [refusalState([]), ACCEPTED], isSame: true },
  ])('with other $what: the same $isSame', ({ states, isSame }) => {
    expect(isSameState(...states)).toBe(isSame);
  });
});

describe('a topic', () => {
  it('has a text of its own', () => {
    const refusals: Topic = { type: 'refusals', workload: WORKLOAD };
    expect([VERDICT, refusals, SILENCE].map(topicText)).toEqual([
      'verdict /wds/wds1 apps/deployments/shop/web',
      'refusals /wds/wds1 apps/deployments/shop/web',
      'silence /wec/edge1 edge1',
    ]);
  });
});

describe('the event of a change', () => {
  it('is a CloudEvent about a verdict', () => {
    const state = { status: 'Degraded', message: 'why' };
    expect(changeEvent({ topic: VERDICT, previous: 'Healthy', state, sequence: 3, nowMs })).toEqual(
      {
        specversion: '1.0',
        type: 'dev.starfold.verdict.changed.v1',
        source: '/wds/wds1',
        subject: 'apps/deployments/shop/web',
        time: '2026-01-02T03:04:05Z',
        sequence: '0000000000000003',
        datacontenttype: 'application/json',
        data: { workload: WORKLOAD, status: 'Degraded', previous: 'Healthy', message: 'why' },
      },
    );
  });

  it('is a CloudEvent about a silent WEC', () => {
    const state = { status: 'Silent', lastContact: '2026-01-01T00:00:00Z' };
    const event = changeEvent({ topic: SILENCE, previous: 'Reporting', state, sequence: 1, nowMs });
    expect(event).toMatchObject({
      type: 'dev.starfold.silence.changed.v1',
      source: '/wec/edge1',
      subject: 'edge1',
    });
    expect(event['data']).toEqual({
      wec: 'edge1',
      status: 'Silent',
      previous: 'Reporting',
      lastContact: '2026-01-01T00:00:00Z',
    });
  });

  it('has bounded texts, also about what was rejected', () => {
    const refused = Array.from({ length: 101 }, () => 'x'.repeat(2_000));
    const state = { ...refusalState(refused), message: 'm'.repeat(2_000) };
    const topic: Topic = { type: 'refusals', workload: WORKLOAD };
    const event = changeEvent({ topic, previous: 'Accepted', state, sequence: 1, nowMs });
    const data = event['data'] as { message: string; refused: string[] };
    expect(data.message).toHaveLength(1_001);
    expect(data.refused).toHaveLength(101);
    expect(data.refused[0]).toHaveLength(1_001);
    expect(data.refused.at(-1)).toBe('and 1 more errors');
  });
});
