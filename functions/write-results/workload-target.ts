import { contentHash } from '#shared/content-hash.ts';
import type { DesiredWorkload } from '#shared/core/desired/workload-fold.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { combinedStatusRef } from '#shared/core/kubestellar.ts';
import type { Subject } from '#shared/core/subject.ts';
import { workloadTitle } from '#shared/core/workload.ts';
import { ApiForbiddenError } from '#shared/errors.ts';
import { reportErrors } from '#shared/outbox/report-errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { WORKLOAD_RESULT } from '#shared/state/contents.ts';
import { type Applied, type OwnedHashes, resultKey } from '#shared/state/head.ts';
import { ABSENT, OWN_OBJECT, ownedCombinedStatus } from '#shared/state/owned-hashes.ts';
import {
  type CombinedStatusSlot,
  isSlotAsApplied,
  writeCombinedStatus,
} from './combined-status.ts';
import { notifyOfRefusals } from './notify-of-refusals.ts';
import type { Assignment, Target } from './target.ts';
import { isMarked, workloadHashes, writeWorkloadObject } from './workload-object.ts';
import { isAsApplied } from './write-context.ts';

type WorkloadAssignment = Assignment<Extract<Subject, { type: 'workload' }>>;

interface CurrentWorkload {
  readonly object: JsonObject | undefined;
  readonly slots: readonly CombinedStatusSlot[];
}

const COMBINED_STATUS = /^combinedstatuses\/([^/]*)\/(.+)$/;

/** Every CombinedStatus to compare: the desired ones, those applied before, and those that a hint names. */
function slotsOf(assignment: WorkloadAssignment, desired: DesiredWorkload): CombinedStatusSlot[] {
  const slots = new Map<string, CombinedStatusSlot>();
  const add = (namespace: string, name: string, wanted?: JsonObject): void => {
    const ownedName = ownedCombinedStatus(namespace, name);
    const known = slots.get(ownedName);
    slots.set(ownedName, {
      ...known,
      ownedName,
      ref: combinedStatusRef(namespace, name),
      ...(wanted === undefined ? {} : { wanted }),
    });
  };
  for (const { namespace, name } of assignment.objects) add(namespace, name);
  for (const ownedName of Object.keys(assignment.applied.owned)) {
    const [, namespace, name] = COMBINED_STATUS.exec(ownedName) ?? [];
    if (namespace !== undefined && name !== undefined) add(namespace, name);
  }
  for (const { namespace, name, object } of desired.combinedStatuses) add(namespace, name, object);
  return [...slots.values()];
}

function wantsNothing({ status }: DesiredWorkload): boolean {
  switch (status.type) {
    case 'status':
      return false;
    case 'none':
      return Object.values(status.labels).every((value) => value === null);
    case 'untouched':
      return true;
  }
}

/** Whether Starfold may have written to the object, according to the record. */
function hasWritten(own: OwnedHashes | undefined): boolean {
  return own !== undefined && own.observed !== ABSENT && own.labelsOnly !== true;
}

/**
 * Reads the workload object. The writer may not read some kinds (Secrets). If it need not write the object and never has, such
 * an object counts as absent.
 */
async function readObject(
  api: ObjectApi,
  ref: ObjectRef,
  mayBeForbidden: boolean,
): Promise<JsonObject | undefined> {
  if (ref.version === '') return undefined;
  try {
    return await api.get(ref);
  } catch (error) {
    const isForbidden = error instanceof ApiForbiddenError && !error.unauthenticated;
    if (isForbidden && mayBeForbidden) return undefined;
    throw error;
  }
}

/** Release 0.1 did not record which object was rejected. If there is such a record, every object is written again. */
function withRecordedRefusals(applied: Applied): Applied {
  const hashes = Object.entries(applied.owned);
  if (applied.reported.length === 0 || hashes.some(([, { refused }]) => refused !== undefined))
    return applied;
  return {
    ...applied,
    owned: Object.fromEntries(hashes.map(([name, known]) => [name, { ...known, want: '' }])),
  };
}

/**
 * Writes what a workload object needs: its `.status` and labels, and its CombinedStatuses. A rejection by the API server is
 * reported in the status of the Bindings, and the write is not retried until something changes.
 */
export function workloadTarget(assignment: WorkloadAssignment): Target<CurrentWorkload> {
  const { deps, subject } = assignment;
  const applied = withRecordedRefusals(assignment.applied);
  const { workload } = subject;
  const desired = WORKLOAD_RESULT.decode(assignment.desired, resultKey(subject));
  const api = deps.wds(workload.wds);
  const { group, resource, namespace, name } = workload;
  const ref: ObjectRef = { group, version: desired.version, resource, namespace, name };
  const { uid } = desired;
  // If another object has the name now, the recorded hashes of the previous one are not yet those of this one.
  const want = contentHash(
    stringifyJson({ ...desired.status, ...(uid === undefined ? {} : { uid }) }),
  );
  const mayBeForbidden = wantsNothing(desired) && !hasWritten(applied.owned[OWN_OBJECT]);
  return {
    async read() {
      const slots = slotsOf(assignment, desired);
      const [object, ...current] = await Promise.all([
        readObject(api, ref, mayBeForbidden),
        ...slots.map((slot) => api.get(slot.ref)),
      ]);
      return {
        object,
        slots: slots.map((slot, index) => {
          const found = current[index];
          return found === undefined ? slot : { ...slot, current: found };
        }),
      };
    },
    // The name of a CombinedStatus contains the UID of the BindingPolicy. As long as the policy is not known, one that exists has
    // another name than the desired one. So none is created before the listing has shown those that exist.
    isLeft: ({ object, slots }, hasListed) =>
      object === undefined ||
      isMarked(object) ||
      slots.some(({ current }) => current !== undefined) ||
      (!hasListed && desired.combinedStatuses.length > 0) ||
      (desired.status.type !== 'status' && desired.combinedStatuses.length === 0),
    isAsApplied: ({ object, slots }) =>
      isAsApplied(applied.owned[OWN_OBJECT], workloadHashes({ ref, object, desired, want })) &&
      slots.every((slot) => isSlotAsApplied(applied, slot)),
    async write({ object, slots }) {
      const owned: Record<string, OwnedHashes> = {};
      const context = { deps, api, wds: workload.wds, applied, subject };
      owned[OWN_OBJECT] = await writeWorkloadObject(context, { ref, object, desired, want });
      for (const slot of slots) {
        const hashes = await writeCombinedStatus(context, slot);
        if (hashes !== undefined) owned[slot.ownedName] = hashes;
      }
      const reported = Object.values(owned).flatMap(({ refused = [] }) => refused);
      return {
        owned,
        errorBindings:
          reported.length > 0
            ? [...new Set([...applied.errorBindings, ...desired.bindings])].sort()
            : applied.errorBindings,
        reported,
      };
    },
    async settled(now: Applied) {
      const { revision } = now;
      const texts = now.reported.map((text) => `${workloadTitle(workload)}: ${text}`);
      const byBinding = new Map(
        now.errorBindings.map((binding) => [
          binding,
          desired.bindings.includes(binding) ? texts : [],
        ]),
      );
      await reportErrors(deps, { workload, origin: 'write', revision, byBinding });
      await notifyOfRefusals(deps, workload, now);
    },
  };
}
