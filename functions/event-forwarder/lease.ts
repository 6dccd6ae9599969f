import { EPOCHS_PER_SECOND } from '#shared/core/epoch.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  textAt,
} from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';

/** Which Lease an election is about. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** A Lease (coordination.k8s.io/v1) as the API server stores it, and what an election reads of it. */
export interface Lease {
  readonly object: JsonObject;
  /** `''` where nobody holds it. */
  readonly holder: string;
  /** For how long after a renewal the holder may count on it; 0 where the Lease does not say. */
  readonly durationMs: number;
  /** How many times the Lease has changed hands. */
  readonly transitions: number;
}

/** What a holder writes into a Lease. */
export interface Holding {
  readonly holder: string;
  /** Written in whole seconds, rounded up: nobody else may take the Lease too early. */
  readonly durationMs: number;
  readonly transitions: number;
  /** Wall clock, milliseconds since 1970; for people who read the Lease, no candidate compares it. */
  readonly nowMs: number;
}

/** Greater than every leaseTransitions that fits into an epoch. */
const MAX_TRANSITIONS = EPOCHS_PER_SECOND;

/** An epoch stays below 2^53 until 2242. */
const MAX_SECONDS = 2 ** 33;

/** Annotation on the Lease: the epoch of its last holder. */
const EPOCH_ANNOTATION = 'starfold.dev/epoch';

const API_SERVER_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Where a Lease is in the API. */
export function leaseRef({ namespace, name }: LeaseName): ObjectRef {
  return { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace, name };
}

function natural(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** Reads a Lease. Every field of its spec is optional (coordination/v1, LeaseSpec). */
export function parseLease(object: JsonObject): Lease {
  return {
    object,
    holder: textAt(object, 'spec', 'holderIdentity'),
    durationMs: natural(at(object, 'spec', 'leaseDurationSeconds')) * 1000,
    transitions: natural(at(object, 'spec', 'leaseTransitions')),
  };
}

/** What tells two states of an election's Lease apart: another renewal, another holder, another Lease of that name. */
export function leaseState({ object }: Lease): JsonValue {
  return [at(object, 'metadata', 'uid') ?? null, member(object, 'spec') ?? null];
}

/** What stays the same of a Lease while its holder renews it: another value is another term. */
export function leaseTerm({ object, holder, transitions }: Lease): JsonValue {
  return [at(object, 'metadata', 'uid') ?? null, holder, transitions];
}

/** Kubernetes' MicroTime. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

function withSpec({ object }: Lease, change: JsonObject): JsonObject {
  const spec = member(object, 'spec');
  return { ...object, spec: { ...(isObject(spec) ? spec : {}), ...change } };
}

function specOf({ holder, durationMs, transitions, nowMs }: Holding): JsonObject {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    leaseTransitions: transitions,
    acquireTime: microTime(nowMs),
    renewTime: microTime(nowMs),
  };
}

/** A Lease that does not exist yet, held from the start. */
export function newLease({ namespace, name }: LeaseName, holding: Holding): JsonObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name },
    spec: specOf(holding),
  };
}

/** The Lease with another holder, or with the same one for another time. What is not the election's stays. */
export function acquiredLease(lease: Lease, holding: Holding): JsonObject {
  return withSpec(lease, specOf(holding));
}

/**
 * The Lease, renewed by its holder. Its renewTime always grows, also where the clock was set back: the other candidates
 * know a renewal by it, and must not miss one that looks like one before it.
 */
export function renewedLease(
  lease: Lease,
  { durationMs, nowMs }: Pick<Holding, 'durationMs' | 'nowMs'>,
): JsonObject {
  const before = Date.parse(textAt(lease.object, 'spec', 'renewTime'));
  return withSpec(lease, {
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    renewTime: microTime(before >= nowMs ? before + 1 : nowMs),
  });
}

