import { at, equalJson, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { MANAGED_BY_PREFIX, OWNED_LABELS } from '#shared/core/kubestellar.ts';
import { resourceVersionOf } from '#shared/core/metadata.ts';
import type { StatusLabels, StatusOutcome } from '#shared/core/status/decision.ts';
import { writableStatus } from '#shared/core/status/writable-status.ts';
import type { DesiredWorkload } from '#shared/core/workload-fold.ts';
import { ApiInvalidError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { OwnedHashes } from '#shared/state/head.ts';
import { ABSENT, OWN_OBJECT, ownedHash, ownedLabelsHash } from '#shared/state/owned-hashes.ts';
import { isAsApplied, type WriteContext } from './write-context.ts';

/** The workload object as it was read, and what is wanted of it. */
export interface WorkloadObjectWrite {
  readonly ref: ObjectRef;
  readonly object: JsonObject | undefined;
  readonly desired: DesiredWorkload;
  /** Hash of what is wanted. */
  readonly want: string;
}

/** An object that is being written: what is known of it after each step. */
interface Writing {
  readonly api: ObjectApi;
  readonly ref: ObjectRef;
  object: JsonObject;
  /** What of the wanted status does not come to stand there, and why. */
  readonly refusals: string[];
}

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
    (key) => key.startsWith(MANAGED_BY_PREFIX) && labelOf(object, key) !== undefined,
  );
}

/** Whether an object carries a label by which what stands in it is known to be Starfold's, or KubeStellar's. */
export function isMarked(object: JsonObject): boolean {
  return OWNED_LABELS.some((key) => labelOf(object, key) !== undefined);
}

async function setLabels(writing: Writing, wanted: StatusLabels): Promise<void> {
  const { api, ref, object } = writing;
  const labels = labelChanges(object, wanted);
  if (Object.keys(labels).length === 0) return;
  const change = { resourceVersion: resourceVersionOf(object), labels };
  writing.object = await api.patchLabels(ref, change);
}

/** Writes what can be written of a status; returns what of it does not come to stand there, and why. */
async function setStatus(writing: Writing, desired: JsonObject): Promise<string | undefined> {
  const { api, ref, object } = writing;
  const stored = member(object, 'status');
  const { status, problem } = writableStatus(object, desired, stored);
  if (equalJson(stored, status)) return problem;
  const change = { resourceVersion: resourceVersionOf(object), status };
  writing.object = await api.replaceStatus(ref, change);
  return problem;
}

async function setWantedStatus(writing: Writing, desired: JsonObject): Promise<void> {
  const problem = await setStatus(writing, desired);
  if (problem !== undefined) writing.refusals.push(`status: ${problem}`);
}

async function apply(writing: Writing, outcome: StatusOutcome): Promise<void> {
  switch (outcome.type) {
    case 'status':
      // Label first: a status that Starfold wrote is never without the label that says so.
      await setLabels(writing, outcome.labels);
      return setWantedStatus(writing, outcome.status);
    case 'none':
      // Label last, for the same reason. A status that somebody else wrote is left alone, and so is, without the label,
      // what cannot be cleared: nobody asks for a status here, so that is no problem to tell of.
      if (hasManagedStatus(writing.object, outcome.labels)) await setStatus(writing, {});
      return setLabels(writing, outcome.labels);
    case 'untouched':
      return;
  }
}

/** What is recorded of a workload object that stands so. */
export function workloadHashes({ object, want, desired }: WorkloadObjectWrite): OwnedHashes {
  if (object === undefined) return { want, observed: ABSENT };
  return desired.status.type === 'status'
    ? { want, observed: ownedHash(object) }
    : { want, observed: ownedLabelsHash(object), labelsOnly: true };
}

/**
 * Makes `.status` and the owned labels of a workload object what is wanted (design, sections 8 and 9.14). What the API
 * server refuses is kept as a refusal; the object then stays as it is until something changes. What it would refuse
 * because of what stands in the object is not tried: the nearest status is written, and said to be no more than that.
 */
export async function writeWorkloadObject(
  context: WriteContext,
  write: WorkloadObjectWrite,
): Promise<OwnedHashes> {
  const { object, desired } = write;
  const now = workloadHashes(write);
  if (object === undefined) return now;
  if (isAsApplied(context.applied.owned[OWN_OBJECT], now)) {
    context.refusals.push(
      ...context.applied.reported.filter((text) => text.startsWith('status: ')),
    );
    return now;
  }
  const { api, refusals } = context;
  const writing: Writing = { api, ref: write.ref, object, refusals };
  try {
    await apply(writing, desired.status);
  } catch (error) {
    if (!(error instanceof ApiInvalidError)) throw error;
    refusals.push(`status: the API server refuses it: ${error.reason}`);
  }
  return workloadHashes({ ...write, object: writing.object });
}
