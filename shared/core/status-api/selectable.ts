import { labelValue } from '#shared/core/collector/label-value.ts';
import { ARGO_CD_ORDER } from '#shared/core/health/verdict.ts';
import type { Labels } from '#shared/core/labels.ts';
import type { FieldWords } from './field-selector-text.ts';
import type { Selectable } from './selector.ts';
import { resourceText, wecStatusName } from './status-name.ts';
import { WEC_STATES, type Wec, type WecStatus } from './wec-status.ts';

/** The labels that Starfold adds to what it serves. A value that is no label value is shortened, with a hash. */
export const STATUS_LABELS = {
  /** The name of the workload object. */
  workload: 'starfold.dev/workload',
  /** `<resource>[.<group>]` of the workload object. */
  resource: 'starfold.dev/resource',
  wec: 'starfold.dev/wec',
  /** The first Binding by name that sends the object to the WEC. */
  binding: 'starfold.dev/binding',
} as const;

/** The fields of field selectors for WECStatuses. They are exact, whatever their length. */
export const WEC_STATUS_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'workload.name',
  'workload.resource',
  'workload.group',
  'workload.kind',
  'wec',
  'health',
  'state',
] as const;

/** The words of the fields that have only some. */
export const WEC_STATUS_WORDS: FieldWords = { health: ARGO_CD_ORDER, state: WEC_STATES };

/** The fields of field selectors for WECs. */
export const WEC_FIELDS = ['metadata.name'] as const;

/** The labels of a WECStatus: those of the workload object in the WDS, and Starfold's. */
export function wecStatusLabels({
  workload,
  wec,
  bindings,
  ownLabels,
}: Pick<WecStatus, 'workload' | 'wec' | 'bindings' | 'ownLabels'>): Labels {
  const [binding] = bindings;
  return {
    ...ownLabels,
    [STATUS_LABELS.workload]: labelValue(workload.name),
    [STATUS_LABELS.resource]: labelValue(resourceText(workload)),
    [STATUS_LABELS.wec]: labelValue(wec),
    ...(binding === undefined ? {} : { [STATUS_LABELS.binding]: labelValue(binding) }),
  };
}

/** What selectors read of a WECStatus. */
export function selectableWecStatus(status: WecStatus): Selectable {
  const { workload, kind, wec, health, state } = status;
  const fields: Record<(typeof WEC_STATUS_FIELDS)[number], string> = {
    'metadata.name': wecStatusName(status),
    'metadata.namespace': workload.namespace,
    'workload.name': workload.name,
    'workload.resource': workload.resource,
    'workload.group': workload.group,
    'workload.kind': kind,
    wec,
    health: health?.status ?? '',
    state,
  };
  return { labels: wecStatusLabels(status), fields };
}

/** What selectors read of a WEC. */
export function selectableWec({ name, ownLabels }: Wec): Selectable {
  return { labels: ownLabels, fields: { 'metadata.name': name } };
}
