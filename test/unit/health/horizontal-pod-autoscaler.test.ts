import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NAMES = { kind: 'HorizontalPodAutoscaler', spec: { maxReplicas: 4 } };
const WAITING: ArgoCdVerdict = { status: 'Progressing', message: 'Waiting to Autoscale' };

function said(type: string, status: string, reason: string): JsonObject {
  return { type, status, reason, message: `${type} says ${reason}` };
}

function v2(conditions: JsonValue): JsonObject {
  const apiVersion = 'autoscaling/v2';
  return { ...NAMES, apiVersion, metadata: { name: 'web' }, status: { conditions } };
}

function v1(annotations: JsonObject): JsonObject {
  return { ...NAMES, apiVersion: 'autoscaling/v1', metadata: { name: 'web', annotations } };
}

function annotated(text: string): JsonObject {
  return v1({ 'autoscaling.alpha.kubernetes.io/conditions': text });
}

const ABLE = said('AbleToScale', 'True', 'ReadyForNewScale');
const UNABLE = said('AbleToScale', 'False', 'BackoffBoth');
const LIMITED = said('ScalingLimited', 'True', 'TooManyReplicas');

function degraded(entry: JsonObject): ArgoCdVerdict {
  return { status: 'Degraded', message: String(entry['message']) };
}

function healthy(entry: JsonObject): ArgoCdVerdict {
  return { status: 'Healthy', message: String(entry['message']) };
}

describe('Argo CD health of a HorizontalPodAutoscaler', () => {
  it.each<[string, JsonValue, ArgoCdVerdict]>([
    ['waits without conditions', [], WAITING],
    ['waits where the list is null, as Kubernetes writes it', null, WAITING],
    ['waits while it is neither able to scale nor limited', [UNABLE], WAITING],
    ['is healthy when it is able to scale', [ABLE], healthy(ABLE)],
    ['is healthy when it is limited, able or not', [UNABLE, LIMITED], healthy(LIMITED)],
    [
      'is healthy without a message',
      [{ type: 'AbleToScale', status: 'True' }],
      { status: 'Healthy' },
    ],
    ['does not count other types', [said('ScalingActive', 'True', 'ValidMetricFound')], WAITING],
    ['does not count other reasons', [said('ScalingActive', 'False', 'ScalingDisabled')], WAITING],
  ])('%s', (_name, conditions, verdict) => {
    expect(assessArgoCd(v2(conditions), '3')).toEqual(verdict);
    expect(assessArgoCd(v2(conditions), '2.14')).toEqual(verdict);
  });

  it.each([
    ['AbleToScale', 'FailedGetScale'],
    ['AbleToScale', 'FailedUpdateScale'],
    ['ScalingActive', 'FailedGetResourceMetric'],
    ['ScalingActive', 'InvalidSelector'],
  ])('is degraded if %s says %s, whatever its status', (type, reason) => {
    for (const status of ['False', 'True', 'Unknown']) {
      const entry = said(type, status, reason);
      expect(assessArgoCd(v2([entry, LIMITED]), '3')).toEqual(degraded(entry));
      expect(assessArgoCd(v2([entry, LIMITED]), '2.14')).toEqual(degraded(entry));
    }
  });

  it.each([
    'FailedGetObjectMetric',
    'FailedGetPodsMetric',
    'FailedGetExternalMetric',
    'FailedComputeMetricsReplicas',
  ])('is degraded if ScalingActive says %s, to Argo CD 3 alone', (reason) => {
    const entry = said('ScalingActive', 'False', reason);
    expect(assessArgoCd(v2([entry]), '3')).toEqual(degraded(entry));
    expect(assessArgoCd(v2([entry]), '2.14')).toEqual(WAITING);
  });

  it('hides a failure behind AbleToScale True from Argo CD 2.14, not from 3', () => {
    const entry = said('ScalingActive', 'False', 'FailedGetResourceMetric');
    expect(assessArgoCd(v2([ABLE, entry]), '3')).toEqual(degraded(entry));
    expect(assessArgoCd(v2([ABLE, entry]), '2.14')).toEqual(healthy(ABLE));
  });

  it.each<[string, JsonObject, ArgoCdVerdict]>([
    ['waits without the annotation', v1({}), WAITING],
    ['waits where it is an empty list', annotated('[]'), WAITING],
    ['waits where it is null', annotated('null'), WAITING],
    ['is what the list in it says', annotated(JSON.stringify([ABLE])), healthy(ABLE)],
    [
      'is unknown where it is no JSON',
      annotated('[{'),
      { status: 'Unknown', message: 'failed to convert conditions annotation to typed' },
    ],
    [
      'is unknown where it is no list of objects',
      annotated('["AbleToScale"]'),
      { status: 'Unknown', message: 'failed to convert conditions annotation to typed' },
    ],
    [
      'is unknown where it is no list',
      annotated('{}'),
      { status: 'Unknown', message: 'failed to convert conditions annotation to typed' },
    ],
  ])('in autoscaling/v1 reads an annotation: %s', (_name, object, verdict) => {
    expect(assessArgoCd(object, '3')).toEqual(verdict);
    expect(assessArgoCd(object, '2.14')).toEqual(verdict);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'is not led astray by a condition of a type %s, which every object has',
    (type) => {
      const odd = { ...ABLE, type, reason: 'constructor' };
      for (const version of ['2.14', '3'] as const)
        expect(assessArgoCd(v2([odd, ABLE]), version)).toEqual(healthy(ABLE));
    },
  );

  it.each(['autoscaling/v2beta1', 'autoscaling/v2beta2'])(
    'of %s is known to 2.14',
    (apiVersion) => {
      const object = { ...v2([ABLE]), apiVersion };
      expect(assessArgoCd(object, '2.14')).toEqual(healthy(ABLE));
      expect(assessArgoCd(object, '3')).toEqual({
        status: 'Unknown',
        message: `unsupported HPA GVK: ${apiVersion}, Kind=HorizontalPodAutoscaler`,
      });
    },
  );
});
