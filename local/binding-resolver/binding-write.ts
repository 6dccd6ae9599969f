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

/** A policy with what it means at the moment. */
export interface WantedBinding {
  readonly policy: BindingPolicy;
  readonly resolved: ResolvedBinding;
  /** Names what the objects say. */
  readonly content: string;
}

/** What there should be under a name, and what there is. */
export interface BindingState {
  readonly name: string;
  /** Absent: there is no such policy. */
  readonly wanted?: WantedBinding;
  /** The Binding as it was last seen; absent: there is none. */
  readonly standing?: JsonObject;
}

/**
 * On a Binding: names what its objects said when their resourceVersions were written into it. Another process can tell by
 * it whether newer resourceVersions mean newer content, or status alone.
 */
const CONTENT_HASH = 'starfold.dev/content-hash';

function ownersOf(binding: JsonObject): readonly JsonValue[] {
  const owners = at(binding, 'metadata', 'ownerReferences');
  return isArray(owners) ? owners : [];
}

function isOwnPolicy(owner: JsonValue, name: string): boolean {
  return member(owner, 'kind') === 'BindingPolicy' && member(owner, 'name') === name;
}

/** Whether a Binding was made from the BindingPolicy of its name; any other was made by hand, and stays as it is. */
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

/** What is wanted, on what else stands there: labels, annotations, finalizers, other owners, the status. */
function replacement(standing: JsonObject, wanted: JsonObject): JsonObject {
  const name = metadataText(standing, 'name');
  const others = ownersOf(standing).filter((owner) => !isOwnPolicy(owner, name));
  const metadata = {
    ...membersOf(member(standing, 'metadata')),
    ownerReferences: [...others, ...ownersOf(wanted)],
  };
  return { ...standing, metadata, spec: member(wanted, 'spec') ?? {} };
}

async function remove(api: ObjectApi, standing: JsonObject, signal: AbortSignal): Promise<void> {
  const name = metadataText(standing, 'name');
  // Workloads go with a Binding. What was seen of the policies may be older than what was seen of the Bindings.
  const policy = await api.get(controlRef('bindingpolicies', name), signal);
  if (policy !== undefined && !isDeleting(policy))
    throw new ApiConflictError(`delete Binding ${name}`, 'its BindingPolicy stands');
  const [uid, resourceVersion] = [uidOf(standing), resourceVersionOf(standing)];
  await api.delete(controlRef('bindings', name), { uid, resourceVersion }, signal);
}

/**
 * Makes the Binding of a name what its policy means, on the version that was seen: created, replaced or deleted. One that
 * was made by hand is left alone, and so is one that is being deleted, and one that says what is wanted. That the
 * resourceVersion of an object is another one is no reason to write as long as all objects say what they said.
 *
 * @throws as {@link ObjectApi} does; ApiConflictError also where a policy stands that was not seen
 */
export async function writeBinding(
  api: ObjectApi,
  { name, wanted, standing }: BindingState,
  signal: AbortSignal,
): Promise<void> {
  if (standing !== undefined && (!isOfPolicy(standing) || isDeleting(standing))) return;
  if (wanted === undefined) {
    if (standing !== undefined) await remove(api, standing, signal);
    return;
  }
  const { policy, resolved, content } = wanted;
  const object = bindingObject(policy, resolved);
  const ref = controlRef('bindings', name);
  if (standing === undefined) {
    await api.create(ref, withContent(object, content), signal);
    return;
  }
  const stood = at(standing, 'metadata', 'annotations', CONTENT_HASH);
  const isSame = sameBinding(standing, object, { ignoreResourceVersions: stood === content });
  if (!isSame) await api.replace(ref, withContent(replacement(standing, object), content), signal);
}
