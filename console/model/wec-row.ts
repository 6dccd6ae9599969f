import { rankOf, type Verdict, verdictOfReport } from '#shared/core/explanation/shown-verdict.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import { type JsonValue, member } from '#shared/core/json.ts';
import type { WecStatusObject } from './api-objects.ts';
import { placeOf, type WorkloadPlace } from './routes.ts';

/** How many of how many. */
export type Fraction = readonly [have: number, want: number];

/** What one WEC reports about one object, without its status: so 10,000 rows take little memory. */
export interface WecRow {
  /** The name of the WECStatus. */
  readonly name: string;
  readonly place: WorkloadPlace;
  readonly kind: string;
  readonly wec: string;
  readonly verdict: Verdict;
  readonly message: string;
  /** Each is absent if the kind does not count so, or if there is no status. */
  readonly ready?: Fraction;
  readonly updated?: Fraction;
  readonly available?: Fraction;
  /** The generation that the WEC's controller has seen, of that in the WEC. */
  readonly observed?: Fraction;
  /** The generation of the WDS's object that the WEC has. */
  readonly source?: number;
  readonly changed?: string;
  readonly lastContact?: string;
}

const COUNTERS = [
  {
    want: 'replicas',
    ready: 'readyReplicas',
    updated: 'updatedReplicas',
    available: 'availableReplicas',
  },
  {
    want: 'desiredNumberScheduled',
    ready: 'numberReady',
    updated: 'updatedNumberScheduled',
    available: 'numberAvailable',
  },
] as const;

function fractions(status: JsonValue | undefined): Pick<WecRow, 'ready' | 'updated' | 'available'> {
  const counters = COUNTERS.find(({ want }) => member(status, want) !== undefined);
  if (counters === undefined) return {};
  const want = countAt(status, counters.want);
  // Kubernetes leaves a count of 0 out. A kind without the counter leaves it out, too: it has none that is as high as wanted.
  const of = (field: string): Fraction => [countAt(status, field), want];
  return {
    ready: of(counters.ready),
    updated: of(counters.updated),
    available: of(counters.available),
  };
}

/** How the message about a silent WEC begins. */
export const NO_HEARTBEAT = 'no heartbeat';

/** What a report or its absence means, in a few words. */
export function messageOf({ state, health }: Pick<WecStatusObject, 'state' | 'health'>): string {
  switch (state) {
    case 'Silent':
      return health === undefined ? NO_HEARTBEAT : `${NO_HEARTBEAT}; last said ${health.status}`;
    case 'TooLarge':
      return 'its status is too large to keep; it counts as not returned';
    case 'Missing':
      return 'the WEC has no such object any more';
    case 'NotReported':
      return 'nothing reported yet';
    case 'Reported':
      return health?.message ?? '';
  }
}

/** The row of a WECStatus. */
export function wecRow(status: WecStatusObject): WecRow {
  const { generation, lastUpdate, lastContact } = status;
  const { wec, observed, source } = generation;
  return {
    name: status.metadata.name,
    place: placeOf(status.workload),
    kind: status.workload.kind,
    wec: status.wec,
    verdict: verdictOfReport(status.state, status.health?.status),
    message: messageOf(status),
    ...fractions(status.status),
    ...(wec === undefined || observed === undefined ? {} : { observed: [observed, wec] as const }),
    ...(source === undefined ? {} : { source }),
    ...(lastUpdate === undefined ? {} : { changed: lastUpdate }),
    ...(lastContact === undefined ? {} : { lastContact }),
  };
}

/** Whether a row says something else than before. A heartbeat is no change. */
export function isRowChanged(before: WecRow, now: WecRow): boolean {
  const said = ({ lastContact: _lastContact, ...row }: WecRow): string => JSON.stringify(row);
  return said(before) !== said(now);
}

/** Compares names as the API orders them. */
export function byName(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Compares rows: worst first, then by WEC. */
export function worstFirst(a: WecRow, b: WecRow): number {
  return rankOf(a.verdict) - rankOf(b.verdict) || byName(a.wec, b.wec);
}
