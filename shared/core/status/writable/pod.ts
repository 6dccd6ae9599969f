import { countAt } from '#shared/core/health/count-at.ts';
import { at, isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { containersStay } from '#shared/core/status/messages.ts';
import type { StatusWrite, WritableStatus } from './status-write.ts';
import { withChanges } from './status-write.ts';

/** A list of the status, and the list of the spec that defines which of its containers restart. */
const LISTS: readonly (readonly [statuses: string, containers: string])[] = [
  ['containerStatuses', 'containers'],
  ['initContainerStatuses', 'initContainers'],
  // There is no list of the spec, because ephemeral containers never restart.
  ['ephemeralContainerStatuses', ''],
];
const RESTART_ALL = 'RestartAllContainers';

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter((entry) => isObject(entry)) : [];
}

function hasEnded(entry: JsonObject): boolean {
  return isObject(at(entry, 'state', 'terminated'));
}

function rulesOf(container: JsonObject): readonly JsonObject[] {
  return objectsIn(container['restartPolicyRules']);
}

function appliesTo(rule: JsonObject, exitCode: number): boolean {
  const operator = at(rule, 'exitCodes', 'operator');
  const values = at(rule, 'exitCodes', 'values');
  const isListed = isArray(values) && values.includes(exitCode);
  return operator === 'In' ? isListed : operator === 'NotIn' && !isListed;
}

/**
 * Whether a container with this exit code may run again, by its own rules and policy, or by the pod's policy if it has
 * none.
 */
function mayRestart(container: JsonObject, podPolicy: JsonValue, exitCode: number): boolean {
  const { restartPolicy = podPolicy } = container;
  const own = 'restartPolicy' in container ? rulesOf(container) : [];
  if (own.some((rule) => appliesTo(rule, exitCode))) return true;
  return restartPolicy === 'OnFailure' ? exitCode !== 0 : restartPolicy !== 'Never';
}

/** Whether the end of some container restarts all containers, so that any of them may run again. */
function mayAllRestart(spec: JsonObject): boolean {
  const all = [...objectsIn(spec['initContainers']), ...objectsIn(spec['containers'])];
  return all.some((container) => rulesOf(container).some(({ action }) => action === RESTART_ALL));
}

/**
 * Whether a container of the spec that has ended in this way may run again. A container that is not in the spec may
 * not.
 */
function restarts(spec: JsonObject, container: JsonObject | undefined, ended: JsonObject): boolean {
  const { restartPolicy = 'Always' } = spec;
  const exitCode = countAt(ended, 'state', 'terminated', 'exitCode');
  return container !== undefined && mayRestart(container, restartPolicy, exitCode);
}

/** The stored entries of a list that have ended and cannot run again. */
function endedIn(
  { spec, stored }: StatusWrite,
  statuses: string,
  containers: string,
): readonly JsonObject[] {
  if (containers !== '' && mayAllRestart(spec)) return [];
  const declared = objectsIn(spec[containers]);
  return objectsIn(stored[statuses]).filter((entry) => {
    const container = declared.find(({ name }) => name === entry['name']);
    return hasEnded(entry) && !restarts(spec, container, entry);
  });
}

function runs(list: JsonValue | undefined, ended: JsonObject): boolean {
  return objectsIn(list).some((entry) => entry['name'] === ended['name'] && !hasEnded(entry));
}

/** The list, with the stored state of each container that cannot run again. */
function withEnded(
  list: JsonValue | undefined,
  ended: readonly JsonObject[],
): readonly JsonValue[] {
  return objectsIn(list).map((entry): JsonValue => {
    const before = ended.filter(({ name }) => name === entry['name'] && !hasEnded(entry));
    const [{ state } = entry] = before;
    return withChanges(entry, { state });
  });
}

function nameOfNode({ spec, stored, desired }: StatusWrite): JsonValue | undefined {
  const { nominatedNodeName } = desired;
  const isBound = typeof spec['nodeName'] === 'string' && spec['nodeName'] !== '';
  return isBound && nominatedNodeName !== stored['nominatedNodeName']
    ? undefined
    : nominatedNodeName;
}

/**
 * Keeps what cannot change in the status of a Pod (Kubernetes 1.36, ValidatePodStatusUpdate). A container that has
 * ended and may not restart cannot go back to waiting or running, so its `state` is kept. `qosClass` is the one that
 * the WDS has set. A Pod that is bound to a node in the WDS cannot be nominated for another node. Other fields of such
 * a container's entry are as desired.
 */
export function keepEndedContainers(write: StatusWrite): WritableStatus {
  const { desired, stored } = write;
  const changes: Record<string, JsonValue | undefined> = {
    qosClass: stored['qosClass'],
    nominatedNodeName: nameOfNode(write),
  };
  const kept: JsonObject[] = [];
  for (const [statuses, containers] of LISTS) {
    const wanted = desired[statuses];
    const ended = endedIn(write, statuses, containers);
    const running = ended.filter((entry) => runs(wanted, entry));
    if (running.length > 0) changes[statuses] = withEnded(wanted, running);
    kept.push(...running);
  }
  const status = withChanges(desired, changes);
  return kept.length === 0
    ? { status }
    : { status, problem: containersStay(kept.map(({ name }) => String(name)).join(', ')) };
}
