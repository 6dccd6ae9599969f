import * as z from 'zod/mini';
import type { BindingSpec } from '#shared/core/binding/binding.ts';
import type { BindingResult } from '#shared/core/binding/binding-status.ts';
import type { DesiredCombinedStatus, DesiredWorkload } from '#shared/core/desired/workload-fold.ts';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { contentCodec } from './body.ts';

const texts = z.array(z.string());
const object = z.custom<JsonObject>(isObject);

/** A Binding in the form in which record-events stores it. */
export interface BindingContent extends BindingSpec {
  readonly uid: string;
  /** `metadata.creationTimestamp`, RFC 3339. Absent if it is not known. */
  readonly created?: string;
  /** The UID of the BindingPolicy that owns the Binding, or `''` if none does. */
  readonly policyUid: string;
}

/** See {@link BindingContent}. */
export const BINDING_CONTENT = contentCodec<BindingContent>(
  'Binding',
  looseObject({
    uid: z.string(),
    created: z.exactOptional(z.string()),
    policyUid: z.string(),
    destinations: texts,
    silentAfterMs: z.exactOptional(z.number()),
    objects: z.array(
      looseObject({
        group: z.string(),
        version: z.string(),
        resource: z.string(),
        namespace: z.string(),
        name: z.string(),
        modulation: looseObject({
          statusCollectors: texts,
          wantSingletonReportedState: z.boolean(),
          wantMultiWECReportedState: z.boolean(),
        }),
      }),
    ),
    errors: texts,
  }),
);

/**
 * A BindingPolicy in the form in which record-events stores it: the fields for its status, and those that its Binding will
 * name.
 */
export interface PolicyContent {
  readonly uid: string;
  readonly errors: readonly string[];
  /** Sorted, each once. */
  readonly statusCollectors: readonly string[];
  /** As in a BindingPolicy. */
  readonly silentAfterMs?: number;
  readonly deleting?: true;
}

/** See {@link PolicyContent}. */
export const POLICY_CONTENT = contentCodec<PolicyContent>(
  'BindingPolicy',
  looseObject({
    uid: z.string(),
    errors: texts,
    statusCollectors: texts,
    silentAfterMs: z.exactOptional(z.number()),
    deleting: z.exactOptional(z.literal(true)),
  }),
);

const labels = z.record(z.string(), z.nullable(z.string()));

/** The desired result of a workload object. */
export const WORKLOAD_RESULT = contentCodec<DesiredWorkload>(
  'result of a workload object',
  looseObject({
    version: z.string(),
    uid: z.exactOptional(z.string()),
    status: z.discriminatedUnion('type', [
      looseObject({ type: z.literal('status'), status: object, labels }),
      looseObject({ type: z.literal('none'), labels }),
      looseObject({ type: z.literal('untouched') }),
    ]),
    combinedStatuses: z.array(
      z.custom<DesiredCombinedStatus>(
        (value) =>
          isObject(value) &&
          typeof value['namespace'] === 'string' &&
          typeof value['name'] === 'string' &&
          isObject(value['object']),
      ),
    ),
    bindings: texts,
  }),
);

/** The desired result of a Binding. It is `null` if neither the Binding nor its BindingPolicy is known. */
export const BINDING_RESULT = contentCodec<BindingResult | null>(
  'result of a Binding',
  z.nullable(
    looseObject({
      missingCollectors: texts,
      invalidCollectors: z.exactOptional(texts),
      errors: texts,
      policyErrors: texts,
      reporting: z.exactOptional(
        looseObject({
          status: z.enum(['True', 'False']),
          reason: z.string(),
          message: z.string(),
        }),
      ),
    }),
  ),
);