/** The Lease, given up by its holder as client-go does (tools/leaderelection, `release`). */
export function releasedLease(lease: Lease, nowMs: number): JsonObject {
  const { transitions } = lease;
  return withSpec(lease, specOf({ holder: '', durationMs: 1000, transitions, nowMs }));
}

/** An epoch, or why there is none; the fault says what to do. */
export type LeaseEpoch = { readonly epoch: number } | { readonly fault: string };

/** Whether so many transitions fit into an epoch. */
export function isEpochTransition(transitions: number): boolean {
  return Number.isInteger(transitions) && transitions >= 0 && transitions < MAX_TRANSITIONS;
}

function secondsOf(time: JsonValue | undefined): number {
  const written = textAt(time);
  return API_SERVER_TIME.test(written) ? Date.parse(written) / 1000 : Number.NaN;
}

/** The epoch that a holder has written; 0 where there is none. */
function writtenEpoch(object: JsonObject): number {
  const written = textAt(object, 'metadata', 'annotations', EPOCH_ANNOTATION);
  const epoch = /^\d+$/.test(written) ? Number(written) : 0;
  // One that left no room for those after it would be none of ours.
  return epoch < (MAX_SECONDS - 1) * MAX_TRANSITIONS ? epoch : 0;
}

/** When the API server last took a write of the Lease, by its own clock, in seconds; 0 where it does not say. */
function writtenAt(object: JsonObject): number {
  const entries = at(object, 'metadata', 'managedFields');
  const times = (isArray(entries) ? entries : []).map((entry) => secondsOf(member(entry, 'time')));
  return Math.max(0, ...times.filter((seconds) => seconds > 0 && seconds < MAX_SECONDS));
}

/**
 * The least that the epoch of a leader with this Lease after so many transitions is: the second in which the Lease was
 * created times 2^20, plus leaseTransitions; or what a holder has written, if that is more.
 */
export function epochOfLease({ object }: Lease, transitions: number): LeaseEpoch {
  const created = at(object, 'metadata', 'creationTimestamp');
  const seconds = secondsOf(created);
  if (!(seconds > 0 && seconds < MAX_SECONDS))
    return {
      fault: `metadata.creationTimestamp is ${JSON.stringify(textAt(created))}, not a time of an API server: delete the Lease, it is made anew`,
    };
  if (!isEpochTransition(transitions))
    return {
      fault: `spec.leaseTransitions would be ${transitions}, and must be less than ${MAX_TRANSITIONS}: delete the Lease, it is made anew`,
    };
  return { epoch: Math.max(seconds * MAX_TRANSITIONS + transitions, writtenEpoch(object)) };
}

/**
 * The epoch of the leader that has just written this Lease: greater than the one that was written before it, and at least
 * the second of that write, on the API server's clock, times 2^20. So it grows with every holder, and also when the Lease
 * or the whole cluster was made anew in between, or restored from a backup, or watched meanwhile by a forwarder without a
 * Lease. Known limit: a Lease that is deleted within the second of its last acquisition, and made anew within it by a
 * process that never read the first one, gives an epoch that was given before.
 *
 * @param highest the greatest epoch that this process has seen in a Lease of this name; 0: none
 */
export function epochOfHolder(lease: Lease, highest: number): LeaseEpoch {
  const least = epochOfLease(lease, lease.transitions);
  if ('fault' in least) return least;
  const { object } = lease;
  const now = writtenAt(object) * MAX_TRANSITIONS;
  return { epoch: Math.max(least.epoch, writtenEpoch(object) + 1, highest + 1, now) };
}

/** The Lease, with the epoch of its holder. */
export function leaseWithEpoch({ object }: Lease, epoch: number): JsonObject {
  const metadata = member(object, 'metadata');
  const annotations = at(object, 'metadata', 'annotations');
  return {
    ...object,
    metadata: {
      ...(isObject(metadata) ? metadata : {}),
      annotations: {
        ...(isObject(annotations) ? annotations : {}),
        [EPOCH_ANNOTATION]: String(epoch),
      },
    },
  };
}
