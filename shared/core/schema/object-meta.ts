import {
  BOOL,
  DYN,
  listOf,
  mapOf,
  NUMBER,
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
