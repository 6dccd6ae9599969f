import { countAt } from '#shared/core/health/count-at.ts';
import { at, isArray, type JsonValue, member, textAt } from '#shared/core/json.ts';

/** An object in a WEC, as far as it is known. */
interface ReadyInputs {
  readonly spec: JsonValue | undefined;
  readonly status: JsonValue;
}

type Rule = (inputs: ReadyInputs) => string;

/** A count that Kubernetes sets to 1 if it is absent. */
function wanted(spec: JsonValue | undefined, field: string): number {
  return member(spec, field) === undefined ? 1 : countAt(spec, field);
}

const replicas: Rule = ({ spec, status }) =>
  `${countAt(status, 'readyReplicas')}/${wanted(spec, 'replicas')}`;

function lengthOf(value: JsonValue | undefined): number {
  return isArray(value) ? value.length : 0;
}

const containers: Rule = ({ spec, status }) => {
  const statuses = member(status, 'containerStatuses');
  const ready = isArray(statuses) ? statuses.filter((one) => member(one, 'ready') === true) : [];
  return `${ready.length}/${lengthOf(member(spec, 'containers'))}`;
};

/** Kinds that count what is ready, by group/resource. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['apps/deployments', replicas],
  ['apps/replicasets', replicas],
  ['apps/statefulsets', replicas],
  ['/replicationcontrollers', replicas],
  ['argoproj.io/rollouts', replicas],
  [
    'apps/daemonsets',
    ({ status }) =>
      `${countAt(status, 'numberReady')}/${countAt(status, 'desiredNumberScheduled')}`,
  ],
  [
    'batch/jobs',
    ({ spec, status }) => `${countAt(status, 'succeeded')}/${wanted(spec, 'completions')}`,
  ],
  ['/pods', containers],
]);

/** The status of the condition `Ready`, or of `Available` if there is none. */
function conditionText(status: JsonValue): string | undefined {
  const conditions = at(status, 'conditions');
  if (!isArray(conditions)) return undefined;
  const texts = ['Ready', 'Available'].map((type) =>
    textAt(
      conditions.find((condition) => member(condition, 'type') === type),
      'status',
    ),
  );
  return texts.find((text) => text !== '');
}

/**
 * How much of an object is ready: `2/3` for a kind that counts replicas, pods or completions, else the status of its condition
 * `Ready` or `Available`. Undefined if the status says neither.
 *
 * @param inputs the spec is the WEC's own, if it is known
 */
export function readyText(
  { group, resource }: { readonly group: string; readonly resource: string },
  inputs: ReadyInputs,
): string | undefined {
  return RULES.get(`${group}/${resource}`)?.(inputs) ?? conditionText(inputs.status);
}
