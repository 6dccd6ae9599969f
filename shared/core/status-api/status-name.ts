import { isPathSegment, isSourceName, isSubdomain } from '#shared/core/names.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';

/** A resource without its version. `''` is the core group. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** Identifies a workload object in the one WDS whose API is served. */
export type WorkloadName = Omit<WorkloadRef, 'wds'>;

/** Identifies what one WEC reports of one workload object. */
export interface WecStatusRef {
  readonly workload: WorkloadName;
  readonly wec: string;
}

const RESOURCE = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** `deployments.apps`, or `services` for the core group. */
export function resourceText({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** The inverse of {@link resourceText}. Undefined if the text has another form. */
export function parseResourceText(text: string): GroupResource | undefined {
  const dot = text.indexOf('.');
  const resource = dot < 0 ? text : text.slice(0, dot);
  const group = dot < 0 ? '' : text.slice(dot + 1);
  const isValid = RESOURCE.test(resource) && (dot < 0 || isSubdomain(group));
  return isValid ? { group, resource } : undefined;
}

/** `deployments.apps:web`: the name of a workload object in the API. */
export function workloadText(workload: WorkloadName): string {
  return `${resourceText(workload)}:${workload.name}`;
}

/**
 * `deployments.apps:web:edge-00017`: the name of a WECStatus. No resource and no group has a colon, so the first colon ends the
 * resource. A colon of a WEC's name is written as `~`, which no WEC's name has, so the last colon ends the object's name, which
 * may have colons itself (`system:node`).
 */
export function wecStatusName({ workload, wec }: WecStatusRef): string {
  return `${workloadText(workload)}:${wec.replaceAll(':', '~')}`;
}

/**
 * The inverse of {@link workloadText}. Undefined if the text is no such name.
 *
 * @param namespace `''` for an object without a namespace
 */
export function parseWorkloadText(text: string, namespace: string): WorkloadName | undefined {
  const colon = text.indexOf(':');
  const resource = colon < 0 ? undefined : parseResourceText(text.slice(0, colon));
  const name = text.slice(colon + 1);
  if (resource === undefined || !isPathSegment(name)) return undefined;
  return { ...resource, namespace, name };
}

/**
 * The inverse of {@link wecStatusName}. Undefined if the text is no such name.
 *
 * @param namespace `''` for an object without a namespace
 */
export function parseWecStatusName(text: string, namespace: string): WecStatusRef | undefined {
  const colon = text.lastIndexOf(':');
  const workload = parseWorkloadText(text.slice(0, Math.max(colon, 0)), namespace);
  const written = text.slice(colon + 1);
  const wec = written.replaceAll('~', ':');
  if (workload === undefined || !isSourceName(wec)) return undefined;
  return { workload, wec };
}
