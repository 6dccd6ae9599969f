import {
  BOOL,
  DYN,
  listOf,
  mapOf,
  NUMBER,
  type ObjectType,
  objectOf,
  STRING,
  type StaticType,
} from '#shared/core/expression/static-type.ts';

const TEXTS = mapOf(STRING, STRING);

const OWNER_REFERENCE = objectOf(
  new Map<string, StaticType>([
    ['apiVersion', STRING],
    ['blockOwnerDeletion', BOOL],
    ['controller', BOOL],
    ['kind', STRING],
    ['name', STRING],
    ['uid', STRING],
  ]),
);

/** A condition (Kubernetes API conventions, "Typical status properties"). */
export const CONDITION = objectOf(
  new Map<string, StaticType>([
    ['lastTransitionTime', STRING],
    ['message', STRING],
    ['observedGeneration', NUMBER],
    ['reason', STRING],
    ['status', STRING],
    ['type', STRING],
  ]),
);

/** `returned.metadata`: what a forwarder reports of the metadata of a WEC's object. */
const RETURNED_META = objectOf(
  new Map<string, StaticType>([
    ['creationTimestamp', STRING],
    ['generation', NUMBER],
    ['uid', STRING],
  ]),
);

/** The type of `returned` for a kind. Its path is a part of field names in messages. */
export function returnedType(fields: {
  readonly status: StaticType;
  readonly spec: StaticType | undefined;
}): ObjectType {
  const { status, spec = DYN } = fields;
  const members = new Map([
    ['status', status],
    ['spec', spec],
    ['metadata', RETURNED_META],
  ]);
  return { ...objectOf(members), path: 'returned' };
}

/** `metadata` of every object (Kubernetes API reference, ObjectMeta v1 meta). */
export const OBJECT_META = objectOf(
  new Map<string, StaticType>([
    ['annotations', TEXTS],
    ['creationTimestamp', STRING],
    ['deletionGracePeriodSeconds', NUMBER],
    ['deletionTimestamp', STRING],
    ['finalizers', listOf(STRING)],
    ['generateName', STRING],
    ['generation', NUMBER],
    ['labels', TEXTS],
    ['managedFields', listOf(DYN)],
    ['name', STRING],
    ['namespace', STRING],
    ['ownerReferences', listOf(OWNER_REFERENCE)],
    ['resourceVersion', STRING],
    ['selfLink', STRING],
    ['uid', STRING],
  ]),
);
