import { bindingObject, sameBinding } from '#shared/core/binding/binding-object.ts';
import type { BindingPolicy } from '#shared/core/binding/binding-policy.ts';
import type { ResolvedBinding } from '#shared/core/binding/resolved-binding.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import { controlRef } from '#shared/core/kubestellar.ts';
import { metadataText, resourceVersionOf, uidOf } from '#shared/core/metadata.ts';
import { ApiConflictError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';

/** A policy and its current resolution. */
export interface WantedBinding {
  readonly policy: BindingPolicy;
  readonly resolved: ResolvedBinding;
  /** Identifies the content of the objects. */
  readonly content: string;
}

/** The desired and the present Binding of a name. */
export interface BindingState {
  readonly name: string;
  /** Absent if there is no such policy. */
  readonly wanted?: WantedBinding;
  /** The Binding as it was last seen. Absent if there is none. */
  readonly current?: JsonObject;
}

/**
 * Annotation on a Binding that identifies the content of its objects at the time when their resourceVersions were
 * written into it. Another process can then tell whether newer resourceVersions mean newer content or only a newer
 * status.
 */
const CONTENT_HASH = 'starfold.dev/content-hash';

function ownersOf(binding: JsonObject): readonly JsonValue[] {
  const owners = at(binding, 'metadata', 'ownerReferences');
  return isArray(owners) ? owners : [];
}

function isOwnPolicy(owner: JsonValue, name: string): boolean {
  return member(owner, 'kind') === 'BindingPolicy' && member(owner, 'name') === name;
}

/**
 * Whether a Binding was made from the BindingPolicy of its name. Any other Binding was made by hand and is not changed.
 */
export function isOfPolicy(binding: JsonObject): boolean {
  return ownersOf(binding).some((owner) => isOwnPolicy(owner, metadataText(binding, 'name')));
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function withContent(binding: JsonObject, content: string): JsonObject {
  const metadata = membersOf(member(binding, 'metadata'));
  const annotations = { ...membersOf(metadata['annotations']), [CONTENT_HASH]: content };
  return { ...binding, metadata: { ...metadata, annotations } };
}

/**
 * The desired Binding, with the other content of the present one: labels, annotations, finalizers, other owners, the
 * status.
 */
function replacement(current: JsonObject, wanted: JsonObject): JsonObject {
  const name = metadataText(current, 'name');
  const others = ownersOf(current).filter((owner) => !isOwnPolicy(owner, name));
  const metadata = {
    ...membersOf(member(current, 'metadata')),
    ownerReferences: [...others, ...ownersOf(wanted)],
  };
  return { ...current, metadata, spec: member(wanted, 'spec') ?? {} };
}

async function remove(api: ObjectApi, current: JsonObject, signal: AbortSignal): Promise<void> {
  const name = metadataText(current, 'name');
  // Workload objects are deleted with a Binding. The policies may have been seen at an earlier time than the Bindings.
  const policy = await api.get(controlRef('bindingpolicies', name), signal);
  if (policy !== undefined && !isDeleting(policy))
    throw new ApiConflictError(`delete Binding ${name}`, 'its BindingPolicy exists');
  const [uid, resourceVersion] = [uidOf(current), resourceVersionOf(current)];
  await api.delete(controlRef('bindings', name), { uid, resourceVersion }, signal);
}

/**
 * Creates, replaces or deletes the Binding of a name so that it matches its policy. The write requires the version that
 * was seen. A Binding is not changed if it was made by hand, is being deleted, or already has the desired content. A
 * new resourceVersion of an object is no reason to write as long as the content of all objects is the same.
 *
 * @throws like {@link ObjectApi}; ApiConflictError also if there is a policy that was not seen
 */
export async function writeBinding(
  api: ObjectApi,
  { name, wanted, current }: BindingState,
  signal: AbortSignal,
): Promise<void> {
  if (current !== undefined && (!isOfPolicy(current) || isDeleting(current))) return;
  if (wanted === undefined) {
    if (current !== undefined) await remove(api, current, signal);
    return;
  }
  const { policy, resolved, content } = wanted;
  const object = bindingObject(policy, resolved);
  const ref = controlRef('bindings', name);
  if (current === undefined) {
    await api.create(ref, withContent(object, content), signal);
    return;
  }
  const stood = at(current, 'metadata', 'annotations', CONTENT_HASH);
  const isSame = sameBinding(current, object, { ignoreResourceVersions: stood === content });
  if (!isSame) await api.replace(ref, withContent(replacement(current, object), content), signal);
}
