import { labelValue } from '#shared/core/collector/label-value.ts';
import { ARGO_CD_ORDER } from '#shared/core/health/verdict.ts';
import type { FieldWords } from '#shared/core/status-api/field-selector-text.ts';
import { STATUS_LABELS } from '#shared/core/status-api/selectable.ts';
import type {
  FieldRequirement,
  Selectable,
  StatusSelector,
} from '#shared/core/status-api/selector.ts';
import { resourceText, workloadText } from '#shared/core/status-api/status-name.ts';
import type { BoundWorkload } from '#shared/core/status-api/wec-status.ts';
import { DECISION_ACTIONS } from './decision-explanation.ts';
import type { Explanation } from './explanation.ts';

/** The fields by which a workload object is selected. */
export const WORKLOAD_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'workload.name',
  'workload.resource',
  'workload.group',
  'workload.kind',
] as const;

/** The fields of field selectors for explanations. They are exact, whatever their length. */
export const EXPLANATION_FIELDS = [...WORKLOAD_FIELDS, 'action', 'health'] as const;

/** The words of the fields that have only some. */
export const EXPLANATION_WORDS: FieldWords = {
  action: DECISION_ACTIONS,
  health: ARGO_CD_ORDER,
};

/** What selectors read of a workload object: its own labels and Starfold's, and {@link WORKLOAD_FIELDS}. */
export function selectableWorkload({ workload, kind, ownLabels }: BoundWorkload): Selectable {
  const { group, resource, namespace, name } = workload;
  const fields: Record<(typeof WORKLOAD_FIELDS)[number], string> = {
    'metadata.name': workloadText(workload),
    'metadata.namespace': namespace,
    'workload.name': name,
    'workload.resource': resource,
    'workload.group': group,
    'workload.kind': kind,
  };
  const labels = {
    ...ownLabels,
    [STATUS_LABELS.workload]: labelValue(name),
    [STATUS_LABELS.resource]: labelValue(resourceText(workload)),
  };
  return { labels, fields };
}

/** A workload object with the explanation of its status. */
export interface ExplainedBound {
  readonly bound: BoundWorkload;
  readonly explanation: Explanation;
}

/** What selectors read of an explanation. */
export function selectableExplanation({ bound, explanation }: ExplainedBound): Selectable {
  const { labels, fields } = selectableWorkload(bound);
  const { decision, verdict } = explanation;
  return { labels, fields: { ...fields, action: decision.action, health: verdict?.status ?? '' } };
}

function isOfWorkload({ field }: FieldRequirement): boolean {
  return WORKLOAD_FIELDS.some((one) => one === field);
}

/** The part of a selector of explanations that the workload object alone decides, without what WECs report of it. */
export function ofWorkload({ labels, fields }: StatusSelector): StatusSelector {
  return { labels, fields: fields.filter(isOfWorkload) };
}
