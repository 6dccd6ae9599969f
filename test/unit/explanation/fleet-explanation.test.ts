import { describe, expect, it } from 'vitest';
import { explainFleetObject } from '#shared/core/explanation/fleet-explanation.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { FLEET_LEFT, targetsText } from '#shared/core/status-api/messages.ts';
import {
  bundle,
  cluster,
  clusterGroup,
  gitRepo,
  helmOp,
} from '#test/unit/fleet/fixtures/objects.ts';
import {
  deployments,
  fleetObject,
  KnownFleet,
  NOW_MS,
  SHOP_IN_PROD,
  SILENT,
  shopFleet,
} from '#test/unit/fleet/known-fleet.ts';

function explain(fleet: KnownFleet, object: JsonObject, without: readonly string[] = []) {
  const { kind, name } = fleetObject(object);
  const objects = fleet.objects();
  const one = objects.find((other) => other.kind === kind && other.name === name);
  if (one === undefined) throw new Error(`no ${kind} ${name}`);
  return explainFleetObject({ objects, one, nowMs: NOW_MS, without });
}

/** A Bundle and its deployments in c1 to c3. */
function threeTargets(): KnownFleet {
  return new KnownFleet(bundle(), gitRepo(), ...deployments('Ready', 'ErrApplied', 'NotReady'));
}

describe('the explanation of an object of Fleet', () => {
  it('names the BundleDeployment with the worst state, and its rank', () => {
    const { fields, ...rest } = explain(threeTargets(), bundle());
    const decider = {
      wec: 'fleet-default/c2',
      bundleDeployment: expect.stringMatching(/\/shop$/),
      bundle: 'fleet-default/shop',
      value: 'ErrApplied',
    };
    expect(rest).toMatchObject({
      apiVersion: 'status.starfold.dev/v1alpha1',
      kind: 'Explanation',
      metadata: { name: 'bundles.fleet.cattle.io:shop', namespace: 'fleet-default' },
      decision: {
        action: 'Aggregate',
        reason: targetsText(3, ['1 Ready', '1 NotReady', '1 ErrApplied']),
      },
      wecs: { qualified: 3, reported: 3, silent: [], missing: [], tooLarge: [] },
      verdict: {
        ...{ status: 'ErrApplied', rank: 6, message: 'boom' },
        ...{ decidedBy: [decider], others: { Ready: 1, NotReady: 1 } },
      },
    });
    const field = (path: string) => fields.find((one) => one.path === path);
    expect(field('display.state')).toEqual({
      path: 'display.state',
      value: 'ErrApplied',
      rule: 'worst-state',
      documentation: 'fleet.md#explanations',
      decidedBy: [decider],
    });
    expect(field('summary.notReady')).toMatchObject({
      rule: 'count',
      decidedBy: [{ wec: 'fleet-default/c3' }],
    });
    expect(field('summary.desiredReady')).toMatchObject({ decidedBy: [{ all: true }] });
    expect(field('conditions[Ready]')).toMatchObject({
      rule: 'first-per-state',
      decidedBy: [{ wec: 'fleet-default/c2' }, { wec: 'fleet-default/c3' }],
    });
    expect(field('observedGeneration')?.decidedBy).toBeUndefined();
  });

  it('shows what the status would be without a Cluster', () => {
    const explained = explain(threeTargets(), gitRepo(), ['fleet-default/c2']);
    expect(explained).toMatchObject({
      without: ['fleet-default/c2'],
      verdict: { status: 'NotReady', rank: 1, decidedBy: [{ wec: 'fleet-default/c3' }] },
    });
  });

  it('names a Cluster that waits for its BundleDeployment, and one that is silent', () => {
    const fleet = shopFleet();
    fleet.put(cluster({ status: SILENT }));
    const { wecs, verdict } = explain(fleet, clusterGroup());
    expect(wecs).toMatchObject({ qualified: 1, reported: 1, silent: ['fleet-default/c1'] });
    expect(verdict).toMatchObject({ status: 'NotReady', others: {} });
    for (const one of fleet.objects())
      if (one.kind === 'BundleDeployment') fleet.remove(one.object);
    expect(explain(fleet, bundle(SHOP_IN_PROD))).toMatchObject({
      wecs: { qualified: 1, reported: 0, missing: ['fleet-default/c1'] },
      verdict: {
        status: 'Pending',
        decidedBy: [{ wec: 'fleet-default/c1', bundle: 'fleet-default/shop', value: 'Pending' }],
      },
    });
  });

  it('of a Cluster, HelmOp or an object without targets has the same form', () => {
    const fleet = shopFleet();
    fleet.put(helmOp());
    expect(explain(fleet, cluster())).toMatchObject({
      decision: { reason: targetsText(1, ['1 Ready']) },
      verdict: { status: 'Ready', rank: 0, message: '' },
    });
    const none = explain(fleet, helmOp());
    expect(none).toMatchObject({
      decision: { reason: targetsText(0, []) },
      wecs: { qualified: 0 },
    });
    expect(none.verdict).toBeUndefined();
  });

  it('says that a status is left alone, or comes from the object itself', () => {
    const deleted = gitRepo({ metadata: { deletionTimestamp: '2026-11-21T10:00:00Z' } });
    const fleet = new KnownFleet(deleted, ...deployments('ErrApplied'));
    expect(explain(fleet, deleted)).toMatchObject({
      decision: { action: 'Leave', reason: FLEET_LEFT },
      fields: [],
    });
    const wrong = clusterGroup({ spec: { selector: { matchExpressions: [{ operator: 'x' }] } } });
    const explained = explain(new KnownFleet(wrong, cluster()), wrong);
    const ready = explained.fields.find(({ path }) => path === 'conditions[Ready]');
    expect(ready).toMatchObject({ rule: 'own', value: { reason: 'Error' } });
  });
});
