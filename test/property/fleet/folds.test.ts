import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import { BUNDLE_SOURCES } from '#shared/core/fleet/bundle-sources-fold.ts';
import { CELLS, type ClusterCell, deploymentCell } from '#shared/core/fleet/cells-fold.ts';
import type { ClusterContact } from '#shared/core/fleet/cluster-contact.ts';
import { CLUSTER } from '#shared/core/fleet/cluster-fold.ts';
import { CLUSTER_GROUP, type GroupRow } from '#shared/core/fleet/cluster-group-fold.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { NO_RESOURCES } from '#shared/core/fleet/resource-counts.ts';
import {
  SOURCE_BUNDLES,
  type SourceBundle,
  type SourceBundlesPart,
} from '#shared/core/fleet/source-bundles-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';
import { rowKey, targetRow } from './target-rows.ts';

/** Targets of several Bundles, in one cluster. */
const rowOfCluster: fc.Arbitrary<DeploymentRow> = targetRow.map((row) => ({
  ...row,
  namespace: row.namespace === '' ? '' : 'cluster-fleet-default-c1-1a2b3c4d',
  cluster: 'fleet-default/c1',
}));

const rowsOfCluster = fc.uniqueArray(rowOfCluster, { maxLength: 6, selector: rowKey });

const contact: fc.Arbitrary<ClusterContact> = fc.constantFrom<ClusterContact[]>(
  { type: 'connected' },
  { type: 'never' },
  { type: 'silent', lastSeen: '2026-11-21T10:00:00Z' },
  { type: 'silent', lastSeen: '2026-11-21T10:05:00Z' },
);

/** What a GitRepo has in a cluster; `''` is none. */
const cell: fc.Arbitrary<ClusterCell> = fc
  .tuple(fc.nat(60), rowsOfCluster)
  .map(([number, rows]) => {
    const cluster = number === 0 ? '' : `fleet-default/c${number}`;
    const part = foldRows(
      CLUSTER,
      rows.map((row) => ({ ...row, cluster, repo: 'fleet-default/shop' })),
    );
    return part.repos[0]?.cell ?? deploymentCell({ cluster, state: 'Ready', counts: NO_RESOURCES });
  });

const groupRow: fc.Arbitrary<GroupRow> = fc
  .tuple(fc.nat(60), contact, rowsOfCluster)
  .map(([number, about, rows]) => {
    const [namespace, name] = ['fleet-default', `c${number}`];
    const inCluster = rows.map((row) => ({ ...row, cluster: `${namespace}/${name}` }));
    return { namespace, name, contact: about, part: foldRows(CLUSTER, inCluster) };
  });

type NumberedBundle = SourceBundle & { readonly number: number };

/** What a GitRepo sees of a Bundle, by its number; some it knows by their deployments alone. */
const sourceBundle: fc.Arbitrary<NumberedBundle> = fc
  .tuple(
    fc.nat(40),
    fc.array(targetRow, { maxLength: 3 }),
    fc.option(fc.constantFrom('', 'template failed', 'no such key')),
  )
  .map(([number, rows, error]) => {
    const own = rows.map((row, index) => ({
      ...row,
      namespace: `cluster-${number}-${index}`,
      uid: `u-${number}-${index}`,
    }));
    const order = `u${number}\nfleet-default/b${number}`;
    const known = error === null ? null : { order, error };
    return { number, part: foldRows(BUNDLE, own), known };
  });

describe('the fold of the targets of a Bundle', () => {
  checkFoldLaws(BUNDLE, targetRow, { key: rowKey });
});

describe('the fold of the deployments of a Cluster', () => {
  checkFoldLaws(CLUSTER, rowOfCluster, { key: rowKey });
});

describe('the fold of the clusters of a GitRepo', () => {
  checkFoldLaws(CELLS, cell, { key: ({ cluster }) => cluster });
});

describe('the fold of the clusters of a ClusterGroup', () => {
  checkFoldLaws(CLUSTER_GROUP, groupRow, { key: ({ name }) => name });
});

describe('the fold of the targets of a Bundle by what has made them', () => {
  checkFoldLaws(BUNDLE_SOURCES, targetRow, { key: rowKey });

  it('says in the end what the fold of all of them says', () => {
    fc.assert(
      fc.property(fc.uniqueArray(targetRow, { selector: rowKey }), (rows) => {
        const parts = foldRows(BUNDLE_SOURCES, rows);
        expect(BUNDLE_SOURCES.finish(parts)).toEqual(foldRows(BUNDLE, rows));
        const sources = rows.map(({ repo, helmOp }) => `${repo} ${helmOp}`);
        expect(parts).toHaveLength(new Set(sources).size);
      }),
    );
  });
});

describe('the fold of the Bundles of a GitRepo', () => {
  checkFoldLaws<NumberedBundle, SourceBundlesPart>(SOURCE_BUNDLES, sourceBundle, {
    key: ({ number }) => String(number),
  });
});
