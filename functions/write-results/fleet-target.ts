import { secondsText } from '#shared/core/expression/time.ts';
import { type DesiredStatus, statusWith } from '#shared/core/fleet/desired-status.ts';
import { desiredFleetStatus } from '#shared/core/fleet/fleet-result.ts';
import {
  type StatusDifferences,
  statusDifferences,
} from '#shared/core/fleet/status-differences.ts';
import { FLEET_GROUP, FLEET_VERSION } from '#shared/core/fleet-object.ts';
import { equalJson, type JsonObject, member } from '#shared/core/json.ts';
import { resourceVersionOf } from '#shared/core/metadata.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import { ApiInvalidError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { FLEET_RESULT } from '#shared/state/fleet/contents.ts';
import { putDifferences } from '#shared/state/fleet/differences.ts';
import { type Applied, type OwnedHashes, resultKey } from '#shared/state/head.ts';
import { ABSENT, fleetOwnedHash, OWN_OBJECT } from '#shared/state/owned-hashes.ts';
import type { Assignment, Outcome, Target } from './target.ts';
import { isAsApplied } from './write-context.ts';

const SAME: StatusDifferences = { differences: [], total: 0 };

function refOf({ resource, namespace, name }: FleetSubject): ObjectRef {
  return { group: FLEET_GROUP, version: FLEET_VERSION, resource, namespace, name };
}

/** An object whose status is to be written. */
interface Writing {
  readonly api: ObjectApi;
  readonly ref: ObjectRef;
  readonly object: JsonObject;
  /** RFC 3339. */
  readonly now: string;
}

/** An object, and what the API server rejected of its status. */
interface Written {
  readonly object: JsonObject | undefined;
  readonly refused: readonly string[];
}

/** Writes the wanted status. */
async function setStatus(
  { api, ref, object, now }: Writing,
  wanted: DesiredStatus,
): Promise<Written> {
  const stored = member(object, 'status');
  const status = statusWith(stored, wanted, now);
  if (equalJson(stored, status)) return { object, refused: [] };
  const change = { resourceVersion: resourceVersionOf(object), status };
  try {
    return { object: await api.replaceStatus(ref, change), refused: [] };
  } catch (error) {
    if (!(error instanceof ApiInvalidError)) throw error;
    return { object, refused: [error.reason] };
  }
}

/** An assignment with the hash of its desired result, which may have megabytes. */
export interface FleetAssignment extends Assignment<FleetSubject> {
  readonly hash: string;
}

/**
 * Writes the status of an object of Fleet (docs/fleet.md, "Write and compare"). In the mode `write`, a rejection by the API
 * server is reported, and the write is not retried until something changes. In the mode `compare`, nothing is written, and the
 * differences are reported.
 */
export function fleetTarget(assignment: FleetAssignment): Target<JsonObject | undefined> {
  const { deps, subject, applied } = assignment;
  const { api, mode } = deps.fleet(subject.upstream);
  const ref = refOf(subject);
  const result = FLEET_RESULT.decode(assignment.desired, resultKey(subject));
  const nowMs = deps.clock();
  // The other mode does something else with the same result.
  const want = `${mode} ${assignment.hash}`;
  let read: JsonObject | undefined;

  const wantedOf = (object: JsonObject | undefined): DesiredStatus | undefined =>
    object && desiredFleetStatus(object, result, nowMs);
  const differencesOf = (object: JsonObject | undefined): StatusDifferences => {
    const wanted = wantedOf(object);
    return wanted === undefined ? SAME : statusDifferences(member(object, 'status'), wanted);
  };
  const hashesOf = (object: JsonObject | undefined): OwnedHashes => {
    if (object === undefined) return { want, observed: ABSENT };
    const hash = fleetOwnedHash(object);
    // No event shows this hash, so each event is compared: if the mode becomes `write`, a restart of the forwarder is
    // enough.
    const differs = mode === 'compare' && differencesOf(object).total > 0;
    return { want, observed: differs ? `${hash} differs` : hash };
  };
  const isWritten = (object: JsonObject | undefined): boolean =>
    isAsApplied(applied.owned[OWN_OBJECT], hashesOf(object));
  const outcome = ({ object, refused }: Written): Outcome => ({
    owned: { [OWN_OBJECT]: hashesOf(object) },
    errorBindings: [],
    reported: refused,
  });

  return {
    async read() {
      read = await api.get(ref);
      return read;
    },
    isAsApplied: isWritten,
    async write(object) {
      if (isWritten(object)) return outcome({ object, refused: applied.reported });
      const wanted = mode === 'write' ? wantedOf(object) : undefined;
      if (object === undefined || wanted === undefined) return outcome({ object, refused: [] });
      const now = secondsText(nowMs);
      return outcome(await setStatus({ api, ref, object, now }, wanted));
    },
    async settled({ revision, reported }: Applied) {
      const [refused] = reported;
      await putDifferences(deps.store, subject, {
        ...(mode === 'compare' ? differencesOf(read) : SAME),
        ...(refused === undefined ? {} : { refused }),
        revision,
        nowMs,
      });
    },
  };
}
