import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { createWorkloadFold } from '#shared/core/desired/workload-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { appliedObject, recordedEvents } from '#test/property/status/recordings.ts';

const FOLDER = new URL('../../../infra/collectors/', import.meta.url);

/** A ready-made StatusCollector, and the comment above it. */
export interface CollectorFile {
  readonly name: string;
  readonly comment: string;
  readonly object: JsonObject;
}

/** Every file of the library. */
export function collectorFiles(): readonly CollectorFile[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      const comment = text.split('\n').filter((line) => line.startsWith('#'));
      return {
        name: file.slice(0, -'.yaml'.length),
        comment: comment.join('\n'),
        object: parse(text),
      };
    });
}

/** A moment of a recording: what three WECs have returned after so many events. */
export interface Moment {
  readonly scenario: string;
  readonly kind: string;
  readonly events: number;
  /** A field of the status that is taken away from all WECs: what the recordings do not show. */
  readonly without?: string;
  /** The WECs that are silent. Default: none. */
  readonly silent?: readonly string[];
}

const WECS = ['wec1', 'wec2', 'wec3'];
/** What the ManagedClusters of the WECs say. One has no provider. */
const LABELS = new Map([
  ['wec1', { region: 'eu', environment: 'production', channel: 'stable', provider: 'cloud-a' }],
  ['wec2', { region: 'us', environment: 'production', channel: 'stable', provider: 'cloud-b' }],
  ['wec3', { region: 'eu', environment: 'staging', channel: 'fast' }],
]);

function statusWithout(status: JsonValue, field: string): JsonValue {
  const kept = Object.entries(isObject(status) ? status : {}).filter(([name]) => name !== field);
  return Object.fromEntries(kept);
}

function rowsAt({ scenario, kind, events, without = '' }: Moment): readonly PerWecRow[] {
  const latest = new Map<string, PerWecRow>();
  for (const { cluster, type, object } of recordedEvents(scenario, kind).slice(0, events)) {
    const { spec: _spec, status = null, ...returned } = returnedObject(object);
    const told = { wec: cluster, sourceGeneration: 1, ...returned };
    const row =
      type === 'DELETED' ? {} : { row: { ...told, status: statusWithout(status, without) } };
    latest.set(cluster, { wec: cluster, ...row });
  }
  return WECS.map((wec) => latest.get(wec) ?? { wec });
}

function workloadIn({ scenario, kind }: Moment): WorkloadObject {
  const applied = appliedObject(scenario, { step: 1, kind });
  const metadata = { name: 'example', uid: 'uid', generation: 1 };
  return { ...applied, apiVersion: String(applied['apiVersion']), kind, metadata };
}

