import { BUNDLE, type BundlePart } from '#shared/core/fleet/bundle-fold.ts';
import { CELLS } from '#shared/core/fleet/cells-fold.ts';
import type { BundleResult, FleetResult } from '#shared/core/fleet/fleet-result.ts';
import { SOURCE_BUNDLES, type SourceBundle } from '#shared/core/fleet/source-bundles-fold.ts';
import { namespacedName } from '#shared/core/fleet-object.ts';
import { type FleetSubject, subjectPartition } from '#shared/core/subject.ts';
import {
  BUNDLE_RESULT,
  BUNDLE_ROW,
  type BundleRow,
  CELL_ROW,
} from '#shared/state/fleet/contents.ts';
import {
  type FleetRow,
  fleetSubject,
  readNewestJob,
  readRow,
} from '#shared/state/fleet/fleet-rows.ts';
import { inventoryEntry } from '#shared/state/fleet/inventory.ts';
import { type ResultName, readHead, readResult, resultKey } from '#shared/state/head.ts';
import { retryRead } from '#shared/state/retry-contention.ts';
import type { AggregateDeps } from './deps.ts';
import { foldFamily } from './fleet-family.ts';
import { type FleetAggregate, type FleetFinding, readFleetObject } from './fleet-finding.ts';

/** A Bundle has a large part, which is read for each row of a shard. So only few rows are folded in one shard. */
const UNSHARDED_BUNDLES = 4;

/**
 * Reads the result of a Bundle that a row names. If the result has been replaced, reads a later one.
 *
 * @throws ContentionError if the result is replaced faster than it can be read
 */
async function readBundleResult(
  deps: AggregateDeps,
  bundle: FleetSubject,
  { revision, chunks, hash }: NonNullable<BundleRow['result']>,
): Promise<BundleResult> {
  const pk = subjectPartition(bundle);
  let name: ResultName = { hash, resultRevision: revision, resultChunks: chunks };
  return retryRead(pk, async () => {
    const result = await readResult(deps.store, pk, name);
    if (result !== undefined) return { found: BUNDLE_RESULT.decode(result, resultKey(bundle)) };
    name = await readHead(deps.store, pk);
    return undefined;
  });
}

/** Reads the row of a Bundle below a GitRepo or HelmOp. */
async function sourceBundle(
  deps: AggregateDeps,
  subject: FleetSubject,
  row: FleetRow,
): Promise<SourceBundle> {
  const { id } = row;
  const { result, known } = readRow(BUNDLE_ROW, row);
  const bundle = fleetSubject(subject.upstream, 'bundles', id);
  if (result === null || bundle === undefined) return { part: BUNDLE.empty, known };
  const own = namespacedName(subject.namespace, subject.name);
  const type = subject.resource === 'gitrepos' ? 'repo' : 'helmOp';
  const found = await readBundleResult(deps, bundle, result);
  const parts = found.parts.filter((part) => part[type] === own);
  const part = parts.map((one) => one.part).reduce<BundlePart>(BUNDLE.merge, BUNDLE.empty);
  return { part, known };
}

/**
 * Folds the Bundles of a GitRepo or HelmOp, and its cells for each Cluster.
 *
 * @returns `undefined` if another process has stored a part meanwhile. The caller starts again.
 */
export async function aggregateSource(
  deps: AggregateDeps,
  { subject, pk, head, changed }: FleetAggregate,
): Promise<FleetFinding | undefined> {
  const observed = await readFleetObject(deps, subject);
  const bundles = await foldFamily(deps, {
    pk,
    family: 'BUNDLE',
    head,
    unsharded: UNSHARDED_BUNDLES,
    changed,
    fold: SOURCE_BUNDLES,
    rowsOf: (stored) => Promise.all(stored.map((row) => sourceBundle(deps, subject, row))),
    fingerprint: () => 'bundles',
  });
  if (bundles === undefined) return undefined;
  const clusters = await foldFamily(deps, {
    pk,
    family: 'CLUSTER',
    head,
    changed,
    fold: CELLS,
    rowsOf: (stored) => stored.map((row) => readRow(CELL_ROW, row)),
    fingerprint: () => 'cells',
  });
  if (clusters === undefined) return undefined;
  const { part, failed, known } = bundles.part;
  const job = await readNewestJob(deps.store, subject);
  const base = { part, cells: clusters.part, bundleError: failed?.error ?? '' };
  const result: FleetResult =
    subject.resource === 'gitrepos'
      ? {
          resource: 'gitrepos',
          ...base,
          hasBundles: known > 0,
          ...(job === undefined ? {} : { job }),
        }
      : { resource: 'helmops', ...base };
  const { content } = observed;
  return {
    result,
    families: { BUNDLE: bundles.layout, CLUSTER: clusters.layout },
    observed,
    contributions: () => (content === undefined ? [] : [inventoryEntry(subject, {})]),
  };
}
