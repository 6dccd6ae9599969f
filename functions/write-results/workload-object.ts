import type { DesiredWorkload } from '#shared/core/desired/workload-fold.ts';
import { at, equalJson, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { MANAGED_BY_PREFIX, OWNED_LABELS } from '#shared/core/kubestellar.ts';
import { resourceVersionOf, uidOf } from '#shared/core/metadata.ts';
import type { StatusLabels, StatusOutcome } from '#shared/core/status/decision.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import { ApiInvalidError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { OwnedHashes } from '#shared/state/head.ts';
import { ABSENT, OWN_OBJECT, ownedHash, ownedLabelsHash } from '#shared/state/owned-hashes.ts';
import { statusRejected } from './messages.ts';
import { isAsApplied, type WriteContext, withRefusals } from './write-context.ts';

/** The workload object as it was read, and what is wanted of it. */
export interface WorkloadObjectWrite {
  readonly ref: ObjectRef;
  readonly object: JsonObject | undefined;
  readonly desired: DesiredWorkload;
  /** Hash of what is wanted. */
  readonly want: string;
}

/** An object that is being written, as it is after each step. */
interface Writing {
  readonly api: ObjectApi;
  readonly ref: ObjectRef;
  object: JsonObject;
  /** The parts of the wanted status that are not written, and why. */
  readonly refused: string[];
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

/** Whether an object has a label which says that Starfold or KubeStellar has written its status. */
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

/** Writes the part of a status that can be written. @returns what was not written, and why */
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
  if (problem !== undefined) writing.refused.push(`status: ${problem}`);
}

async function apply(writing: Writing, outcome: StatusOutcome): Promise<void> {
  switch (outcome.type) {
    case 'status':
      // Label first, so that a status that Starfold wrote always has the label that says so.
      await setLabels(writing, outcome.labels);
      return setWantedStatus(writing, outcome.status);
    case 'none':
      // Label last, for the same reason. A status of another client is left unchanged. If a status cannot be cleared, it is
      // left without the label. That is not an error, because nobody requests a status here.
      if (hasManagedStatus(writing.object, outcome.labels)) await setStatus(writing, {});
      return setLabels(writing, outcome.labels);
    case 'untouched':
      return;
  }
}

/** The hashes to record for a workload object. */
export function workloadHashes({ object, want, desired }: WorkloadObjectWrite): OwnedHashes {
  if (object === undefined) return { want, observed: ABSENT };
  return desired.status.type === 'status'
    ? { want, observed: ownedHash(object) }
    : { want, observed: ownedLabelsHash(object), labelsOnly: true };
}

/** Whether the object is not the one of the result: it was deleted, and created again under the same name. */
function isAnother(object: JsonObject, { uid }: DesiredWorkload): boolean {
  return uid !== undefined && uid !== uidOf(object);
}

/**
 * Writes `.status` and the owned labels of a workload object (docs/architecture.md, sections 8 and 9.14). If the API server
 * rejects the status, the object stays as it is until something changes. A status that the API server would reject because of
 * the stored status is not sent. Instead, the nearest status is written, and the rejection is reported. If the object was created
 * again since the result was computed, it is left unchanged: its own event leads to its own result, and a Job cannot be
 * unfinished.
 */
export async function writeWorkloadObject(
  context: WriteContext,
  write: WorkloadObjectWrite,
): Promise<OwnedHashes> {
  const { object, desired } = write;
  const now = workloadHashes(write);
  if (object === undefined || isAnother(object, desired)) return now;
  const known = context.applied.owned[OWN_OBJECT];
  if (known !== undefined && isAsApplied(known, now)) return known;
  const refused: string[] = [];
  const writing: Writing = { api: context.api, ref: write.ref, object, refused };
  try {
    await apply(writing, desired.status);
  } catch (error) {
    if (!(error instanceof ApiInvalidError)) throw error;
    refused.push(statusRejected(error.reason));
  }
  return withRefusals(workloadHashes({ ...write, object: writing.object }), refused);
}
