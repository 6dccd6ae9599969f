import fc from 'fast-check';
import { BUNDLE_STATES, type BundleState } from '#shared/core/fleet/bundle-state.ts';
import { type DeploymentRow, silentRow } from '#shared/core/fleet/deployment-row.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { DeploymentOverrides } from '#test/unit/fleet/fixtures/objects.ts';
import { condition, counts, resource } from '#test/unit/fleet/fixtures/parts.ts';
import { CHANGED, ROLLING_OUT, rowIn } from '#test/unit/fleet/fixtures/states.ts';

const CLUSTERS = ['a', 'a-1', 'b', 'c', 'd', 'e', 'f', 'g', ''];
const NAMES = ['shop', 'cache', 'shop-1'];

/** Texts of which some begin alike, and some would fall into the next field where texts are joined. */
const text = fc.constantFrom('', 'boom', 'boom\nfalse', 'false', 'x'.repeat(600), '😀'.repeat(300));

const summary: fc.Arbitrary<JsonObject> = fc.record({
  state: fc.constantFrom('updating', 'error', 'error\nfalse', 'in-progress', 'Pending'),
  error: fc.boolean(),
  transitioning: fc.boolean(),
  message: fc.array(text, { maxLength: 2 }),
});

const resourceNames = fc.subarray(['settings', 'web', 'cache', 'web-1']);

const status: fc.Arbitrary<JsonObject> = fc
  .record({
    listed: resourceNames,
    nonReady: resourceNames,
    modified: resourceNames,
    summaries: fc.array(summary, { minLength: 4, maxLength: 4 }),
    patch: text,
    message: text,
    ready: fc.nat(3),
    incompleteState: fc.boolean(),
  })
  .map((made) => ({
    conditions: [condition('Monitored', 'False', { message: made.message })],
    incompleteState: made.incompleteState,
    modifiedStatus: made.modified.map((name) => ({ ...CHANGED, name, patch: made.patch })),
    nonReadyStatus: made.nonReady.map((name, index) => ({
      ...ROLLING_OUT,
      name,
      summary: made.summaries[index] ?? {},
    })),
    resourceCounts: counts({ ready: made.ready, desiredReady: 3, notReady: 3 - made.ready }),
    resources: made.listed.map((name) => resource(name, 'Deployment', 'apps/v1')),
  }));

const given: fc.Arbitrary<DeploymentOverrides> = fc.record({
  name: fc.constantFrom(...NAMES),
  cluster: fc.constantFrom(...CLUSTERS),
  repo: fc.constantFrom('', 'shop', 'repo'),
  helmOp: fc.constantFrom('', 'cache'),
  metadata: fc.record({ uid: fc.constantFrom('u1', 'u2', 'u3', '') }),
  status,
});

/** So often one state that more deployments are in it than are listed. */
const state = fc.oneof(
  { weight: 3, arbitrary: fc.constant<BundleState>('NotReady') },
  { weight: 4, arbitrary: fc.constantFrom<BundleState[]>(...BUNDLE_STATES) },
);

function madeIn(wanted: BundleState, overrides: DeploymentOverrides): DeploymentRow {
  // A target without a BundleDeployment is one of a cluster.
  if (wanted === 'Pending' && overrides.cluster === '') return rowIn('Ready', overrides);
  if (wanted !== 'ErrApplied') return rowIn(wanted, overrides);
  const { conditions: _conditions, ...status } = overrides.status ?? {};
  return rowIn(wanted, { ...overrides, status });
}

/** The row of any target of some Bundles in some clusters. */
export const targetRow: fc.Arbitrary<DeploymentRow> = fc
  .tuple(state, given, fc.nat(9))
  .map(([wanted, overrides, dice]) => {
    const row = madeIn(wanted, overrides);
    return dice === 0 ? silentRow(row, 'agent last seen 2026-11-21T10:00:00Z') : row;
  });

/** Names what a row is about: a BundleDeployment, or the lack of one. */
export function rowKey({ namespace, name, bundle, cluster }: DeploymentRow): string {
  return namespace === '' ? `pending ${bundle} ${cluster}` : `${namespace}/${name}`;
}

/** Rows of targets, each about something else; so many that lists overflow. */
export const targetRows: fc.Arbitrary<DeploymentRow[]> = fc.uniqueArray(
  fc
    .tuple(targetRow, fc.nat(5))
    .map(([row, more]) =>
      row.namespace === '' ? row : { ...row, namespace: `${row.namespace}-${more}` },
    ),
  { minLength: 0, maxLength: 60, selector: rowKey },
);
