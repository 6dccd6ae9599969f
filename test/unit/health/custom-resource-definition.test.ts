import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { recordedEvents } from '#test/property/status/recordings.ts';

const FINALIZED = {
  deletionTimestamp: '2025-11-01T10:00:00Z',
  finalizers: ['argocd.argoproj.io/hook-finalizer'],
};

function definition(status: JsonValue, metadata: JsonObject = {}): JsonObject {
  const apiVersion = 'apiextensions.k8s.io/v1';
  return { apiVersion, kind: 'CustomResourceDefinition', metadata, status };
}

function said(type: string, status: string, reason = 'NoConflicts'): JsonObject {
  return { type, status, reason, message: `${type} is ${status}` };
}

function conditions(...entries: readonly JsonValue[]): JsonObject {
  return definition({ conditions: entries });
}

const ESTABLISHED = said('Established', 'True');
const TAKEN = said('NamesAccepted', 'False', 'ShortNamesConflict');

describe('Argo CD health of a CustomResourceDefinition', () => {
  it.each<[string, JsonObject, string, string]>([
    [
      'is healthy once it is established',
      conditions(said('NamesAccepted', 'True'), ESTABLISHED),
      'Healthy',
      'CRD is healthy',
    ],
    [
      'is healthy with a schema that is structural',
      conditions(said('NonStructuralSchema', 'False'), ESTABLISHED),
      'Healthy',
      'CRD is healthy',
    ],
    [
      'is degraded with names that are taken, also once it is established',
      conditions(ESTABLISHED, TAKEN),
      'Degraded',
      'CRD names have not been accepted: NamesAccepted is False',
    ],
    [
      'is degraded with a schema that is not structural',
      conditions(ESTABLISHED, said('NonStructuralSchema', 'True')),
      'Degraded',
      'Schema violations found: NonStructuralSchema is True',
    ],
    [
      'is progressing while it is terminating',
      conditions(ESTABLISHED, said('Terminating', 'True'), TAKEN),
      'Progressing',
      'CRD is terminating: Terminating is True',
    ],
    [
      'goes by the first condition that speaks against it',
      conditions(TAKEN, said('Terminating', 'True')),
      'Degraded',
      'CRD names have not been accepted: NamesAccepted is False',
    ],
    [
      'is progressing while it is being installed',
      conditions(said('Established', 'False', 'Installing')),
      'Progressing',
      'CRD is being installed',
    ],
    [
      'is established, whatever the reason says',
      conditions(said('Established', 'True', 'Installing')),
      'Healthy',
      'CRD is healthy',
    ],
    [
      'is degraded when it is not established for another reason',
      conditions(said('Established', 'False', 'NotAccepted'), said('Other', 'False', 'Installing')),
      'Degraded',
      'CRD is not established',
    ],
    [
      'takes an absent message as empty',
      conditions({ type: 'Terminating', status: 'True' }),
      'Progressing',
      'CRD is terminating: ',
    ],
    [
      'is progressing without conditions',
      definition({}),
      'Progressing',
      'Status conditions not found',
    ],
    ['is progressing with none', conditions(), 'Progressing', 'Status conditions not found'],
    ['is unknown without a status', definition(null), 'Unknown', 'CRD has no status'],
    [
      'is progressing while the finalizer of a hook holds it',
      definition({ conditions: [ESTABLISHED] }, FINALIZED),
      'Progressing',
      'CRD is terminating',
    ],
  ])('%s', (...[_name, object, status, message]) => {
    expect(assessArgoCd(object)).toEqual({ status, message });
    const old = { ...object, apiVersion: 'apiextensions.k8s.io/v1beta1' };
    expect(assessArgoCd(old)).toEqual({ status, message });
  });

  it('is not there before Argo CD 3', () => {
    expect(assessArgoCd(conditions(ESTABLISHED), '2.14')).toBeNull();
  });

  it('is what it should be at the end of a recording', () => {
    const last = new Map(
      recordedEvents('crd', 'CustomResourceDefinition').map(({ cluster, object }) => [
        cluster,
        assessArgoCd(object)?.message,
      ]),
    );
    expect([...last].sort()).toEqual([
      ['wec1', 'CRD is healthy'],
      ['wec2', 'Pending deletion'],
      ['wec3', 'CRD names have not been accepted: "gd" is already in use'],
    ]);
  });
});
