import { counted } from '#shared/core/counted.ts';
import { OBJECT_MISSING } from '#shared/core/status-api/messages.ts';

// What the terminal shows of the clusters: the table of each workload object, or a line for each change, and the title and the hints
// around it.

/** A WEC that reports by HTTP, or not at all. */
export const NOT_READ_HERE = 'not read from here';

/** A WEC of {@link NOT_READ_HERE}, with the time of day of its last heartbeat. */
export function silentSince(time: string): string {
  return `${NOT_READ_HERE}; silent since ${time}`;
}

/** A cluster that was asked. */
export const NO_ANSWER_YET = 'has not answered yet';

/** A cluster without the resource. */
export const KIND_NOT_SERVED = `${OBJECT_MISSING}: its kind is not served there`;

/** An object in a cluster. */
export const NOT_READABLE = 'may not be read';

/** A cluster, with a time of day. */
export function unreachableSince(time: string): string {
  return `unreachable since ${time}`;
}

/** A cluster that did not have the object when it was reached. */
export function missingBefore(time: string): string {
  return `${unreachableSince(time)}; the object was missing before`;
}

/** What a cluster has of an object. Counts are texts. */
interface Counts {
  readonly ready: string;
  readonly updated: string;
  readonly available: string;
  readonly seen: string;
}

/** The counts of an object, and the verdict if it has one. */
export function countsOf({ ready, updated, available, seen }: Counts, verdict?: string): string {
  const counts = `ready ${ready}, up-to-date ${updated}, available ${available}, seen ${seen}`;
  return verdict === undefined ? counts : `${counts}, ${verdict}`;
}

/** `remark` is `''`, or for example {@link unreachableSince} or {@link errorCount}. */
export function withRemark(statement: string, remark: string): string {
  return remark === '' ? statement : `${statement}; ${remark}`;
}

/** The thing that the results of a collector are. */
export function combinedStatusOf(collector: string, workload: string): string {
  return `CombinedStatus ${collector} of ${workload}`;
}

/** A result without rows. */
export const NO_ROWS = '(none)';

/** The errors in a result. */
export function errorCount(errors: number): string {
  return counted(errors, 'error');
}

/** A thing that is no longer among the shown ones. */
export const GONE = 'gone';

/** No object is shown. */
export const NO_BINDING = 'No Binding asks for the status of a workload object yet.';

/** The rows of a result that are not shown. */
export function moreRows(rows: number): string {
  return `… ${rows} more`;
}

/** The title of a workload object, and the number of WECs that are not shown. */
export function withMoreWecs(title: string, wecs: number): string {
  return `${title}  (${counted(wecs, 'more WEC')})`;
}

/** The workload objects that are not shown. */
export function moreWorkloads(workloads: number): string {
  return `… ${counted(workloads, 'more workload object')}`;
}

/** The WDS in a table of clusters. */
export function asWds(cluster: string): string {
  return `${cluster} (WDS)`;
}

/** The messages that wait or are being handled. */
export function backlogCount(messages: number): string {
  return `backlog ${messages}`;
}

/** `latencyMs` is the time until the WDS shows a change. */
export function countersText(
  changesPerSecond: number,
  backlog: number,
  latencyMs: number | undefined,
): string {
  const latency = latencyMs === undefined ? '-' : `${Math.round(latencyMs)} ms`;
  return `WEC changes ${changesPerSecond.toFixed(1)}/s   ${backlogCount(backlog)}   change → WDS ${latency}`;
}

/** Objects of Fleet whose statuses are not what Starfold makes of them. */
export function objectsDiffer(objects: number): string {
  return `${counted(objects, 'object')} ${objects === 1 ? 'differs' : 'differ'}`;
}

/** Objects of Fleet whose statuses the API server has rejected. */
export function objectsRejected(objects: number): string {
  return `${counted(objects, 'object')} rejected`;
}

/** The line of a management cluster of Fleet. */
export function fleetLine(
  {
    name,
    mode,
    connected,
  }: { readonly name: string; readonly mode: string; readonly connected: boolean },
  differing: string,
): string {
  return `Fleet ${name} (${mode})   ${connected ? 'connected' : 'not connected'}   ${differing}`;
}

/** What is running. */
export const DEMO_TITLE = 'Starfold demo: simulated WDS and WECs';

/** What is running, with parts of {@link wdsTitle} and {@link fleetTitle}. */
export function clustersTitle(parts: readonly string[]): string {
  return `Starfold: ${parts.join('; ')}`;
}

/** A WDS and its WECs. */
export function wdsTitle(wds: string, wecs: readonly string[]): string {
  return `WDS ${wds}, WECs ${wecs.join(', ')}`;
}

/** The WECs that nobody has named. */
export const HTTP_WECS = 'those that report by HTTP';

/** A management cluster of Fleet. */
export function fleetTitle(name: string): string {
  return `Fleet ${name}`;
}

const CTRL_C = 'Ctrl-C ends it';

/** What a user may want to do next, each in a line. */
export const HINTS = {
  page: (url: string): string => `${url}   the page: what each WEC says, and why`,
  kubeconfig: (path: string): string =>
    `export KUBECONFIG=${path}   contexts wds1, wec1, wec2, wec3`,
  watch: 'kubectl -n rollout get deployment web -w   or with --context wec1',
  statuses: (path: string): string => `kubectl --kubeconfig ${path} get wecst -A`,
  events: (url: string): string => `events: ${url}`,
  api: (url: string): string => `API: ${url}`,
  fleet: (path: string): string => `starfold fleet diff --state ${path}`,
  log: (path: string): string => `log: ${path}     ${CTRL_C}`,
  end: CTRL_C,
} as const;
