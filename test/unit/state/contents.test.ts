import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#shared/core/json.ts';
import { BodyError } from '#shared/errors.ts';
import type { ContentCodec } from '#shared/state/body.ts';
import {
  BINDING_CONTENT,
  BINDING_RESULT,
  POLICY_CONTENT,
  WORKLOAD_RESULT,
} from '#shared/state/contents.ts';
import {
  BUNDLE_RESULT,
  BUNDLE_ROW,
  CELL_ROW,
  DEPLOYMENT_ROW,
  FLEET_RESULT,
  GROUP_ROW,
} from '#shared/state/fleet/contents.ts';

const KEY = { pk: 'B#wds1/web', sk: 'SPEC' };
const DEPLOYMENT = {
  name: 'web',
  namespace: 'cluster-c1',
  uid: 'u1',
  cluster: 'fleet-default/c1',
  bundle: 'fleet-default/web',
  repo: '',
  helmOp: '',
  state: 'Ready',
  message: '',
  modified: [],
  nonReady: [],
  unavailable: false,
  counts: {},
  resources: [],
  incomplete: false,
};
const RESULT = { version: 'v1', combinedStatuses: [], bindings: ['web'] };

describe('stored content', () => {
  it.each<readonly [string, ContentCodec<unknown>, JsonValue, string]>([
    [
      'a Binding without objects',
      BINDING_CONTENT,
      { uid: 'u', policyUid: '', destinations: [], errors: [] },
      'objects: ',
    ],
    [
      'a Binding with a destination that is no text',
      BINDING_CONTENT,
      { uid: 'u', policyUid: '', destinations: [1], objects: [], errors: [] },
      'destinations.0: ',
    ],
    [
      'a BindingPolicy without a UID',
      POLICY_CONTENT,
      { errors: [], statusCollectors: [] },
      'uid: ',
    ],
    [
      'a result with an unknown status',
      WORKLOAD_RESULT,
      { ...RESULT, status: { type: 'later' } },
      'status.type: ',
    ],
    [
      'a result with half a CombinedStatus',
      WORKLOAD_RESULT,
      { ...RESULT, status: { type: 'untouched' }, combinedStatuses: [{ name: 'c' }] },
      'combinedStatuses.0: ',
    ],
    [
      'a result of a Binding without errors',
      BINDING_RESULT,
      { missingCollectors: [], policyErrors: [] },
      'errors: ',
    ],
    [
      'a deployment in an unknown state',
      DEPLOYMENT_ROW,
      { ...DEPLOYMENT, state: 'Later' },
      'state: ',
    ],
    ['a cell without its Cluster', CELL_ROW, { deployments: 1, ready: 1, counts: {} }, 'cluster: '],
    ['a member of a ClusterGroup without counts', GROUP_ROW, { summary: {} }, ': '],
    [
      'a Bundle whose result has no revision',
      BUNDLE_ROW,
      { result: { chunks: 1, hash: 'h' }, known: null },
      'result.revision: ',
    ],
    ['a result of a Bundle without parts', BUNDLE_RESULT, { targetErrors: [] }, 'parts: '],
    ['a result of an unknown resource', FLEET_RESULT, { resource: 'later' }, 'resource: '],
  ])('is rejected if it is %s', (...[, codec, json, fault]) => {
    expect(() => codec.decode(json, KEY)).toThrow(BodyError);
    expect(() => codec.decode(json, KEY)).toThrow(`item B#wds1/web SPEC is no`);
    expect(() => codec.decode(json, KEY)).toThrow(fault);
  });

  it('keeps fields that this release does not know', () => {
    const row = { ...DEPLOYMENT, later: 1 };
    expect(DEPLOYMENT_ROW.decode(row, KEY)).toEqual(row);
    const binding = {
      uid: 'u',
      policyUid: '',
      destinations: [],
      objects: [],
      errors: [],
      later: 1,
    };
    expect(BINDING_CONTENT.decode(binding, KEY)).toEqual(binding);
  });
});
