import { at, equalJson, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { StatusLabels, StatusOutcome } from '#shared/core/status/decision.ts';
import { writableStatus } from '#shared/core/status/writable-status.ts';
import type { DesiredWorkload } from '#shared/core/workload-fold.ts';
import { ApiInvalidError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { ABSENT, facetOf, labelsFacetOf, OWN_FACET } from '#shared/state/facets.ts';
import type { Facet } from '#shared/state/head.ts';
import { resourceVersionOf } from './object-fields.ts';
import { isAsApplied, type WriteContext } from './write-context.ts';

/** The workload object as it was read, and what is wanted of it. */
export interface WorkloadObjectWrite {
  readonly ref: ObjectRef;
  readonly object: JsonObject | undefined;
  readonly desired: DesiredWorkload;
  /** Hash of what is wanted. */
  readonly want: string;
}

interface Writing {
  readonly api: ObjectApi;
  readonly ref: ObjectRef;
}

const MANAGED_BY = 'managed-by.kubestellar.io/';

function labelOf(object: JsonObject, key: string): JsonValue | undefined {
  return at(object, 'metadata', 'labels', key);
}

function labelChanges(object: JsonObject, labels: StatusLabels): StatusLabels {
  return Object.fromEntries(
    Object.entries(labels).filter(([key, value]) => (labelOf(object, key) ?? null) !== value),
  );
}

function hasManagedStatus(object: JsonObject, labels: StatusLabels): boolean {
  return Object.keys(labels).some(
    (key) => key.startsWith(MANAGED_BY) && labelOf(object, key) !== undefined,
  );
}

async function setLabels(
  { api, ref }: Writing,
  object: JsonObject,
  wanted: StatusLabels,
): Promise<JsonObject> {
  const labels = labelChanges(object, wanted);
  if (Object.keys(labels).length === 0) return object;
  return api.patchLabels(ref, { resourceVersion: resourceVersionOf(object), labels });
}

async function setStatus(
  { api, ref }: Writing,
  object: JsonObject,
  desired: JsonObject,
): Promise<JsonObject> {
  const stored = member(object, 'status');
  const status = writableStatus(object, desired, stored);
  if (equalJson(stored, status)) return object;
  return api.replaceStatus(ref, { resourceVersion: resourceVersionOf(object), status });
}

async function apply(
  writing: Writing,
  object: JsonObject,
  outcome: StatusOutcome,
): Promise<JsonObject> {
  switch (outcome.type) {
    case 'status': {
      // Label first: a status that Starfold wrote is never without the label that says so.
      const labelled = await setLabels(writing, object, outcome.labels);
      return setStatus(writing, labelled, outcome.status);
    }
    case 'none': {
      // Label last, for the same reason. A status that somebody else wrote is left alone.
      const isOurs = hasManagedStatus(object, outcome.labels);
      const cleared = isOurs ? await setStatus(writing, object, {}) : object;
      return setLabels(writing, cleared, outcome.labels);
    }
    case 'untouched':
      return object;
  }
}

/**
 * Makes `.status` and the owned labels of a workload object what is wanted (design, sections 8 and 9.14). What the API
 * server refuses is kept as a refusal; the object then stays as it is until something changes.
 */
export async function writeWorkloadObject(
  context: WriteContext,
  write: WorkloadObjectWrite,
): Promise<Facet> {
  const { object, want, desired } = write;
  if (object === undefined) return { want, seen: ABSENT };
  const facet = (seen: JsonObject): Facet =>
    desired.status.type === 'status'
      ? { want, seen: facetOf(seen) }
      : { want, seen: labelsFacetOf(seen), labelsOnly: true };
  const now = facet(object);
  if (isAsApplied(context.applied.facets[OWN_FACET], now)) {
    context.refusals.push(
      ...context.applied.reported.filter((text) => text.startsWith('status: ')),
    );
    return now;
  }
  try {
    return facet(await apply({ api: context.api, ref: write.ref }, object, desired.status));
  } catch (error) {
    if (!(error instanceof ApiInvalidError)) throw error;
    context.refusals.push(`status: the API server refuses it: ${error.reason}`);
    const current = await context.api.get(write.ref);
    return current === undefined ? { want, seen: ABSENT } : facet(current);
  }
}
