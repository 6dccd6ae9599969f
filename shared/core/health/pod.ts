import { at, isArray, type JsonObject, type JsonValue, member, textAt } from '#shared/core/json.ts';
import type { ArgoCdStatus, ArgoCdVerdict, ArgoCdVersion } from './verdict.ts';

const HOOK = 'argocd.argoproj.io/hook';
const HELM_HOOK = 'helm.sh/hook';
const IGNORE_RESTART_POLICY = 'argocd.argoproj.io/ignore-restart-policy';

/** The reasons of a waiting container that Argo CD treats as errors. */
const ERROR_REASON = /^Err|Error$|BackOff$/;

function listAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const found = at(value, ...path);
  return isArray(found) ? found : [];
}

function verdict(status: ArgoCdStatus, message: string): ArgoCdVerdict {
  return message === '' ? { status } : { status, message };
}

/** Whether Argo CD runs the Pod in a phase of a sync: it is a hook of Argo CD, or otherwise a hook of Helm. */
function isHook(annotations: JsonValue | undefined): boolean {
  const phases = member(annotations, HOOK);
  if (typeof phases === 'string') return phases.trim() !== 'Skip';
  const helmPhases = member(annotations, HELM_HOOK);
  return typeof helmPhases === 'string' && helmPhases !== 'crd-install';
}

/** Whether the Pod is meant to run for ever, so that it is done when it is running and ready. */
function runsForEver(object: JsonObject, version: ArgoCdVersion): boolean {
  if (at(object, 'spec', 'restartPolicy') === 'Always') return true;
  const annotations = at(object, 'metadata', 'annotations');
  return (
    version === '3' && member(annotations, IGNORE_RESTART_POLICY) === 'true' && !isHook(annotations)
  );
}

function errorsOf(containers: readonly JsonValue[]): readonly string[] {
  return containers
    .filter((container) => ERROR_REASON.test(textAt(container, 'state', 'waiting', 'reason')))
    .map((container) => textAt(container, 'state', 'waiting', 'message'));
}

/** Why a container failed. `''` if it did not fail. */
function failureOf(container: JsonValue): string {
  const terminated = at(container, 'state', 'terminated');
  const message = textAt(terminated, 'message');
  if (message !== '') return message;
  if (member(terminated, 'reason') === 'OOMKilled') return 'OOMKilled';
  const code = member(terminated, 'exitCode') ?? 0;
  const name = JSON.stringify(textAt(container, 'name'));
  return code === 0 ? '' : `container ${name} failed with exit code ${code}`;
}

function assessFailed(status: JsonValue | undefined): ArgoCdVerdict {
  const containers = [
    ...listAt(status, 'initContainerStatuses'),
    ...listAt(status, 'containerStatuses'),
  ];
  const messages = [textAt(status, 'message'), ...containers.map(failureOf)];
  return verdict('Degraded', messages.find((message) => message !== '') ?? '');
}

function isReady(status: JsonValue | undefined): boolean {
  const entry = listAt(status, 'conditions').find((one) => member(one, 'type') === 'Ready');
  return member(entry, 'status') === 'True';
}

/**
 * The health of a running Pod that is meant to run for ever. A container that has ended and has not been restarted is a
 * failure.
 */
function assessRunning(status: JsonValue | undefined): ArgoCdStatus {
  if (isReady(status)) return 'Healthy';
  const hasEnded = (container: JsonValue): boolean =>
    (at(container, 'lastState', 'terminated') ?? null) !== null;
  return listAt(status, 'containerStatuses').some(hasEnded) ? 'Degraded' : 'Progressing';
}

function runningVerdict(object: JsonObject, forEver: boolean): ArgoCdStatus {
  if (forEver) return assessRunning(object['status']);
  const policy = at(object, 'spec', 'restartPolicy');
  return policy === 'OnFailure' || policy === 'Never' ? 'Progressing' : 'Unknown';
}

/**
 * Argo CD's health of a v1 Pod (gitops-engine, `health_pod.go`). Reads `spec.restartPolicy`, `status.phase`,
 * `.message`, the status of the first condition Ready, and from the containers `name`, `state.waiting`,
 * `state.terminated`, `lastState.terminated`.
 *
 * A Pod that is not always restarted (`restartPolicy` Never, OnFailure) is Progressing until it ends. Argo CD 3 (from
 * argo-cd pull request 28249) treats a Pod with the annotation `argocd.argoproj.io/ignore-restart-policy: "true"` like
 * a Pod with Always, unless it is a hook.
 */
export function assessPod(object: JsonObject, version: ArgoCdVersion): ArgoCdVerdict {
  const status = object['status'];
  const forEver = runsForEver(object, version);
  const errors = forEver ? errorsOf(listAt(status, 'containerStatuses')) : [];
  if (errors.length > 0) return verdict('Degraded', errors.join(', '));
  const message = textAt(status, 'message');
  switch (textAt(status, 'phase')) {
    case 'Pending':
      return verdict('Progressing', message);
    case 'Succeeded':
      return verdict('Healthy', message);
    case 'Failed':
      return assessFailed(status);
    case 'Running':
      return verdict(runningVerdict(object, forEver), message);
    default:
      return verdict('Unknown', message);
  }
}
