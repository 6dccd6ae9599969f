import type { Fold } from '#shared/core/fold/fold.ts';
import { type AggregatePart, aggregateFold } from './aggregate-fold.ts';
import type { CollectorResult } from './collector-result.ts';
import type { CollectorRow, CompiledCollector } from './compiled-collector.ts';
import { type PricedPart, pricedFold } from './priced-fold.ts';
import { type SelectPart, selectFold } from './select-fold.ts';
import { type CollectorShare, WHOLE_SHARE } from './share.ts';

/** The part of some rows of the PerWEC table. Its form depends on the collector. */
export type CollectorPart = PricedPart<SelectPart | AggregatePart>;

/**
 * The fold of a collector over the PerWEC table (KubeStellar, combined status, "Detailed Relation with SQL"): plain
 * selection, or aggregation with or without GROUP BY. The rows of a table must have distinct WECs. The parts that
 * `merge` and `finish` get must come from the fold of this collector.
 *
 * @param share what the collector may use for the object
 */
export function collectorFold(
  collector: CompiledCollector,
  share: CollectorShare = WHOLE_SHARE,
): Fold<CollectorRow, CollectorPart, CollectorResult> {
  return collector.kind === 'select'
    ? pricedFold(selectFold(collector, share), share)
    : pricedFold(aggregateFold(collector, share), share);
}
