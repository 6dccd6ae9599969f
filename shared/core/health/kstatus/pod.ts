import { parseTimestamp } from '#shared/core/expression/time.ts';
import { at, isArray, type JsonObject, member } from '#shared/core/json.ts';
import { has, type ObservedObject, textAt } from './observed-object.ts';
import { current, failed, inProgress, type KstatusVerdict, unknown } from './verdict.ts';

/** How long a pod may be unscheduled before kstatus calls it Failed. */
const SCHEDULE_WINDOW_NS = 15_000_000_000n;
const NS_PER_MS = 1_000_000n;

function crashLooping(object: JsonObject): readonly string[] {
  const statuses = at(object, 'status', 'containerStatuses');
  return (isArray(statuses) ? statuses : []).flatMap((container) => {
    const name = member(container, 'name');
    const reason = at(container, 'state', 'waiting', 'reason');
    return typeof name === 'string' && reason === 'CrashLoopBackOff' ? [name] : [];
  });
}

function running({ object, conditions }: ObservedObject): KstatusVerdict {
  if (has(conditions, 'Ready', 'True')) return current('Pod is Ready');
  const names = crashLooping(object);
  return names.length > 0
    ? failed('ContainerCrashLooping', `Containers in CrashLoop state: ${names.join(',')}`)
    : inProgress('PodRunningNotReady', 'Pod is running but is not Ready');
}

function isYoung(object: JsonObject, nowMs: number): boolean {
  const created = parseTimestamp(textAt(object, 'metadata.creationTimestamp'));
  // Without a creation time, it is not known how long the pod has been waiting. kstatus treats it as old.
  if (typeof created === 'string') return false;
  return BigInt(nowMs) * NS_PER_MS - SCHEDULE_WINDOW_NS < created.nanos;
}

function pending({ object, conditions, nowMs }: ObservedObject): KstatusVerdict {
  const unscheduled = conditions.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  if (unscheduled?.reason !== 'Unschedulable')
    return inProgress('PodPending', 'Pod is in the Pending phase');
  return isYoung(object, nowMs)
    ? inProgress('PodNotScheduled', 'Pod has not been scheduled')
    : failed('PodUnschedulable', 'Pod could not be scheduled');
}

/** kstatus of a Pod (cli-utils, `podConditions`). A Pod that has ended is Current, regardless of how it ended. */
export function podKstatus(observed: ObservedObject): KstatusVerdict {
  const phase = textAt(observed.object, 'status.phase');
  switch (phase) {
    case 'Succeeded':
      return current('Pod has completed successfully');
    case 'Failed':
      return current('Pod has completed, but not successfully');
    case 'Running':
      return running(observed);
    case 'Pending':
      return pending(observed);
    case '':
      return inProgress('PodNotObserved', 'Pod phase not available');
    default:
      return unknown(`unknown phase ${phase}`);
  }
}
