import { isIP } from 'node:net';
import { isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { int, isSet, map, objects, type StatusUpdate, str } from './status-update.ts';

function isTerminated(entry: JsonObject): boolean {
  return isSet(map(entry['state'])['terminated']);
}

/** podutil.FindMatchingContainerRestartRule: only the action of the rule that applies. */
function actionFor(container: JsonObject, exitCode: number): string {
  const rule = objects(container['restartPolicyRules']).find(({ exitCodes }) => {
    const { operator, values } = map(exitCodes);
    const listed = isArray(values) && values.includes(exitCode);
    return (operator === 'In' && listed) || (operator === 'NotIn' && !listed);
  });
  return str(rule?.['action']);
}

const ALL = 'RestartAllContainers';

/** podutil.ContainerShouldRestart. */
function mayRestart(container: JsonObject, podPolicy: string, exitCode: number): boolean {
  const own = str(container['restartPolicy']);
  const action = own === '' ? '' : actionFor(container, exitCode);
  if (action === 'Restart' || action === ALL) return true;
  const policy = own === '' ? podPolicy : own;
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

/** podutil.AllContainersCouldRestart. */
function allCouldRestart(spec: JsonObject): boolean {
  return [...objects(spec['initContainers']), ...objects(spec['containers'])].some((container) =>
    objects(container['restartPolicyRules']).some(({ action }) => action === ALL),
  );
}

/** ValidateContainerStateTransition and its siblings. `declared` is undefined for containers that never restart. */
function validateTransitions(update: StatusUpdate, list: string, declared?: string): void {
  const { spec, old, next, refuse } = update;
  if (declared !== undefined && allCouldRestart(spec)) return;
  const containers = declared === undefined ? [] : objects(spec[declared]);
  for (const before of objects(old[list]).filter(isTerminated)) {
    const { name } = before;
    const revived = objects(next[list]).some(
      (entry) => entry['name'] === name && !isTerminated(entry),
    );
    if (!revived) continue;
    const container = containers.find((one) => one['name'] === name);
    const exitCode = int(map(map(before['state'])['terminated'])['exitCode']);
    const policy = str(spec['restartPolicy']);
    if (container === undefined || !mayRestart(container, policy, exitCode))
      refuse(`${list}.state`, 'may not be transitioned to non-terminated state');
  }
}

function addresses(value: JsonValue | undefined): readonly string[] {
  return objects(value).map(({ ip }) => str(ip));
}

/** validatePodIPs, validateHostIPs. */
function validateAddresses({ old, next, refuse }: StatusUpdate, field: string): void {
  const found = addresses(next[field]);
  const previous = addresses(old[field]);
  for (const ip of found)
    if (!previous.includes(ip) && isIP(ip) === 0) refuse(field, 'must be a valid IP address');
  const families = new Set(found.map((ip) => isIP(ip)));
  if (found.length > 1 && (found.length > 2 || families.size < 2))
    refuse(field, 'may specify no more than one IP for each IP family');
}

const SYSTEM_CONDITIONS: readonly unknown[] = ['PodScheduled', 'Ready', 'Initialized'];
const QUALIFIED_NAME = /^([a-z0-9.-]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

function validateConditions({ next, refuse }: StatusUpdate): void {
  for (const entry of objects(next['conditions'])) {
    if (int(entry['observedGeneration']) < 0) refuse('conditions', 'observedGeneration: negative');
    if (!SYSTEM_CONDITIONS.includes(entry['type']) && !QUALIFIED_NAME.test(str(entry['type'])))
      refuse('conditions', 'type: invalid');
  }
}

/**
 * pkg/apis/core/validation, ValidatePodStatusUpdate, after what pkg/registry/core/pod does (an absent qosClass is set).
 * Not modelled: users, allocated resources and claims of containers.
 */
export function validatePod(update: StatusUpdate): void {
  const { spec, old, next, refuse } = update;
  validateConditions(update);
  const nominated = str(next['nominatedNodeName']);
  const isNewlyNominated = nominated !== '' && nominated !== str(old['nominatedNodeName']);
  if (isNewlyNominated && str(spec['nodeName']) !== '')
    refuse('nominatedNodeName', 'may not be set on pods that are already bound to a node');
  if (int(next['observedGeneration']) < 0) refuse('observedGeneration', 'negative');
  if (str(next['qosClass']) !== '' && str(next['qosClass']) !== str(old['qosClass']))
    refuse('qosClass', 'field is immutable');
  validateTransitions(update, 'containerStatuses', 'containers');
  validateTransitions(update, 'initContainerStatuses', 'initContainers');
  validateTransitions(update, 'ephemeralContainerStatuses');
  validateAddresses(update, 'podIPs');
  validateAddresses(update, 'hostIPs');
  const [host] = addresses(next['hostIPs']);
  if (host !== undefined && host !== str(next['hostIP']))
    refuse('hostIPs', 'must be equal to `hostIP`');
}