function cellText(value: JsonValue | undefined): string {
  for (const key of ['string', 'float', 'bool', 'object', 'array']) {
    const found = member(value, key);
    if (found !== undefined) return typeof found === 'string' ? found : stringifyJson(found);
  }
  return 'null';
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** The result as a table, a line for each row; an empty text is shown as "". Errors stand below it. */
export function exampleOutput(collector: CollectorFile, moment: Moment): string {
  const compilation = compileStatusCollector(member(collector.object, 'spec'));
  if (!compilation.ok) return compilation.errors.join('\n');
  const fold = createWorkloadFold({
    ref: { wds: 'wds1', group: '', resource: 'examples', namespace: '', name: 'example' },
    object: workloadIn(moment),
    memberships: [
      {
        binding: 'b',
        bindingUid: 'b',
        version: 'v1',
        modulation: {
          statusCollectors: [collector.name],
          wantSingletonReportedState: false,
          wantMultiWECReportedState: false,
        },
        destinations: createDestinations('all', WECS),
      },
    ],
    collectors: new Map([[collector.name, compilation.collector]]),
    specs: new Map(),
    silent: new Map((moment.silent ?? []).map((wec) => [wec, undefined])),
    inventory: new Map([...LABELS].map(([wec, labels]) => [wec, { labels, annotations: {} }])),
  });
  const { desired, bindingErrors } = fold.finish(foldRows(fold, rowsAt(moment)));
  const result = list(at(desired.combinedStatuses[0]?.object, 'results'))[0];
  const cells = [
    list(member(result, 'columnNames')).map(String),
    ...list(member(result, 'rows')).map((row) =>
      list(member(row, 'columns')).map((cell) => cellText(cell) || '""'),
    ),
  ];
  const widths = (cells[0] ?? []).map((_name, column) =>
    Math.max(...cells.map((line) => (line[column] ?? '').length)),
  );
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const errors = ['rowErrors', 'aggregationErrors'].flatMap((key) => list(member(result, key)));
  return [
    ...lines,
    ...errors.map(stringifyJson),
    ...(bindingErrors.get('b') ?? []).map(String),
  ].join('\n');
}

/** The moment that each collector's example shows. */
export const EXAMPLES: Readonly<Record<string, Moment>> = {
  'available-replicas-histogram': {
    scenario: 'deployment-rollout',
    kind: 'Deployment',
    events: 16,
  },
  // As it is when the Job that still runs at the end of the recording has failed.
  'cronjob-overdue': { scenario: 'cronjob', kind: 'CronJob', events: 1000, without: 'active' },
  'cronjob-runs': { scenario: 'cronjob', kind: 'CronJob', events: 10 },
  'daemonset-nodes': { scenario: 'daemonset-rollout', kind: 'DaemonSet', events: 25 },
  'daemonset-not-available': { scenario: 'daemonset-rollout', kind: 'DaemonSet', events: 7 },
  'deployment-problems': { scenario: 'deployment-deadline', kind: 'Deployment', events: 52 },
  'deployment-replicas': { scenario: 'deployment-rollout', kind: 'Deployment', events: 16 },
  'deployment-rollouts': { scenario: 'deployment-deadline', kind: 'Deployment', events: 52 },
  'deployment-replicas-by-region': {
    scenario: 'deployment-rollout',
    kind: 'Deployment',
    events: 16,
  },
  'full-status': { scenario: 'pvc', kind: 'PersistentVolumeClaim', events: 5 },
  'hpa-problems': { scenario: 'hpa', kind: 'HorizontalPodAutoscaler', events: 1000 },
  'generations-by-channel': { scenario: 'deployment-rollout', kind: 'Deployment', events: 3 },
  'hpa-replicas-by-provider': {
    scenario: 'hpa',
    kind: 'HorizontalPodAutoscaler',
    events: 1000,
  },
  'hpa-replicas': { scenario: 'hpa', kind: 'HorizontalPodAutoscaler', events: 1000 },
  'job-failures': { scenario: 'job-failed', kind: 'Job', events: 23 },
  'job-states': { scenario: 'job-failed', kind: 'Job', events: 17 },
  'lag-by-environment': { scenario: 'deployment-rollout', kind: 'Deployment', events: 3 },
  'not-fully-available': { scenario: 'deployment-rollout', kind: 'Deployment', events: 16 },
  'phase-histogram': { scenario: 'pod', kind: 'Pod', events: 19 },
  'pod-problems': { scenario: 'pod', kind: 'Pod', events: 35 },
  'pod-restarts': { scenario: 'pod', kind: 'Pod', events: 40 },
  'pvc-capacity': { scenario: 'pvc', kind: 'PersistentVolumeClaim', events: 5 },
  'service-addresses': { scenario: 'service-loadbalancer', kind: 'Service', events: 8 },
  'silent-wecs-by-region': {
    scenario: 'deployment-rollout',
    kind: 'Deployment',
    events: 16,
    silent: ['wec2', 'wec3'],
  },
  'stale-wecs': { scenario: 'deployment-rollout', kind: 'Deployment', events: 3 },
  'statefulset-replicas': { scenario: 'statefulset-rollout', kind: 'StatefulSet', events: 30 },
  'statefulset-rollouts': { scenario: 'statefulset-rollout', kind: 'StatefulSet', events: 30 },
  'wec-count': { scenario: 'deployment-rollout', kind: 'Deployment', events: 1 },
};
