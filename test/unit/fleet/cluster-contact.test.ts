import { describe, expect, it } from 'vitest';
import { clusterContact, silenceText } from '#shared/core/fleet/cluster-contact.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { cluster } from './fixtures/objects.ts';
import { NOW_MS } from './known-fleet.ts';

function seen(lastSeen: JsonValue): ReturnType<typeof cluster> {
  return cluster({ status: { agent: { lastSeen, namespace: 'cattle-fleet-system' } } });
}

describe('the contact of a Cluster (docs/fleet.md: three check-ins of 15 minutes)', () => {
  it.each([
    ['a moment ago', '2026-11-21T12:00:00Z'],
    ['5 minutes ago', '2026-11-21T11:55:00Z'],
    ['45 minutes ago, which is not longer than the limit', '2026-11-21T11:15:00Z'],
    ['with fractions of a second', '2026-11-21T11:55:00.123456Z'],
    ['in a zone of its own', '2026-11-21T13:55:00+02:00'],
    ['in the future, where clocks differ', '2026-11-21T12:10:00Z'],
  ])('is connected if its agent was seen %s', (_what, lastSeen) => {
    expect(clusterContact(seen(lastSeen), NOW_MS)).toEqual({ type: 'connected' });
  });

  it.each([
    ['a millisecond longer ago than the limit', '2026-11-21T11:14:59.999Z'],
    ['a week ago', '2026-11-14T12:00:00Z'],
  ])('is silent if its agent was seen %s', (_what, lastSeen) => {
    expect(clusterContact(seen(lastSeen), NOW_MS)).toEqual({ type: 'silent', lastSeen });
  });

  it.each<readonly [what: string, lastSeen: JsonValue]>([
    ["null (Fleet's code: a zero time)", null],
    ['an empty text', ''],
    ['the time that Go writes for none', '0001-01-01T00:00:00Z'],
    ['no time', 'yesterday'],
    ['a number', 1_795_262_400],
  ])('was never there if lastSeen is %s', (_what, lastSeen) => {
    expect(clusterContact(seen(lastSeen), NOW_MS)).toEqual({ type: 'never' });
  });

  it('was never there without a status', () => {
    expect(clusterContact({ metadata: { name: 'c1' } }, NOW_MS)).toEqual({ type: 'never' });
  });

  it('is reported with the time at which the agent was seen', () => {
    expect(silenceText('2026-11-21T10:00:00Z')).toBe('agent last seen 2026-11-21T10:00:00Z');
  });
});
