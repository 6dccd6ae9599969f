import { describe, expect, it } from 'vitest';
import { NO_LIST } from '#shared/core/field-messages.ts';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import type { BundleState } from '#shared/core/fleet/bundle-state.ts';
import { bundleError, bundleStatus, controllerError } from '#shared/core/fleet/bundle-status.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { statusWith } from '#shared/core/fleet/desired-status.ts';
import { targetingError } from '#shared/core/fleet/messages.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { bundle } from './fixtures/objects.ts';
import { condition } from './fixtures/parts.ts';
import { rowIn } from './fixtures/states.ts';

const NOW = '2026-11-21T12:00:00Z';

interface Given {
  readonly object?: JsonObject;
  readonly rows?: readonly DeploymentRow[];
  readonly targetErrors?: readonly string[];
}

function desired({ object = bundle(), rows = [], targetErrors = [] }: Given) {
  return bundleStatus({ bundle: object, part: foldRows(BUNDLE, rows), targetErrors });
}

/** The whole status that a Bundle gets. */
function statusOf(given: Given): JsonObject {
  return statusWith((given.object ?? bundle())['status'], desired(given), NOW);
}

function rowsIn(...states: readonly BundleState[]): readonly DeploymentRow[] {
  return states.map((state, index) => rowIn(state, { cluster: `c${index}` }));
}

function withReady(more: JsonObject, status = 'False'): JsonObject {
  return bundle({ status: { conditions: [condition('Ready', status, more)] } });
}

describe('the status of a Bundle (Fleet, Status Fields, Bundles)', () => {
  it("has the members of Fleet's code", () => {
    expect(statusOf({ rows: rowsIn('Ready', 'NotReady', 'Pending') })).toEqual({
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          message:
            'NotReady(1) [Cluster fleet-default/c1]; deployment.apps shop/web [progressing] ' +
            'Available: 1/2; Pending(1) [Cluster fleet-default/c2]',
          lastUpdateTime: NOW,
        },
      ],
      display: { readyClusters: '1/3', state: 'Pending' },
      maxUnavailable: 0,
      maxUnavailablePartitions: 0,
      observedGeneration: 1,
      summary: expect.objectContaining({ ready: 1, desiredReady: 3, notReady: 1, pending: 1 }),
      unavailable: 1,
      unavailablePartitions: 0,
    });
  });

  it('shows no state where everything is Ready', () => {
    const { display, conditions } = statusOf({ rows: rowsIn('Ready', 'Ready') });
    expect(display).toEqual({ readyClusters: '2/2' });
    expect(conditions).toEqual([{ type: 'Ready', status: 'True', lastUpdateTime: NOW }]);
  });

  it('is Ready without targets', () => {
    expect(statusOf({})['display']).toEqual({ readyClusters: '0/0' });
    expect(desired({}).conditions).toEqual([{ type: 'Ready', status: 'True', message: '' }]);
  });

  it.each([
    ['Ready', 'NotReady', 'NotReady'],
    ['NotReady', 'Pending', 'Pending'],
    ['Pending', 'OutOfSync', 'OutOfSync'],
    ['OutOfSync', 'Modified', 'Modified'],
    ['Modified', 'WaitApplied', 'WaitApplied'],
    ['WaitApplied', 'ErrApplied', 'ErrApplied'],
  ] as const)('with %s and %s shows %s (Fleet, Status Fields, State Ranking)', (...states) => {
    const [a, b, shown] = states;
    expect(statusOf({ rows: rowsIn(a, b) })['display']).toMatchObject({ state: shown });
    expect(statusOf({ rows: rowsIn(b, a) })['display']).toMatchObject({ state: shown });
  });

  it('keeps partitions and what else is there, and removes resourceKey', () => {
    const partitions = [{ name: 'All', count: 2, summary: { ready: 2, desiredReady: 2 } }];
    const kept = { partitions, newlyCreated: 1, resourcesSha256Sum: '1f0e7f6d4a539d6c' };
    const status = { ...kept, resourceKey: [{ kind: 'ConfigMap' }], maxUnavailable: 3 };
    const after = statusOf({ object: bundle({ status }) });
    expect(after).toMatchObject({ ...kept, maxUnavailable: 3 });
    expect(after).not.toHaveProperty('resourceKey');
  });

  it('is complete if there was none, with the fields that the API requires', () => {
    const { metadata, spec } = bundle();
    expect(statusOf({ object: { metadata: metadata ?? null, spec: spec ?? null } })).toMatchObject({
      unavailable: 0,
      unavailablePartitions: 0,
      maxUnavailable: 0,
      maxUnavailablePartitions: 0,
      observedGeneration: 1,
      summary: { ready: 0, desiredReady: 0 },
    });
    expect(desired({ object: {} }).fields['observedGeneration']).toBe(0);
  });

  it('has seen the generation that there is', () => {
    const object = bundle({ metadata: { generation: 7 }, status: { observedGeneration: 6 } });
    expect(desired({ object }).fields['observedGeneration']).toBe(7);
  });
});

