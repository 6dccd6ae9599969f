import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '#shared/core/json.ts';
import type { ArgoCdVerdict, ArgoCdVersion } from './verdict.ts';

/** The annotation in which autoscaling/v1 keeps the conditions as JSON, because its status has none. */
const CONDITIONS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/conditions';

/**
 * The reasons for which Argo CD calls an autoscaler Degraded, regardless of the status of the condition, by the type of
 * the condition.
 */
const FAILURES: ReadonlyMap<string, readonly string[]> = new Map([
  ['AbleToScale', ['FailedGetScale', 'FailedUpdateScale']],
  ['ScalingActive', ['FailedGetResourceMetric', 'InvalidSelector']],
]);

/** The reasons that Argo CD knows since version 3. */
const NEWER_FAILURES: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'ScalingActive',
    [
      'FailedGetObjectMetric',
      'FailedGetPodsMetric',
      'FailedGetExternalMetric',
      'FailedComputeMetricsReplicas',
    ],
  ],
]);

const HEALTHY_TYPES: readonly string[] = ['AbleToScale', 'ScalingLimited'];

function text(entry: JsonValue, key: string): string {
  const value = member(entry, key);
  return typeof value === 'string' ? value : '';
}

function isIn(reasons: ReadonlyMap<string, readonly string[]>, entry: JsonValue): boolean {
  return reasons.get(text(entry, 'type'))?.includes(text(entry, 'reason')) ?? false;
}

/** Whether a condition makes Argo CD call an autoscaler Degraded. */
export function isScalingFailure(entry: JsonValue, version: ArgoCdVersion): boolean {
  return isIn(FAILURES, entry) || (version === '3' && isIn(NEWER_FAILURES, entry));
}

/** Whether a condition that is not a failure makes Argo CD call an autoscaler Healthy. */
export function isScalingHealthy(entry: JsonValue): boolean {
  return HEALTHY_TYPES.includes(text(entry, 'type')) && text(entry, 'status') === 'True';
}

/** The entry that decides. 2.14 takes the first entry with a verdict. 3 looks for failures first. */
function decidingEntry(
  entries: readonly JsonValue[],
  version: ArgoCdVersion,
): JsonValue | undefined {
  const fails = (entry: JsonValue): boolean => isScalingFailure(entry, version);
  return version === '3'
    ? (entries.find(fails) ?? entries.find(isScalingHealthy))
    : entries.find((entry) => fails(entry) || isScalingHealthy(entry));
}

/** The conditions in the annotation, or undefined if the annotation exists and cannot be read. */
function annotatedConditions(object: JsonObject): readonly JsonValue[] | undefined {
  const annotation = at(object, 'metadata', 'annotations', CONDITIONS_ANNOTATION);
  if (typeof annotation !== 'string') return [];
  let value: JsonValue;
  try {
    value = parseJson(annotation);
  } catch {
    return undefined;
  }
  if (value === null) return [];
  return isArray(value) && value.every(isObject) ? value : undefined;
}

function statusConditions(object: JsonObject): readonly JsonValue[] {
  const conditions = at(object, 'status', 'conditions');
  return isArray(conditions) ? conditions : [];
}

/**
 * Argo CD's health of an autoscaling HorizontalPodAutoscaler (gitops-engine, `health_hpa.go`). Reads type, status,
 * reason and message of the conditions, which are in `.status`, or in an annotation in autoscaling/v1. Argo CD 2.14
 * takes the first condition that means Healthy or Degraded. Argo CD 3 knows more failures, and looks for failures
 * first.
 */
export function assessHorizontalPodAutoscaler(
  object: JsonObject,
  version: ArgoCdVersion,
): ArgoCdVerdict {
  const isV1 = object['apiVersion'] === 'autoscaling/v1';
  const entries = isV1 ? annotatedConditions(object) : statusConditions(object);
  if (entries === undefined)
    return { status: 'Unknown', message: 'failed to convert conditions annotation to typed' };
  const entry = decidingEntry(entries, version);
  if (entry === undefined) return { status: 'Progressing', message: 'Waiting to Autoscale' };
  const status = isScalingFailure(entry, version) ? 'Degraded' : 'Healthy';
  const message = text(entry, 'message');
  return message === '' ? { status } : { status, message };
}
