import { describe, expect, it } from 'vitest';
import { silentRow } from '#shared/core/fleet/deployment-row.ts';
import { NO_RESOURCES } from '#shared/core/fleet/resource-counts.ts';
import { condition, resource } from './fixtures/parts.ts';
import { rowIn } from './fixtures/states.ts';

describe('the row of a cluster whose agent has fallen silent', () => {
  const SILENCE = 'agent last seen 2026-11-21T10:00:00Z';

  it.each(['Ready', 'NotReady', 'Modified'] as const)('is NotReady if it was %s', (state) => {
    const conditions = [condition('Monitored', 'True', { message: 'as it was' })];
    const row = silentRow(rowIn(state, { status: { conditions } }), SILENCE);
    expect(row).toMatchObject({ state: 'NotReady', message: SILENCE, unavailable: true });
    expect([row.modified, row.nonReady]).toEqual([[], []]);
  });

  it.each([
    ['OutOfSync', SILENCE],
    ['WaitApplied', SILENCE],
    ['ErrApplied', `boom; ${SILENCE}`],
  ] as const)('is %s if it was, with the silence in its message', (state, message) => {
    expect(silentRow(rowIn(state), SILENCE)).toMatchObject({ state, message, unavailable: true });
  });

  it('knows nothing of its resources anymore', () => {
    const resources = [resource('settings'), resource('web', 'Deployment', 'apps/v1')];
    const row = silentRow(rowIn('NotReady', { status: { resources } }), SILENCE);
    expect(row.counts).toEqual({ ...NO_RESOURCES, desiredReady: 2, unknown: 2 });
    expect(row.resources.map(([, { state, message }]) => [state, message])).toEqual([
      ['Unknown', ''],
      ['Unknown', ''],
    ]);
    const flags = row.resources.flatMap(([, { error, transitioning }]) => [error, transitioning]);
    expect(flags).toEqual([false, false, false, false]);
  });

  it('is Pending if there is no BundleDeployment', () => {
    const row = rowIn('Pending');
    expect(silentRow(row, SILENCE)).toEqual(row);
  });
});
