import {
  MAX_BINDING_COLLECTORS,
  ownerPolicyUid,
  parseBinding,
} from '#shared/core/binding/binding.ts';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { labelledSubject, strayCombinedStatus } from '#shared/core/collector/labelled-subject.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { CONTROL_GROUP } from '#shared/core/kubestellar.ts';
import { createdOf, generationOf, uidOf, workloadContent } from '#shared/core/metadata.ts';
import { policyErrors } from '#shared/core/schema/policy-errors.ts';
import type { Subject } from '#shared/core/subject.ts';
import { BINDING_CONTENT, POLICY_CONTENT } from '#shared/state/contents.ts';
import { ownerKey, SORT } from '#shared/state/keys.ts';
import {
  ABSENT,
  OWN_OBJECT,
  OWN_POLICY,
  ownedCombinedStatus,
  ownedHash,
  ownedLabelsHash,
} from '#shared/state/owned-hashes.ts';
import { decodeOwner } from '#shared/state/owner.ts';
import type { FollowUps, ReceivedEvent, RecordDeps } from './follow-ups.ts';
import { type OwnedObject, recordOwnedObject } from './owned-object.ts';

/** The subject of an object, and the part of the object that is stored. */
interface Ownership extends Pick<OwnedObject, 'subject' | 'input' | 'ownedName'> {
  /** The content of an input. */
  readonly contentOf: (object: JsonObject) => JsonValue;
}

function withoutStatus(object: JsonObject): JsonValue {
  return workloadContent(object);
}

/** A Binding's content, without resourceVersions: KubeStellar rewrites them after each status write. */
function bindingContent(object: JsonObject): JsonValue {
  const { outdated: _outdated, ...spec } = parseBinding(object);
  const created = createdOf(object);
  return BINDING_CONTENT.encode({
    uid: uidOf(object),
    ...(created === '' ? {} : { created }),
    policyUid: ownerPolicyUid(object) ?? '',
    ...spec,
  });
}

/** A BindingPolicy's content: the fields for its status, and those that its future Binding will name. */
function policyContent(object: JsonObject): JsonValue {
  const policy = parseBindingPolicy(object);
  const { uid, clauses, silentAfterMs } = policy;
  const collectors = clauses.flatMap(({ modulation }) => modulation.statusCollectors);
  return POLICY_CONTENT.encode({
    uid,
    errors: policyErrors(policy),
    statusCollectors: [...new Set(collectors)].sort().slice(0, MAX_BINDING_COLLECTORS),
    ...(silentAfterMs === undefined ? {} : { silentAfterMs }),
    ...(isDeleting(object) ? { deleting: true } : {}),
  });
}

function collectorContent(object: JsonObject): JsonValue {
  return {
    generation: generationOf(object),
    spec: member(object, 'spec') ?? {},
  };
}

function ownershipOf(event: ReceivedEvent): Ownership | undefined {
  const { content, source } = event;
  if (content.type !== 'wds-object') return undefined;
  const { group, resource, namespace, name } = content.subject;
  const wds = source.name;
  if (group !== CONTROL_GROUP)
    return {
      subject: { type: 'workload', workload: { wds, group, resource, namespace, name } },
      input: SORT.object,
      ownedName: OWN_OBJECT,
      contentOf: withoutStatus,
    };
  const binding: Subject = { type: 'binding', wds, name };
  switch (resource) {
    case 'bindings':
      return {
        subject: binding,
        input: SORT.spec,
        ownedName: OWN_OBJECT,
        contentOf: bindingContent,
      };
    case 'bindingpolicies':
      return {
        subject: binding,
        input: SORT.policy,
        ownedName: OWN_POLICY,
        contentOf: policyContent,
      };
    case 'statuscollectors':
      return {
        subject: { type: 'collector', wds, name },
        input: SORT.spec,
        ownedName: OWN_OBJECT,
        contentOf: collectorContent,
      };
    default:
      return undefined;
  }
}

async function combinedStatusOwnership(
  deps: RecordDeps,
  event: ReceivedEvent,
): Promise<Ownership | undefined> {
  const { content, source } = event;
  if (content.type !== 'wds-object' || content.subject.resource !== 'combinedstatuses')
    return undefined;
  const { namespace, name } = content.subject;
  const [owner] = await deps.store.get([ownerKey(source.name, namespace, name)]);
  const subject =
    owner === undefined
      ? (labelledSubject(source.name, content.object) ??
        strayCombinedStatus({ wds: source.name, namespace, name }))
      : decodeOwner(owner);
  return { subject, ownedName: ownedCombinedStatus(namespace, name), contentOf: withoutStatus };
}

/**
 * The verdict on a workload object with the status that it has in the WDS. Undefined without a status. A status that is there before
 * the object is known tells what was wanted in a state that was lost, so that receivers of notifications are not told it again.
 */
function verdictFound(object: JsonObject): string | undefined {
  const status = object['status'];
  if (!isObject(status) || Object.keys(status).length === 0) return undefined;
  return assessArgoCd(object)?.status;
}

/** Records one event from a WDS. */
export async function recordWdsEvent(
  deps: RecordDeps,
  event: ReceivedEvent,
  followUps: FollowUps,
): Promise<void> {
  const { content } = event;
  if (content.type !== 'wds-object') return;
  const ownership = ownershipOf(event) ?? (await combinedStatusOwnership(deps, event));
  if (ownership === undefined) return;
  const { contentOf, ...owned } = ownership;
  const { object, first, subject } = content;
  const { namespace, name } = subject;
  const isWorkload = ownership.subject.type === 'workload';
  const ownedObject: OwnedObject = {
    ...owned,
    ...(object !== undefined && isWorkload ? { found: () => verdictFound(object) } : {}),
    content: object && contentOf(object),
    first,
    observed: (known) => {
      if (object === undefined) return ABSENT;
      return known?.labelsOnly === true ? ownedLabelsHash(object) : ownedHash(object);
    },
    object: { namespace, name },
  };
  await recordOwnedObject(deps, event, { ownedObject, followUps });
}
