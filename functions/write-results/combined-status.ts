import { contentHash } from '#shared/content-hash.ts';
import {
  at,
  equalJson,
  isObject,
  type JsonObject,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { REPORT_NAMESPACE } from '#shared/core/kubestellar.ts';
import { resourceVersionOf, uidOf } from '#shared/core/metadata.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { ApiInvalidError, ApiNotFoundError } from '#shared/errors.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { Applied, OwnedHashes } from '#shared/state/head.ts';
import { ownerKey, sortableNumber } from '#shared/state/keys.ts';
import { ABSENT, ownedHash } from '#shared/state/owned-hashes.ts';
import { decodeOwner, ownerBody } from '#shared/state/owner.ts';
import { rejected } from './messages.ts';
import { isAsApplied, type WriteContext, withRefusals } from './write-context.ts';

/** A CombinedStatus, as it is in the WDS and as it is wanted. */
export interface CombinedStatusSlot {
  readonly ownedName: string;
  readonly ref: ObjectRef;
  readonly wanted?: JsonObject;
  readonly current?: JsonObject;
}

async function ensureReportNamespace(context: WriteContext, ref: ObjectRef): Promise<boolean> {
  if (ref.namespace !== REPORT_NAMESPACE) return false;
  const namespace: ObjectRef = {
    group: '',
    version: 'v1',
    resource: 'namespaces',
    namespace: '',
    name: REPORT_NAMESPACE,
  };
  if ((await context.api.get(namespace)) !== undefined) return false;
  await context.api.create(namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: REPORT_NAMESPACE },
  });
  return true;
}

/** Puts the entry by which events of the object, also of its deletion, find the subject. */
async function own(context: WriteContext, ref: ObjectRef): Promise<void> {
  const owner = ownerKey(context.wds, ref.namespace, ref.name);
  const body = ownerBody(context.subject);
  const version = sortableNumber(context.applied.revision);
  await context.deps.store.put([{ item: { ...owner, version, body } }]);
}

async function create(
  context: WriteContext,
  ref: ObjectRef,
  wanted: JsonObject,
): Promise<JsonObject> {
  try {
    return await context.api.create(ref, wanted);
  } catch (error) {
    if (!(error instanceof ApiNotFoundError && (await ensureReportNamespace(context, ref))))
      throw error;
    return context.api.create(ref, wanted);
  }
}

async function remove(context: WriteContext, ref: ObjectRef, current: JsonObject): Promise<void> {
  const precondition = { uid: uidOf(current), resourceVersion: resourceVersionOf(current) };
  await context.api.delete(ref, precondition);
}

/** The wanted object with the annotations and finalizers of the object in the WDS. */
function replacement(current: JsonObject, wanted: JsonObject): JsonObject {
  const metadata = member(current, 'metadata');
  const kept = isObject(metadata) ? metadata : {};
  return {
    ...wanted,
    metadata: {
      ...kept,
      labels: at(wanted, 'metadata', 'labels') ?? {},
      ownerReferences: at(wanted, 'metadata', 'ownerReferences') ?? [],
    },
  };
}

function differs(current: JsonObject, wanted: JsonObject): boolean {
  return !(
    equalJson(member(current, 'results'), member(wanted, 'results')) &&
    equalJson(at(current, 'metadata', 'labels'), at(wanted, 'metadata', 'labels')) &&
    equalJson(at(current, 'metadata', 'ownerReferences'), at(wanted, 'metadata', 'ownerReferences'))
  );
}

async function write(
  context: WriteContext,
  slot: CombinedStatusSlot,
  wanted: JsonObject,
): Promise<string> {
  const { ref, current } = slot;
  // The entry comes first. An object that another client has created has no entry until it is taken over.
  if (current === undefined || context.applied.owned[slot.ownedName] === undefined)
    await own(context, ref);
  if (current === undefined) return ownedHash(await create(context, ref, wanted));
  if (!differs(current, wanted)) return ownedHash(current);
  return ownedHash(await context.api.replace(ref, replacement(current, wanted)));
}

function isOf({ subject }: WriteContext, owner: Subject): boolean {
  return subjectPartition(owner) === subjectPartition(subject);
}

async function discard(context: WriteContext, slot: CombinedStatusSlot): Promise<undefined> {
  const { ref, current } = slot;
  const { store } = context.deps;
  const key = ownerKey(context.wds, ref.namespace, ref.name);
  const [owner] = await store.get([key]);
  // Another subject has taken over what was a stray when it was read, and decides about it.
  if (owner !== undefined && !isOf(context, decodeOwner(owner))) return undefined;
  if (current !== undefined) await remove(context, ref, current);
  // On the version read before the deletion: another writer may have created the object again, with its own entry.
  if (owner?.version !== undefined) await store.delete([{ key, version: owner.version }]);
  return undefined;
}

function slotHashes(slot: CombinedStatusSlot, wanted: JsonObject): OwnedHashes {
  const { current } = slot;
  return {
    want: contentHash(stringifyJson(wanted)),
    observed: current === undefined ? ABSENT : ownedHash(current),
  };
}

/** Whether a CombinedStatus is as recorded, or absent if none is wanted. */
export function isSlotAsApplied(applied: Applied, slot: CombinedStatusSlot): boolean {
  const { wanted, current, ownedName } = slot;
  return wanted === undefined
    ? current === undefined && applied.owned[ownedName] === undefined
    : isAsApplied(applied.owned[ownedName], slotHashes(slot, wanted));
}

/**
 * Creates one CombinedStatus, replaces it on the version that was read, or deletes it with a precondition.
 *
 * @returns the hashes to record, with what the API server rejected; undefined if none is wanted.
 */
export async function writeCombinedStatus(
  context: WriteContext,
  slot: CombinedStatusSlot,
): Promise<OwnedHashes | undefined> {
  const { wanted, ownedName } = slot;
  if (wanted === undefined) return discard(context, slot);
  const now = slotHashes(slot, wanted);
  const known = context.applied.owned[ownedName];
  if (known !== undefined && isAsApplied(known, now)) return known;
  try {
    return { ...now, observed: await write(context, slot, wanted) };
  } catch (error) {
    if (!(error instanceof ApiInvalidError)) throw error;
    const refusal = rejected(`CombinedStatus ${slot.ref.name}`, error.reason);
    return withRefusals(now, [refusal]);
  }
}
