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
import type { AggregateDeps } from '../deps.ts';
import type { ChangedRows } from './fold-family.ts';

/** An aggregation of an object of Fleet: what it begins with. */
export interface FleetAggregate {
  readonly subject: FleetSubject;
  readonly pk: string;
  /** The head as it was read first. */
  readonly head: Head;
  readonly changed: ChangedRows;
}

/** What an aggregation of an object of Fleet has found. */
export interface FleetFinding {
  readonly result: FleetResult;
  readonly families: Readonly<Record<string, FamilyLayout>>;
  readonly observed: ObservedFleet;
  readonly destinations?: DestinationsName;
  /** What is to stand below other objects, once the head says so. */
  readonly contributions: (next: Head) => readonly PlacedRow[];
  /** Of a Bundle: the Clusters that it wants, with what is to stand below each. */
  readonly targets?: Targets;
}

/** What is known of the object itself. */
export interface ObservedFleet {
  /** `undefined`: there is none. */
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