describe('a Bundle that cannot be deployed', () => {
  const OLD = { metadata: { generation: 7 } };
  const FAULT = 'spec.targets[0].clusterSelector: must be an object';

  it('is not Ready with what is wrong with its targets, and keeps what it said of its deployments', () => {
    const object = bundle({ ...OLD, status: { observedGeneration: 6 } });
    const given = { object, rows: rowsIn('Ready', 'Modified'), targetErrors: [FAULT, 'b'] };
    const { fields, conditions } = desired(given);
    const message = `targeting error: ${FAULT}; b`;
    expect(conditions).toEqual([{ type: 'Ready', status: 'False', reason: 'Error', message }]);
    expect(fields).toMatchObject({ observedGeneration: 6 });
    expect(Object.keys(fields)).not.toContain('display');
    expect(Object.keys(fields)).not.toContain('summary');
    // Fleet's definition asks for it.
    expect(fields['unavailable']).toBe(0);
  });

  it('keeps how many were unavailable', () => {
    const object = bundle({ ...OLD, status: { unavailable: 3 } });
    expect(desired({ object, targetErrors: [FAULT] }).fields['unavailable']).toBe(3);
  });

  it('has no observed generation if it could never be deployed', () => {
    const object = { ...bundle(OLD), status: {} };
    expect(desired({ object, targetErrors: [FAULT] }).fields['observedGeneration']).toBe(0);
  });

  it("keeps an error of Fleet's controller", () => {
    const message = 'targeting error: template: :1: function "foo" not defined';
    const object = withReady({ reason: 'Error', message });
    const after = statusOf({ object, rows: rowsIn('NotReady') });
    expect(after['conditions']).toEqual([
      condition('Ready', 'False', { reason: 'Error', message }),
    ]);
  });

  it('is Ready again when its targets have been corrected', () => {
    const faulty = bundle(OLD);
    const status = statusOf({ object: faulty, targetErrors: [FAULT] });
    const mended = desired({ object: { ...faulty, status }, rows: rowsIn('Ready') });
    expect(mended.conditions).toEqual([{ type: 'Ready', status: 'True', message: '' }]);
    expect(mended.fields['observedGeneration']).toBe(7);
  });

  it('says first what is wrong with its targets', () => {
    const object = withReady({ reason: 'Error', message: 'chart version not found' });
    expect(bundleError({ bundle: object, targetErrors: ['a', 'b'] })).toBe('targeting error: a; b');
    expect(bundleError({ bundle: object, targetErrors: [] })).toBe('chart version not found');
  });
});

describe("an error of Fleet's controller", () => {
  it.each<readonly [what: string, object: JsonObject, error: string]>([
    ['what Ready says with the reason Error', withReady({ reason: 'Error', message: 'x' }), 'x'],
    ['nothing while Ready is True', withReady({ reason: 'Error', message: 'x' }, 'True'), ''],
    ['nothing with no reason', withReady({ message: 'x' }), ''],
    ['nothing with another reason', withReady({ reason: 'Waiting', message: 'x' }), ''],
    [
      'nothing where the reason is left from an error before',
      withReady({ reason: 'Error', message: 'WaitApplied(1) [Cluster fleet-default/c1]' }),
      '',
    ],
    [
      'an error in which states of deployments stand',
      withReady({ reason: 'Error', message: 'policy: NotReady(1) [Cluster a/b]' }),
      'policy: NotReady(1) [Cluster a/b]',
    ],
    [
      'nothing that was found here before',
      withReady({ reason: 'Error', message: targetingError([`spec.targets: ${NO_LIST}`]) }),
      '',
    ],
    ['nothing without a message', withReady({ reason: 'Error' }), ''],
    ['nothing of a Bundle without conditions', bundle(), ''],
  ])('is %s', (_what, object, error) => {
    expect(controllerError(object)).toBe(error);
  });

  it.each<JsonValue>([null, 7, 'x', [], [null, 1, 'Ready'], [{ type: 'Ready', status: 1 }]])(
    'is nothing of conditions that are %j',
    (conditions) => {
      expect(controllerError(bundle({ status: { conditions } }))).toBe('');
    },
  );
});
