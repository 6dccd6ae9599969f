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

import { ABSENT, facetOf } from '#shared/state/facets.ts';
import type { Applied, Facet } from '#shared/state/head.ts';
import { ownerKey, sortableNumber } from '#shared/state/keys.ts';
import { decodeOwner, ownerBody } from '#shared/state/owner.ts';
import { isAsApplied, type WriteContext } from './write-context.ts';

/** A CombinedStatus to look at: as it stands in the WDS, and as it is wanted. */
export interface CombinedStatusSlot {
  readonly facet: string;
  readonly ref: ObjectRef;
  readonly wanted?: JsonObject;
  readonly seen?: JsonObject;
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

/** Puts the entry by which an event of the object, also of its deletion, finds the subject. */
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

async function remove(context: WriteContext, ref: ObjectRef, seen: JsonObject): Promise<void> {
  const precondition = { uid: uidOf(seen), resourceVersion: resourceVersionOf(seen) };
  await context.api.delete(ref, precondition);
}

/** Everything of the wanted object, on what else the one in the WDS has: annotations, finalizers. */
function replacement(seen: JsonObject, wanted: JsonObject): JsonObject {
  const metadata = member(seen, 'metadata');
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

function differs(seen: JsonObject, wanted: JsonObject): boolean {
  return !(
    equalJson(member(seen, 'results'), member(wanted, 'results')) &&
    equalJson(at(seen, 'metadata', 'labels'), at(wanted, 'metadata', 'labels')) &&
    equalJson(at(seen, 'metadata', 'ownerReferences'), at(wanted, 'metadata', 'ownerReferences'))
  );
}

async function write(
  context: WriteContext,
  slot: CombinedStatusSlot,
  wanted: JsonObject,
): Promise<string> {
  const { ref, seen } = slot;
  // The entry comes first. What somebody else has made has none until it is taken over.
  if (seen === undefined || context.applied.facets[slot.facet] === undefined)
    await own(context, ref);
  if (seen === undefined) return facetOf(await create(context, ref, wanted));
  if (!differs(seen, wanted)) return facetOf(seen);
  return facetOf(await context.api.replace(ref, replacement(seen, wanted)));
}

function isOf({ subject }: WriteContext, owner: Subject): boolean {
  return subjectPartition(owner) === subjectPartition(subject);
}

async function discard(context: WriteContext, slot: CombinedStatusSlot): Promise<undefined> {
  const { ref, seen } = slot;
  const { store } = context.deps;
  const key = ownerKey(context.wds, ref.namespace, ref.name);
  const [owner] = await store.get([key]);
  // It was a stray when it was seen, and has been taken over since: its subject knows whether it is wanted.
  if (owner !== undefined && !isOf(context, decodeOwner(owner))) return undefined;
  if (seen !== undefined) await remove(context, ref, seen);
  // On the version read before the deletion: another writer may have made the object anew since, with an entry of its own.
  if (owner?.version !== undefined) await store.delete([{ key, version: owner.version }]);
  return undefined;
}

function slotFacet(slot: CombinedStatusSlot, wanted: JsonObject): Facet {
  const { seen } = slot;
  return {
    want: contentHash(stringifyJson(wanted)),
    seen: seen === undefined ? ABSENT : facetOf(seen),
  };
}

/** Whether a CombinedStatus is as it was recorded, or absent where none is wanted. */
export function isSlotAsApplied(applied: Applied, slot: CombinedStatusSlot): boolean {
  const { wanted, seen, facet } = slot;
  return wanted === undefined
    ? seen === undefined && applied.facets[facet] === undefined
    : isAsApplied(applied.facets[facet], slotFacet(slot, wanted));
}

/**
 * Makes one CombinedStatus what is wanted: created where it was absent, replaced on the version seen, deleted with a
 * precondition. One that the API server refuses is kept as a refusal.
 *
 * @returns the facet to record; `undefined` for one that shall not exist.
 */
export async function writeCombinedStatus(
  context: WriteContext,
  slot: CombinedStatusSlot,
): Promise<Facet | undefined> {
  const { wanted, facet } = slot;
  if (wanted === undefined) return discard(context, slot);
  const now = slotFacet(slot, wanted);
  const prefix = `CombinedStatus ${slot.ref.name}: `;
  if (isAsApplied(context.applied.facets[facet], now)) {
    context.refusals.push(...context.applied.reported.filter((text) => text.startsWith(prefix)));
    return now;
  }
  try {
    return { ...now, seen: await write(context, slot, wanted) };
  } catch (error) {
    if (!(error instanceof ApiInvalidError)) throw error;
    context.refusals.push(`${prefix}the API server refuses it: ${error.reason}`);
    return now;
  }
}
