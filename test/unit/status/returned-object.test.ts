import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import {
  returnedObject,
  SOURCE_GENERATION,
  SOURCE_UID,
} from '#shared/core/status/returned-object.ts';

/** A Deployment as an API server lists it, scaled by an autoscaler. */
const DEPLOYMENT: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: '6b3c7f5e-3a63-4f0c-b0f5-8f2c4f3d0b11',
    generation: 4,
    resourceVersion: '812',
    annotations: { [SOURCE_GENERATION]: '7' },
    managedFields: [
      {
        manager: 'work-agent',
        operation: 'Update',
        time: '2026-08-01T10:00:00Z',
        fieldsV1: { 'f:spec': { 'f:template': {} } },
      },
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        subresource: 'scale',
        time: '2026-08-01T11:00:00Z',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        subresource: 'status',
        time: '2026-08-01T10:30:00Z',
        fieldsV1: { 'f:status': { 'f:replicas': {} } },
      },
      {
        manager: 'other',
        operation: 'Update',
        subresource: 'status',
        time: '2026-08-01T10:20:00Z',
        fieldsV1: { 'f:status': { 'f:conditions': {} } },
      },
    ],
  },
  spec: { replicas: 3 },
  status: { replicas: 3 },
};

function withMetadata(change: JsonObject): JsonObject {
  return { ...DEPLOYMENT, metadata: { ...(DEPLOYMENT['metadata'] as JsonObject), ...change } };
}

it('takes what is aggregated from an object, and the newest time of those who own its status', () => {
  expect(returnedObject(DEPLOYMENT)).toEqual({
    uid: '6b3c7f5e-3a63-4f0c-b0f5-8f2c4f3d0b11',
    generation: 4,
    sourceGeneration: 7,
    spec: { replicas: 3 },
    replicasFromScale: true,
    lastUpdate: '2026-08-01T10:30:00Z',
    status: { replicas: 3 },
  });
});

it.each([
  [['2026-08-01T12:00:00+05:00', '2026-08-01T09:00:00Z'], '2026-08-01T09:00:00Z'],
  [['2026-08-01T12:00:00+05:00', '2026-08-01T06:00:00Z'], '2026-08-01T12:00:00+05:00'],
  [['2026-08-01T09:00:00Z', '2026-08-01T09:00:00.5Z'], '2026-08-01T09:00:00.5Z'],
  [['2026-08-01T09:00:00Z', 'yesterday', 'Z', '2026-02-30T00:00:00Z', 7], '2026-08-01T09:00:00Z'],
  [['9999-99-99T99:99:99Z'], undefined],
])(
  'takes the newest of the times %j, whatever their zones and whatever is not a time',
  (...[times, newest]) => {
    const managedFields = times.map((time) => ({ time, fieldsV1: { 'f:status': {} } }));
    expect(returnedObject(withMetadata({ managedFields })).lastUpdate).toBe(newest);
  },
);

it('leaves out what an object does not have', () => {
  const configMap = { metadata: { name: 'c', uid: 'u' }, data: { a: 'b' } };
  expect(returnedObject(configMap)).toEqual({ uid: 'u', generation: 0 });
});

it('marks an object that is being deleted', () => {
  const deleting = withMetadata({ deletionTimestamp: '2026-08-01T12:00:00Z' });
  expect(returnedObject(deleting).deleting).toBe(true);
});

it.each([
  ['no number', 'seven'],
  ['a negative number', '-1'],
  ['a fraction', '1.5'],
  ['beyond 2^53', '90071992547409930'],
  ['no text', 7],
])('ignores a source generation that is %s', (_case, value) => {
  const object = withMetadata({ annotations: { [SOURCE_GENERATION]: value } });
  expect(returnedObject(object)).not.toHaveProperty('sourceGeneration');
});

it('takes when the object was created, and what it was made from', () => {
  const made = withMetadata({
    creationTimestamp: '2026-08-01T09:00:00Z',
    annotations: { [SOURCE_UID]: '3f1f7a52-8a06-4b7e-9a53-3f0c5f1f0a01' },
  });
  expect(returnedObject(made)).toMatchObject({
    created: '2026-08-01T09:00:00Z',
    sourceUid: '3f1f7a52-8a06-4b7e-9a53-3f0c5f1f0a01',
  });
});

it.each([
  ['empty', ''],
  ['too long to be one', 'u'.repeat(129)],
  ['no text', 7],
])('ignores a source UID that is %s, so that the object is still reported', (_case, value) => {
  const object = withMetadata({ annotations: { [SOURCE_UID]: value } });
  expect(returnedObject(object)).not.toHaveProperty('sourceUid');
});

it.each(['yesterday', null, '2026-13-01T00:00:00Z'])(
  'ignores a time of creation that is none: %s',
  (creationTimestamp) => {
    expect(returnedObject(withMetadata({ creationTimestamp }))).not.toHaveProperty('created');
  },
);

it.each([
  ['the main resource', { fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
  ['scale, but not the replicas', { subresource: 'scale', fieldsV1: { 'f:spec': {} } }],
])('does not take replicas set through %s for an autoscaler', (_case, entry) => {
  const object = withMetadata({ managedFields: [entry] });
  expect(returnedObject(object)).not.toHaveProperty('replicasFromScale');
});

it('keeps a status and a spec that are null', () => {
  expect(returnedObject({ metadata: { uid: 'u' }, spec: null, status: null })).toEqual({
    uid: 'u',
    generation: 0,
    spec: null,
    status: null,
  });
});
