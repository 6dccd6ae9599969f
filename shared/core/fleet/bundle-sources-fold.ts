import { compareText, type EntryOrder, mergeFirst } from '#shared/core/collector/first-entries.ts';
import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { BUNDLE, type BundlePart } from './bundle-fold.ts';
import type { DeploymentRow } from './deployment-row.ts';

/** The deployments of a Bundle that name the same GitRepo and the same HelmOp. */
export interface SourcePart extends JsonObject {
  /** `<namespace>/<name>`, or `''` if they name none. */
  readonly repo: string;
  /** `<namespace>/<name>`, or `''` if they name none. */
  readonly helmOp: string;
  readonly part: BundlePart;
}

const BY_SOURCE: EntryOrder<SourcePart> = {
  limit: Number.POSITIVE_INFINITY,
  compare: (a, b) => compareText(a.repo, b.repo) || compareText(a.helmOp, b.helmOp),
  combine: (a, b) => ({ ...a, part: BUNDLE.merge(a.part, b.part) }),
};

/**
 * The fold of the targets of a Bundle, with a separate part for each GitRepo and HelmOp. While a Bundle moves from one GitRepo
 * or HelmOp to another, the labels of its deployments may differ from its own. There is usually one part.
 */
export const BUNDLE_SOURCES: Fold<DeploymentRow, readonly SourcePart[], BundlePart> = {
  empty: [],
  lift: (row) => [{ repo: row.repo, helmOp: row.helmOp, part: BUNDLE.lift(row) }],
  merge: (a, b) => mergeFirst(a, b, BY_SOURCE),
  finish: (parts) => parts.map(({ part }) => part).reduce(BUNDLE.merge, BUNDLE.empty),
};
