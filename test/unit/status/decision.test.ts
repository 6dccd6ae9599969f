import { describe, expect, it } from 'vitest';
import {
  decideStatus,
  type StatusMembership,
  statusOutcome,
} from '#shared/core/status/decision.ts';
import { deployment } from '#test/fixtures/wec-rows.ts';

function membership(
  [singleton, multi]: readonly [boolean, boolean],
  ...destinations: readonly string[]
): StatusMembership {
  return {
    destinations,
    wantSingletonReportedState: singleton,
    wantMultiWECReportedState: multi,
  };
}

const [T, F] = [true, false];

describe('the decision about a status (Multi-WEC Aggregated Status, "Behavior Summary")', () => {
  it.each([
    [T, F, ['wec1'], 'copy'],
    [T, F, [], 'clear'],
    [T, F, ['wec1', 'wec2'], 'clear'],
    [F, T, ['wec1'], 'copy'],
    [F, T, ['wec1', 'wec2'], 'aggregate'],
    [F, T, [], 'clear'],
    [T, T, ['wec1'], 'copy'],
    [T, T, ['wec1', 'wec2'], 'aggregate'],
    [T, T, [], 'clear'],
  ] as const)('singleton %s, multi %s, on %j: %s', (...[singleton, multi, wecs, action]) => {
    expect(decideStatus(deployment(), [membership([singleton, multi], ...wecs)])).toEqual({
      singletonRequested: singleton,
      multiRequested: multi,
      qualified: wecs,
      action,
    });
  });

  it.each([[[]], [['wec1']], [['wec1', 'wec2']]])(
    'without a flag nothing qualifies, and what is ours is cleared: %j',
    (wecs) => {
      const decision = decideStatus(deployment(), [membership([F, F], ...wecs)]);
      expect(decision).toMatchObject({ qualified: [], action: 'clear' });
      expect(decideStatus(deployment(), [])).toEqual(decision);
    },
  );

  it('qualifies the WECs of all Bindings with either flag, sorted, each once, and of no other', () => {
    const memberships = [
      membership([F, T], 'wec3', 'wec1'),
      membership([T, F], 'wec2', 'wec1'),
      membership([F, F], 'wec9'),
    ];
    expect(decideStatus(deployment(), memberships)).toEqual({
      singletonRequested: true,
      multiRequested: true,
      qualified: ['wec1', 'wec2', 'wec3'],
      action: 'aggregate',
    });
  });

  it.each([
    ['v1', 'Namespace'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ])('never writes the status of a %s %s', (apiVersion, kind) => {
    const workload = { apiVersion, kind, metadata: {} };
    expect(decideStatus(workload, [membership([T, T], 'wec1')]).action).toBe('leave');
  });

  it('writes a kind of another group that is called Namespace', () => {
    const workload = { apiVersion: 'example.com/v1', kind: 'Namespace', metadata: {} };
    expect(decideStatus(workload, [membership([T, T], 'wec1')]).action).toBe('copy');
  });

  it('leaves an object alone that is being deleted', () => {
    const workload = { ...deployment(), metadata: { deletionTimestamp: '2025-11-01T10:00:00Z' } };
    expect(decideStatus(workload, [membership([T, T], 'wec1', 'wec2')]).action).toBe('leave');
  });
});

describe('the outcome of a decision', () => {
  const count = 'kubestellar.io/executing-count';
  const singletonLabel = 'managed-by.kubestellar.io/singletonstatus';
  const multiLabel = 'managed-by.kubestellar.io/multiwecstatus';
  const status = { replicas: 3 };
  const decide = (...memberships: StatusMembership[]) => decideStatus(deployment(), memberships);

  it('labels a copied status, and counts the WECs while singleton status is requested', () => {
    expect(statusOutcome(decide(membership([T, F], 'wec1')), status)).toEqual({
      type: 'status',
      status,
      labels: { [count]: '1', [singletonLabel]: 'true', [multiLabel]: null },
    });
  });

  it('labels an aggregated status, without a count if only multi-WEC status is requested', () => {
    expect(statusOutcome(decide(membership([F, T], 'wec1', 'wec2')), status)).toEqual({
      type: 'status',
      status,
      labels: { [count]: null, [singletonLabel]: null, [multiLabel]: 'true' },
    });
  });

  it('is nothing of ours if nothing was returned, or nothing is to be written', () => {
    const none = { type: 'none', labels: { [singletonLabel]: null, [multiLabel]: null } };
    expect(statusOutcome(decide(membership([T, F], 'wec1')), undefined)).toMatchObject(none);
    expect(statusOutcome(decide(membership([F, T], 'a', 'b')), undefined)).toMatchObject(none);
    expect(statusOutcome(decide(membership([T, F], 'a', 'b')), status)).toEqual({
      ...none,
      labels: { ...none.labels, [count]: '2' },
    });
    expect(statusOutcome(decide(membership([F, F], 'a')), undefined)).toEqual({
      ...none,
      labels: { ...none.labels, [count]: null },
    });
  });

  it('touches nothing of an object that is not changed', () => {
    const workload = { apiVersion: 'v1', kind: 'Namespace', metadata: {} };
    const decision = decideStatus(workload, [membership([T, T], 'wec1')]);
    expect(statusOutcome(decision, status)).toEqual({ type: 'untouched' });
  });
});
