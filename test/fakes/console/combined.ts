import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { CONTROL_API_VERSION, STATUS_LABEL_PREFIX } from '#shared/core/kubestellar.ts';
import { HOSTILE } from './fleet.ts';

/** A cell of a CombinedStatus. */
function cell(value: string | number | null): JsonObject {
  if (value === null) return { type: 'Null' };
  return typeof value === 'number'
    ? { type: 'Number', float: String(value) }
    : { type: 'String', string: value };
}

/** What one StatusCollector has computed. Its name comes first, then those of the columns. */
export function result(
  [name, ...columnNames]: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  more: JsonObject = {},
): JsonObject {
  const cells = rows.map((row): JsonValue => ({ columns: row.map(cell) }));
  return { name: name ?? '', columnNames, rows: cells, ...more };
}

/** How many WECs have how many available replicas. */
export function histogram(lowest: number): JsonObject {
  return result(
    ['available-histogram', 'available', 'wecs'],
    [
      [lowest, 1],
      [7, 5],
      [8, 3],
      [10, 31],
    ],
  );
}

/** By default, these lag. */
export const LAGGING = ['eu-west-003', 'us-east-004', 'us-east-005', 'us-west-001'];

/** The WECs in which not all replicas are available, in this order. */
export function lagging(wecs: readonly string[] = LAGGING): JsonObject {
  return result(
    ['not-fully-available', 'wec', 'available', 'wanted'],
    wecs.map((wec) => [wec, wec === 'eu-west-003' ? 4 : 8, 10]),
  );
}

/** The results for shop/web: a histogram, a table, totals with errors, and texts that try to be something else. */
export const RESULTS: readonly JsonObject[] = [
  histogram(4),
  lagging(),
  result(['totals', 'wecs', 'ready', 'available'], [[40, 363, null]], {
    rowErrors: [
      {
        wec: { clusterId: 'ap-south-004' },
        columnName: 'ready',
        error: 'no such key: readyReplicas',
      },
    ],
    aggregationErrors: [{ columnName: 'ready', error: 'a value is not a number' }],
  }),
  result(
    [HOSTILE.message, HOSTILE.message, 'text'],
    [
      [HOSTILE.message, 'x'.repeat(10_000)],
      ['\u202egnp.exe', HOSTILE.message],
    ],
  ),
];

/** The CombinedStatus of shop/web for its Binding. */
export function combinedStatus(results: readonly JsonObject[] = RESULTS): JsonObject {
  const values = {
    'api-group': 'apps',
    resource: 'deployments',
    namespace: 'shop',
    name: 'web',
    'binding-policy': 'bp-shop',
  };
  const labels = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [`${STATUS_LABEL_PREFIX}${key}`, value]),
  );
  return {
    apiVersion: CONTROL_API_VERSION,
    kind: 'CombinedStatus',
    metadata: { namespace: 'shop', name: 'web.bp-shop', uid: 'c-1', labels },
    results,
  };
}
