import { describe, expect, it } from 'vitest';
import {
  NO_FLAG,
  NO_LIST,
  NO_QUOTES,
  NO_STRING,
  noObjectWith,
} from '#shared/core/field-messages.ts';
import { targetCluster, targetGroup } from '#shared/core/fleet/cluster-inventory.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { ALL, targetsOf } from './targets-fleet.ts';

describe('bundleTargets', () => {
  it.each<[string, JsonValue, string]>([
    [
      'a clusterSelector',
      { targets: [ALL, { clusterSelector: { matchLabels: { env: 1 } } }] },
      'spec.targets[1].clusterSelector.matchLabels["env"]: must be the value of a label',
    ],
    [
      'a clusterGroupSelector of a restriction',
      { targets: [ALL], targetRestrictions: [{ clusterGroupSelector: 'east' }] },
      'spec.targetRestrictions[0].clusterGroupSelector: must be a label selector; write {}',
    ],
    ['a clusterName', { targets: [{ clusterName: 7 }] }, 'spec.targets[0].clusterName: must be a'],
    [
      'a clusterGroup',
      { targets: [{ clusterGroup: [] }] },
      'spec.targets[0].clusterGroup: must be',
    ],
    ['a source', { targets: [{ ...ALL, source: 1 }] }, `spec.targets[0].source: ${NO_STRING}`],
    [
      'doNotDeploy',
      { targets: [{ ...ALL, doNotDeploy: 'true' }] },
      `spec.targets[0].doNotDeploy: ${NO_FLAG}`,
    ],
    ['an entry', { targets: [ALL, null] }, `spec.targets[1]: ${noObjectWith('clusterName')}`],
    [
      'a restriction',
      { targets: [ALL], targetRestrictions: ['prod'] },
      `spec.targetRestrictions[0]: ${noObjectWith('clusterName')}`,
    ],
    ['the list of targets', { targets: ALL }, `spec.targets: ${NO_LIST}`],
    ['the restrictions', { targetRestrictions: ALL }, `spec.targetRestrictions: ${NO_LIST}`],
    [
      'the mode',
      { targets: [ALL], targetCustomizationMode: true },
      `spec.targetCustomizationMode: ${NO_QUOTES}`,
    ],
  ])('selects nothing, and gives the reason, with a fault in %s', (...[, spec, error]) => {
    const { clusters, errors } = targetsOf(spec);
    expect(clusters).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(error);
  });

  it('lists at most 100 errors', () => {
    const { errors } = targetsOf({ targets: Array.from({ length: 101 }, () => 'prod') });
    expect(errors.at(-1)).toBe('and 1 more errors');
  });

  it.each<[string, JsonValue]>([
    ['null', null],
    ['a text', 'targets'],
    ['a list', [ALL]],
  ])('has no targets with a spec that is %s', (...[, spec]) => {
    expect(targetsOf(spec)).toEqual({ clusters: [], errors: [] });
  });
});

describe('targetCluster and targetGroup', () => {
  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['metadata of the wrong type', { metadata: ['name'] }],
    ['fields of the wrong types', { metadata: { name: 1, namespace: {}, labels: 'env=prod' } }],
  ])('read %s as absent', (...[, object]) => {
    const absent = { namespace: '', name: '', labels: {} };
    expect(targetCluster(object)).toEqual({ ...absent, deleting: false });
    expect(targetGroup(object)).toMatchObject({ ...absent, selector: { errors: [] } });
  });
});
