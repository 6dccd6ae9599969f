import type { FleetResult } from '#shared/core/fleet/fleet-result.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { isObject } from '#shared/core/json.ts';
import { type FleetSubject, subjectPartition } from '#shared/core/subject.ts';
import type { Targets } from '#shared/outbox/target-placement.ts';
import type { PlacedRow } from '#shared/state/fleet/placed-object.ts';
import type { FamilyLayout, Head } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';
import type { DestinationsName } from '#shared/state/membership.ts';
import { readObserved } from '#shared/state/observed.ts';
import type { AggregateDeps } from './deps.ts';
import type { ChangedRows } from './fleet-family.ts';

/** The start of an aggregation of an object of Fleet. */
export interface FleetAggregate {
  readonly subject: FleetSubject;
  readonly pk: string;
  /** The head that was read first. */
  readonly head: Head;
  readonly changed: ChangedRows;
}

/** The result of an aggregation of an object of Fleet. */
export interface FleetFinding {
  readonly result: FleetResult;
  readonly families: Readonly<Record<string, FamilyLayout>>;
  readonly observed: ObservedFleet;
  readonly destinations?: DestinationsName;
  /** The rows to place below other objects after the head was put. */
  readonly contributions: (next: Head) => readonly PlacedRow[];
  /** For a Bundle: the Clusters that it targets, with the row to place below each. */
  readonly targets?: Targets;
}

/** What is known of the object itself. */
export interface ObservedFleet {
  /** `undefined`: there is no object. */
  readonly content: JsonObject | undefined;
  readonly contentHash: string;
  readonly contentVersion: string;
}

/** Reads what is known of the object itself. */
export async function readFleetObject(
  deps: AggregateDeps,
  subject: FleetSubject,
): Promise<ObservedFleet> {
  const key = { pk: subjectPartition(subject), sk: SORT.object };
  const [observed] = await readObserved(deps.store, [key]);
  const content: JsonValue = observed?.content ?? null;
  return {
    content: isObject(content) ? content : undefined,
    contentHash: observed?.contentHash ?? '',
    contentVersion: observed?.contentVersion ?? '',
  };
}
