import { compareText } from '#shared/core/collector/first-entries.ts';
import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { BUNDLE, type BundlePart } from './bundle-fold.ts';

/** A Bundle as a row of the GitRepo or HelmOp that created it. */
export interface SourceBundle {
  /** Its deployments that name the GitRepo or HelmOp. */
  readonly part: BundlePart;
  /** The Bundle itself; `null` unless it exists and names the GitRepo or HelmOp. */
  readonly known: BundleFailure | null;
}

/** The error of a Bundle itself, and its position among others. */
export interface BundleFailure extends JsonObject {
  /** No two Bundles have the same one. */
  readonly order: string;
  /** `''` if there is none. */
  readonly error: string;
}

/** The Bundles of a GitRepo or HelmOp. */
export interface SourceBundlesPart extends JsonObject {
  readonly part: BundlePart;
  /** The number of known Bundles. */
  readonly known: number;
  /** The first Bundle that has an error. */
  readonly failed: BundleFailure | null;
}

function firstFailed(a: BundleFailure | null, b: BundleFailure | null): BundleFailure | null {
  if (a === null || b === null) return a ?? b;
  return compareText(a.order, b.order) <= 0 ? a : b;
}

/** The fold of the Bundles of a GitRepo or HelmOp. */
export const SOURCE_BUNDLES: Fold<SourceBundle, SourceBundlesPart, SourceBundlesPart> = {
  empty: { part: BUNDLE.empty, known: 0, failed: null },
  lift: ({ part, known }) => ({
    part,
    known: known === null ? 0 : 1,
    failed: known === null || known.error === '' ? null : known,
  }),
  merge: (a, b) => ({
    part: BUNDLE.merge(a.part, b.part),
    known: a.known + b.known,
    failed: firstFailed(a.failed, b.failed),
  }),
  finish: (part) => part,
};
