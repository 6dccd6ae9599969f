import { foldRows, mergingFold } from '#shared/core/fold/fold.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { shardCount, shardOf } from '#shared/state/shards.ts';
import { TYPICAL } from '../collectors.ts';
import { type Figure, quantile, rounded } from '../figure.ts';
import { measureEvents } from '../one-event.bench.ts';
import { statusWith } from '../recorded-deployment.ts';
import { OBJECT, rows, WECS, workloadFold } from '../typical-workload.ts';
import { commitOf, runGoTest, sourcesIn } from './go-test.ts';
import { compiledMilliseconds, NANOSECONDS_PER_MS, type Peer, requireSame } from './peer.ts';

const ROUNDS = 5;
const EVENTS = 40;
/** The WEC that the event is about says the one and the other in turn. */
const AVAILABLE = [3, 4] as const;
const CHANGED_ROW = 1;
const RESOURCE = 'deployments';
/** What KubeStellar selects is not limited. */
const COMPARED = ['histogram', 'total'];

interface Said {
  /** Nanoseconds of each round. */
  readonly full: readonly number[];
  readonly event: readonly number[];
  readonly result: readonly NamedResult[];
}

interface NamedResult {
  readonly name: string;
  readonly rows: readonly { readonly columns: JsonValue }[];
}

/** A WorkStatus, as KubeStellar's agents make it. It has no managedFields, which cost the resolver more. */
function workStatus(wec: string, status: JsonValue): JsonObject {
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'WorkStatus',
    metadata: { namespace: wec, name: `appsv1-deployment-shop-web-${wec}` },
    spec: {
      sourceRef: {
        group: 'apps',
        version: 'v1',
        resource: RESOURCE,
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
      },
    },
    status,
  };
}

function withStatus({ wec, row }: PerWecRow, status: JsonValue): PerWecRow {
  return row === undefined ? { wec } : { wec, row: { ...row, status } };
}

/** What collectors found, without the order of their rows. */
function compared(results: readonly NamedResult[]): unknown {
  return results
    .filter(({ name }) => COMPARED.includes(name))
    .map(({ name, rows: found }) => [name, found.map((row) => JSON.stringify(row.columns)).sort()]);
}

/** What is done for one event, in memory: one shard is folded, and its part is merged with those of the other shards. */
function oneEvent(table: readonly PerWecRow[]): () => unknown {
  const fold = workloadFold(TYPICAL, false);
  const shards = shardCount(table.length);
  const byShard = Map.groupBy(table, ({ wec }) => shardOf(wec, shards));
  const parts = new Map([...byShard].map(([shard, own]) => [shard, foldRows(fold, own)]));
  const changed = table[CHANGED_ROW] as PerWecRow;
  const shard = shardOf(changed.wec, shards);
  const folded = AVAILABLE.map((available) => {
    const now = withStatus(changed, statusWith(available));
    return (byShard.get(shard) ?? []).map((row) => (row === changed ? now : row));
  });
  let turn = 0;
  return () => {
    parts.set(shard, foldRows(fold, folded[turn++ % folded.length] ?? []));
    return fold.finish(foldRows(mergingFold(fold), parts.values()));
  };
}

async function measureKubeStellar(folder: string | undefined): Promise<readonly Figure[]> {
  const has = 'pkg/status/combinedstatus-resolver.go';
  const sources = sourcesIn({ option: '--kubestellar', folder, has });
  const table = rows();
  const input = {
    resource: RESOURCE,
    object: { ...OBJECT },
    workStatuses: table.map(({ wec, row }) => workStatus(wec, row?.status ?? {})),
    collectors: TYPICAL,
    events: AVAILABLE.map((available) =>
      workStatus(table[CHANGED_ROW]?.wec ?? '', statusWith(available)),
    ),
    rounds: ROUNDS,
    eventCount: EVENTS,
  };
  const test = { file: 'kubestellar_test.go', sources, package: 'pkg/status' };
  // The test writes this.
  const said = (await runGoTest(test, input)) as Said;
  const fold = workloadFold(TYPICAL, false);
  const full = () => fold.finish(foldRows(fold, table));
  const [combined] = full().desired.combinedStatuses;
  const results = combined?.object['results'] as unknown as readonly NamedResult[];
  requireSame('results of collectors', compared(results), compared(said.result));
  const theirFull = quantile(said.full, 0.5) / NANOSECONDS_PER_MS;
  const theirEvent = quantile(said.event, 0.5) / NANOSECONDS_PER_MS;
  const { aggregateMs } = await measureEvents(':memory:', WECS);
  const peer = `KubeStellar${await commitOf(sources)}`;
  const section = `CombinedStatus of ${rounded(WECS)} WECs with 3 collectors, beside the resolver of ${peer} (median)`;
  const beside = (value: number): string => `KubeStellar: ${rounded(value)} ms`;
  const figures: readonly Omit<Figure, 'section' | 'unit'>[] = [
    { what: 'all rows', value: await compiledMilliseconds(full), beside: beside(theirFull) },
    { what: 'peer: KubeStellar, all rows', value: theirFull },
    {
      what: 'one event, in memory',
      value: await compiledMilliseconds(oneEvent(table)),
      beside: beside(theirEvent),
    },
    { what: 'peer: KubeStellar, one event, in memory', value: theirEvent },
    {
      what: 'one event, with the table in SQLite, and a multi-WEC status as well',
      value: aggregateMs,
      beside: `${beside(theirEvent)}, in memory, without a multi-WEC status`,
    },
  ];
  return figures.map((figure) => ({ section, unit: 'ms', ...figure }));
}

/**
 * KubeStellar's resolver of CombinedStatuses.
 *
 * @param folder of a checkout
 */
export function kubeStellar(folder: string | undefined): Peer {
  return { name: "KubeStellar's resolver", measure: () => measureKubeStellar(folder) };
}
