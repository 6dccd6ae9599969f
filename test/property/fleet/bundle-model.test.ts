import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import { BUNDLE_STATES, type BundleState } from '#shared/core/fleet/bundle-state.ts';
import { bundleStatus } from '#shared/core/fleet/bundle-status.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { readyMessage } from '#shared/core/fleet/ready-message.ts';
import { resourcesList } from '#shared/core/fleet/resources-list.ts';
import { summaryJson } from '#shared/core/fleet/summary-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { at, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { bundle } from '#test/unit/fleet/fixtures/objects.ts';
import { targetRows } from './target-rows.ts';

const WORST_FIRST = BUNDLE_STATES.toReversed();
const NAMES: Readonly<Record<BundleState, string>> = {
  Ready: 'ready',
  NotReady: 'notReady',
  Pending: 'pending',
  OutOfSync: 'outOfSync',
  Modified: 'modified',
  WaitApplied: 'waitApplied',
  ErrApplied: 'errApplied',
};

/** Rows in the order in which a Bundle lists them: by cluster, then by deployment. */
function sorted(rows: readonly DeploymentRow[]): readonly DeploymentRow[] {
  const keyOf = ({ cluster, namespace, name }: DeploymentRow): readonly string[] => {
    const [clusterNamespace = '', clusterName = ''] = cluster.split('/');
    return [clusterName, clusterNamespace, namespace, name];
  };
  return rows.toSorted((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    const index = x.findIndex((text, place) => text !== y[place]);
    return (x[index] ?? '') < (y[index] ?? '') ? -1 : 1;
  });
}

function isIn(state: BundleState): (row: DeploymentRow) => boolean {
  return (row) => row.state === state;
}

/** What a summary says, from all rows at once. */
function naiveSummary(rows: readonly DeploymentRow[]): Record<string, number> {
  const counters = BUNDLE_STATES.map((state) => [NAMES[state], rows.filter(isIn(state)).length]);
  const said = counters.filter(([name, count]) => name === 'ready' || count !== 0);
  return Object.fromEntries([...said, ['desiredReady', rows.length]]);
}

/** The rows that a summary lists, from all rows at once. */
function naiveList(rows: readonly DeploymentRow[]): readonly DeploymentRow[] {
  const all = sorted(rows).filter(({ state }) => state !== 'Ready');
  const firsts = WORST_FIRST.flatMap((state) => all.find(isIn(state)) ?? []);
  const others = WORST_FIRST.flatMap((state) => all.filter(isIn(state))).filter(
    (row) => !firsts.includes(row),
  );
  const chosen = [...firsts, ...others].slice(0, 10);
  return all.filter((row) => chosen.includes(row));
}

function nameOf({ cluster, namespace, name }: DeploymentRow): string {
  return cluster || `${namespace}/${name}`;
}

describe('a summary', () => {
  it('is what counting and sorting all rows gives', () => {
    fc.assert(
      fc.property(targetRows, (rows) => {
        const { nonReadyResources = [], ...counters } = summaryJson(
          foldRows(BUNDLE, rows).byCluster,
        );
        expect(counters).toEqual(naiveSummary(rows));
        expect(
          (nonReadyResources as readonly JsonObject[]).map((entry) => [
            entry['name'],
            entry['bundleState'],
          ]),
        ).toEqual(naiveList(rows).map((row) => [nameOf(row), row.state]));
      }),
    );
  });

  it('has a message that names the first row of each state, and says how many there are', () => {
    fc.assert(
      fc.property(targetRows, (all) => {
        // Without lines of resources, headings are all that there is.
        const rows = all.map((row) => ({ ...row, modified: [], nonReady: [] }));
        const headings = [...BUNDLE_STATES].sort().flatMap((state) => {
          const inState = sorted(rows).filter(isIn(state));
          const [first] = inState;
          if (state === 'Ready' || first === undefined) return [];
          const said = first.message === '' ? '' : `: ${first.message}`;
          return [`${state}(${inState.length}) [Cluster ${nameOf(first)}${said}]`];
        });
        const part = foldRows(BUNDLE, rows).byCluster;
        expect(readyMessage(part, 'Cluster')).toBe(headings.join('; '));
      }),
    );
  });
});

describe('the resources of a status', () => {
  it('are each in every cluster that has it, once', () => {
    fc.assert(
      fc.property(targetRows, (rows) => {
        const { resources, left, cut } = resourcesList(foldRows(BUNDLE, rows).resources);
        expect([left, cut]).toEqual([0, 0]);
        const states = rows.flatMap((row) =>
          row.resources.map(([, { ref }]) => [ref.kind, ref.name, row.cluster || '/'].join(' ')),
        );
        const named = resources.flatMap((entry) => {
          const lists = Object.values(at(entry, 'perClusterState') as Record<string, string[]>);
          for (const list of lists) expect(new Set(list).size).toBe(list.length);
          return lists.flat().map((cluster) => [entry['kind'], entry['name'], cluster].join(' '));
        });
        expect(new Set(named)).toEqual(new Set(states));
      }),
    );
  });

  it('and all of the status of a Bundle are the same in any order', () => {
    const object = bundle();
    const statusOf = (rows: readonly DeploymentRow[]): string => {
      const part = foldRows(BUNDLE, rows);
      const { fields, absent, conditions } = bundleStatus({
        bundle: object,
        part,
        targetErrors: [],
      });
      const said = conditions.map(({ message = '' }) => message);
      return stringifyJson([fields, absent, said, resourcesList(part.resources, 2000).resources]);
    };
    const twoOrders = targetRows.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length }),
      ),
    );
    fc.assert(
      fc.property(twoOrders, ([rows, reordered]) => {
        expect(statusOf(reordered)).toBe(statusOf(rows));
      }),
    );
  });
});
