import { ORIGIN_WDS_LABEL } from '#shared/core/kubestellar.ts';
import { INVENTORY_EXCESS } from '#shared/core/wec-inventory.ts';

// The sentences about a source and its Lease, in problems, errors and logs. Those about the configuration and the process are in
// program/config-messages.ts and program/check-messages.ts.

/** The labels and annotations that the configuration gives for a WEC. */
export function largeInventory(source: string): string {
  return `source ${source}: its labels and annotations ${INVENTORY_EXCESS}: give fewer or shorter ones`;
}

/** `count` labels and annotations of a ManagedCluster are left out, `example` among them. */
export function largeManagedCluster(name: string, count: number, example: string): string {
  return `ManagedCluster ${name}: its labels and annotations ${INVENTORY_EXCESS}: ${count} of them are left out, such as ${example}`;
}

/** A hub without ManagedClusters. */
export const EMPTY_HUB =
  'it has no ManagedClusters, so no WEC has labels of it: check that it is the hub of Open Cluster Management, and that the WECs have joined it';

/** A source whose name no source can have. */
export function invalidName(source: string): string {
  return `source ${source}: a cluster's name has 1 to 253 letters, digits and . _ : @ -: give it another`;
}

/** A WEC of which all objects would be reported. */
export function nothingSelected(source: string): string {
  return `source ${source}: neither appliedManifestWorks nor labelSelector nor resources is given: name which objects of the WEC came from the WDS`;
}

/** A WorkStatus that does not name its WDS. */
export const NO_ORIGIN_LABEL = `no label ${ORIGIN_WDS_LABEL} names its WDS: set source.wds`;

/** Why a WorkStatus is not reported. */
export function workStatusProblem(key: string, problem: string): string {
  return `WorkStatus ${key}: ${problem}`;
}

/** A ManifestWork that KubeStellar has not named. */
export function unknownOrigin(manifestWork: string): string {
  return `ManifestWork ${manifestWork}: its name does not contain the WDS, so its objects are not reported: set source.wds`;
}

/** In the log: everything is reported again. */
export const NEW_STATE = 'the receiver has a new state';

/** In the log: the event is left out. */
export const EVENT_TOO_LARGE = 'event too large for a message';

/** A term that ends, although the Lease is held. */
export const WORK_ENDED = 'the work of the leader has ended on its own';

/** A term that ends with an error. */
export function workFailed(error: string): string {
  return `the work of the leader has failed: ${error}`;
}

/** `fault` is the last error of a renewal, or names the Lease. */
export function notRenewed(fault: string, seconds: number): string {
  return `${fault}: not renewed within ${seconds} s`;
}

/** `lease` is `Lease NAMESPACE/NAME`. */
export function leaseDeleted(lease: string): string {
  return `${lease} was deleted`;
}

/** `holder` is another process; `''` if the Lease was released. */
export function leaseTaken(lease: string, holder: string): string {
  return `${lease} is now held by ${holder || 'nobody'}`;
}
