import { placeOf, type WorkloadPlace } from '#console/model/routes.ts';
import { cellNumber, type QueryResult } from './result.ts';

/** An object that a WEC has in an older generation than the WDS. */
export interface Lag {
  readonly place: WorkloadPlace;
  readonly has: number;
  readonly wanted: number;
}

/**
 * The objects that are behind, those that are furthest first. Objects of which the WEC does not say a generation are left out.
 *
 * @param result of the ready question `behind`, whose first columns are the two generations
 */
export function lagsIn({ rows }: Pick<QueryResult, 'rows'>): readonly Lag[] {
  const lags = rows.flatMap(({ of, cells: [has, wanted] }): readonly Lag[] => {
    const [from, to] = [cellNumber(has), cellNumber(wanted)];
    if (of === undefined || !from || to === undefined) return [];
    return [{ place: placeOf(of.workload), has: from, wanted: to }];
  });
  return lags.toSorted((a, b) => b.wanted - b.has - (a.wanted - a.has));
}
