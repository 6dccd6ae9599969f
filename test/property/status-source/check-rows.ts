import { expect } from 'vitest';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import type { QueriedRow, QueriedWorkloads } from '#shared/core/status-api/status-query.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { objectKey } from '#shared/core/workload.ts';
import type { Scope } from '#shared/ports/status-source.ts';
import type { SourceWorld } from './source-world.ts';

const ALL: QueriedWorkloads = { allNamespaces: false, matches: () => true };
const COLLECTOR: CompiledCollector = {
  ...{ kind: 'aggregate', groupBy: [], limit: 1 },
  combinedFields: [{ name: 'count', type: 'COUNT' }],
};

/** The rows of a query, after a position. */
export async function rowsOf(
  { source }: Pick<SourceWorld, 'source'>,
  scope: Scope,
  after?: string,
): Promise<readonly QueriedRow[]> {
  const rest = after === undefined ? {} : { after };
  const request = { scope, workloads: ALL, collector: COLLECTOR, readable: () => true, ...rest };
  const found: QueriedRow[] = [];
  for await (const { rows } of source.rows(request)) found.push(...rows);
  return found;
}

/** Compares the rows of a query with statuses: those of the objects that the WDS has. */
export async function checkRows(
  world: SourceWorld,
  scope: Scope,
  statuses: readonly WecStatus[],
): Promise<void> {
  const standing = new Set(world.pipeline.wds.objects().map(({ ref }) => objectKey(ref)));
  const expected = statuses.filter(({ workload }) => standing.has(objectKey(workload)));
  const rows = await rowsOf(world, scope);
  const told = rows.map(({ workload, row }) => ({ workload, wec: row.wec }));
  expect(told).toEqual(expected.map(({ workload, wec }) => ({ workload, wec })));
  const returned = rows.map(({ row }) => row.activation.returned);
  expect(returned).toEqual(expected.map(({ status }) => status ?? {}));
  const middle = rows[Math.floor(rows.length / 2)];
  if (middle === undefined) return;
  const rest = rows.slice(rows.indexOf(middle) + 1);
  const positions = (some: readonly QueriedRow[]) => some.map(({ position }) => position);
  expect(positions(await rowsOf(world, scope, middle.position))).toEqual(positions(rest));
}
