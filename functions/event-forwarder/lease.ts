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

/** The Lease of an election. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** A Lease (coordination.k8s.io/v1) as the API server stores it, and the fields that an election reads. */
export interface Lease {
  readonly object: JsonObject;
  /** `''` if nobody holds it. */
  readonly holder: string;
  /** The time after a renewal for which the holder may rely on the Lease. 0 if the Lease does not specify it. */
  readonly durationMs: number;
  /** How many times the Lease has changed hands. */
  readonly transitions: number;
}

/** The fields that a holder writes into a Lease. */
export interface Holding {
  readonly holder: string;
  /** Written in whole seconds, rounded up, so that no other process takes the Lease too early. */
  readonly durationMs: number;
  readonly transitions: number;
  /** Wall clock, in milliseconds since 1970. It is for people who read the Lease. No candidate compares it. */
  readonly nowMs: number;
}

/** Greater than every value of leaseTransitions that fits into an epoch. */
const MAX_TRANSITIONS = EPOCHS_PER_SECOND;

/** An epoch stays below 2^53 until 2242. */
const MAX_SECONDS = 2 ** 33;

/** Annotation on the Lease: the epoch of its last holder. */
const EPOCH_ANNOTATION = 'starfold.dev/epoch';

const API_SERVER_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The reference of a Lease in the API. */
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

/** A value that differs between two states of a Lease: another renewal, another holder, or another Lease of that name. */
export function leaseState({ object }: Lease): JsonValue {
  return [at(object, 'metadata', 'uid') ?? null, member(object, 'spec') ?? null];
}

/** A value that stays the same while the holder renews the Lease. Another value means another term. */
export function leaseTerm({ object, holder, transitions }: Lease): JsonValue {
  return [at(object, 'metadata', 'uid') ?? null, holder, transitions];
}

/** Formats a time as MicroTime of Kubernetes. */
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

/** A new Lease that has a holder from the start. */
export function newLease({ namespace, name }: LeaseName, holding: Holding): JsonObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name },
    spec: specOf(holding),
  };
}

/** The Lease with another holder, or with a new term of the same holder. Fields that do not belong to the election stay. */
export function acquiredLease(lease: Lease, holding: Holding): JsonObject {
  return withSpec(lease, specOf(holding));
}

/**
 * The Lease, renewed by its holder. Its renewTime always grows, even if the clock was set back. The other candidates recognize
 * a renewal by it, and must not miss a renewal that looks like an earlier one.
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

/** The Lease, released by its holder like in client-go (tools/leaderelection, `release`). */
export function releasedLease(lease: Lease, nowMs: number): JsonObject {
  const { transitions } = lease;
  return withSpec(lease, specOf({ holder: '', durationMs: 1000, transitions, nowMs }));
}

/** An epoch, or the reason why there is none, with the remedy. */
export type LeaseEpoch = { readonly epoch: number } | { readonly fault: string };

/** Whether this number of transitions fits into an epoch. */
export function isEpochTransition(transitions: number): boolean {
  return Number.isInteger(transitions) && transitions >= 0 && transitions < MAX_TRANSITIONS;
}

function secondsOf(time: JsonValue | undefined): number {
  const written = textAt(time);
  return API_SERVER_TIME.test(written) ? Date.parse(written) / 1000 : Number.NaN;
}

/** The epoch that a holder has written, or 0 if there is none. */
function writtenEpoch(object: JsonObject): number {
  const written = textAt(object, 'metadata', 'annotations', EPOCH_ANNOTATION);
  const epoch = /^\d+$/.test(written) ? Number(written) : 0;
  // An epoch that leaves no room for later epochs was not written by a forwarder.
  return epoch < (MAX_SECONDS - 1) * MAX_TRANSITIONS ? epoch : 0;
}

/** The time of the last write of the Lease, on the clock of the API server, in seconds. 0 if the Lease does not record it. */
function writtenAt(object: JsonObject): number {
  const entries = at(object, 'metadata', 'managedFields');
  const times = (isArray(entries) ? entries : []).map((entry) => secondsOf(member(entry, 'time')));
  return Math.max(0, ...times.filter((seconds) => seconds > 0 && seconds < MAX_SECONDS));
}

/**
 * The minimum epoch of a leader with this Lease after this number of transitions: the second in which the Lease was created
 * times 2^20, plus leaseTransitions, or the epoch that a holder has written, if it is greater.
 */
export function epochOfLease({ object }: Lease, transitions: number): LeaseEpoch {
  const created = at(object, 'metadata', 'creationTimestamp');
  const seconds = secondsOf(created);
  if (!(seconds > 0 && seconds < MAX_SECONDS))
    return {
      fault: `metadata.creationTimestamp is ${JSON.stringify(textAt(created))}, not a time of an API server: delete the Lease, and it is created again`,
    };
  if (!isEpochTransition(transitions))
    return {
      fault: `spec.leaseTransitions would be ${transitions}, and must be less than ${MAX_TRANSITIONS}: delete the Lease, and it is created again`,
    };
  return { epoch: Math.max(seconds * MAX_TRANSITIONS + transitions, writtenEpoch(object)) };
}

/**
 * The epoch of the leader that has just written this Lease. It is greater than the epoch that was written before, and at least
 * the second of this write, on the clock of the API server, times 2^20. So it grows with every holder. It also grows if the
 * Lease or the whole cluster was created again in between, or was restored from a backup, or was watched meanwhile by a
 * forwarder without a Lease. Known limit: if a Lease is deleted within the second of its last acquisition, and is created again
 * within that second by a process that never read the first one, an epoch may be repeated.
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
