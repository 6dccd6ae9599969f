import { readMembership } from '#shared/core/desired/membership.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { workloadText } from '#shared/core/status-api/status-name.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import type { WorkloadState } from '#shared/ports/status-source.ts';

/** What the WDS says of the results of workload objects. */
export type ResultState = Pick<WorkloadState, 'applied' | 'refused'>;

function rowOf({ wec, state, generation, status }: WecStatus): PerWecRow {
  if (state === 'TooLarge') return { wec, oversizedBytes: 2_000_000 };
  if (status === undefined || state === 'NotReported' || state === 'Missing') return { wec };
  return { wec, row: { wec, uid: `${wec}-uid`, generation: generation.wec ?? 0, status } };
}

/** A Binding that asks for the aggregate of all WECs. */
function bindingOf([first]: readonly [WecStatus, ...WecStatus[]], wecs: readonly string[]) {
  const { group, resource, namespace, name } = first.workload;
  const wants = { resourceVersion: '1', wantMultiWECReportedState: true };
  const bound: JsonObject = { group, version: 'v1', resource, name, ...wants };
  const workload: JsonObject =
    namespace === '' ? { clusterScope: [bound] } : { namespaceScope: [{ ...bound, namespace }] };
  return {
    name: 'bp',
    uid: 'bp-uid',
    object: {
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'Binding',
      metadata: { name: 'bp' },
      spec: { destinations: wecs.map((clusterId) => ({ clusterId })), workload },
    },
  };
}

/** All that determines the result of an object, as far as the statuses of its WECs say. The WDS has it if it was created. */
export function workloadStateOf(
  statuses: readonly [WecStatus, ...WecStatus[]],
  result: ResultState,
): WorkloadState {
  const [{ workload, kind, created, ownLabels }] = statuses;
  const { group, namespace, name } = workload;
  const object: JsonObject = {
    apiVersion: group === '' ? 'v1' : `${group}/v1`,
    kind,
    metadata: { name, ...(namespace === '' ? {} : { namespace }), labels: ownLabels },
  };
  const wecs = statuses.map(({ wec }) => wec).sort();
  const rows = new Map(statuses.map((status) => [status.wec, rowOf(status)]));
  const reported = {
    ...{ ref: { wds: 'wds1', ...workload }, uid: `uid-${workloadText(workload)}`, object, rows },
    missing: new Set(statuses.flatMap(({ wec, state }) => (state === 'Missing' ? [wec] : []))),
    specs: new Map(),
  };
  return {
    ...{ workload, kind, ownLabels, ...result },
    ...(created === undefined ? {} : { created, reported }),
    membership: readMembership({
      bindings: [bindingOf(statuses, wecs)],
      policies: [],
      collectors: [],
    }),
    silent: new Set(statuses.flatMap(({ wec, state }) => (state === 'Silent' ? [wec] : []))),
    silentFor: () => new Set(),
  };
}
