import { expect } from 'vitest';
import { findCondition } from '#shared/core/fleet/condition.ts';
import { at, isArray, type JsonValue, member } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { pathOf, read } from '../clusters.ts';
import { eventually } from '../controls.ts';
import type { FleetStackChild } from '../stack-child.ts';
import { upstream } from './played.ts';
import { standingObjects, wrongStatuses } from './statuses.ts';

/** What {@link says} gives where all is ready. */
export const READY = ['True', ''];

/** A member of a status, by path. */
export function statusAt(ref: ObjectRef, ...path: readonly string[]) {
  return async (): Promise<JsonValue | undefined> =>
    at(await read(upstream, ref), 'status', ...path);
}

/** Status and message of a condition. */
export function says(ref: ObjectRef, type = 'Ready') {
  return async (): Promise<unknown> => {
    const condition = findCondition(await statusAt(ref, 'conditions')(), type);
    return [member(condition, 'status'), member(condition, 'message') ?? ''];
  };
}

/** Waits until all statuses are what they should be. */
export async function allRight(): Promise<void> {
  await eventually(() => wrongStatuses(upstream), []);
}

/** Waits until nothing waits anywhere in a stack. */
export async function quiet(stack: FleetStackChild): Promise<void> {
  const none = expect.objectContaining({ events: 0, dirty: 0, hints: 0 });
  await eventually(() => stack.backlog(), none);
}

/** The resourceVersions of all objects, by path. */
export async function versions(): Promise<Readonly<Record<string, unknown>>> {
  const objects = await standingObjects(upstream);
  return Object.fromEntries(
    objects.map(({ ref, object }) => [pathOf(ref), at(object, 'metadata', 'resourceVersion')]),
  );
}

/** The objects of which a writer has fields. */
export async function writtenBy(manager: string): Promise<readonly string[]> {
  const objects = await standingObjects(upstream);
  return objects.flatMap(({ ref, object }) => {
    const fields = at(object, 'metadata', 'managedFields');
    const isOne = isArray(fields) && fields.some((entry) => member(entry, 'manager') === manager);
    return isOne ? [pathOf(ref)] : [];
  });
}
