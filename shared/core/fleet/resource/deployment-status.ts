import { compareText } from '#shared/core/collector/first-entries.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import { findCondition, setCondition } from '#shared/core/fleet/condition.ts';
import { isApplied } from '#shared/core/fleet/deployment-state.ts';
import { errorCondition, readyCondition } from '#shared/core/fleet/desired-status.ts';
import { modifiedLine, nonReadyLine } from '#shared/core/fleet/line.ts';
import { type Drift, driftOf } from '#shared/core/fleet/resource-states.ts';
import { integerAt, isTrueAt, objectsAt } from '#shared/core/fleet-object.ts';
import { at, isObject, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import {
  type DeploymentInput,
  hasReturned,
  identityJson,
  isAssessed,
  isWanted,
  modifiedEntry,
  type ResourceState,
  resourceStates,
} from './resource-state.ts';
import { isReadySummary, summarizeResource, summaryJson } from './summary.ts';

/** The resources to count. */
interface CountedResources {
  /** The keys of all wanted resources, whether they exist or not. */
  readonly wanted: ReadonlySet<string>;
  /** The modified resources that are known, by key. */
  readonly modified: ReadonlyMap<string, JsonObject>;
  /** The keys of the resources that are not ready. */
  readonly notReady: ReadonlySet<string>;
  /** Whether there may be modified resources that are not known. */
  readonly isCutShort: boolean;
}

/**
 * `status.resourceCounts` (Fleet's code, `calculateResourceCounts`). Each resource counts once: as missing, orphaned or
 * modified, otherwise as not ready, otherwise as ready. If there may be modified resources that are not known, the last group
 * counts as unknown instead of ready. An agent knows its resources, so `waitApplied` is 0.
 */
function countResources(counted: CountedResources): JsonObject {
  const { wanted, modified, notReady, isCutShort } = counted;
  const drifts = [...modified.values()].map(driftOf);
  const count = (...some: readonly Drift[]): number =>
    drifts.filter((drift) => some.includes(drift)).length;
  const unmodified = [...wanted].filter((key) => !modified.has(key));
  const unready = unmodified.filter((key) => notReady.has(key)).length;
  const others = unmodified.length - unready;
  return {
    ready: isCutShort ? 0 : others,
    desiredReady: wanted.size,
    waitApplied: 0,
    modified: count('modified'),
    orphaned: count('orphaned'),
    missing: count('missing', 'unowned'),
    unknown: isCutShort ? others : 0,
    notReady: unready,
  };
}

type Entries = ReadonlyMap<string, JsonObject>;

/** The maximum number of entries in each of the agent's lists, `nonReadyStatus` and `modifiedStatus`. */
const LISTED = 10;

function isReported(deployment: JsonObject): boolean {
  const isHeld = ['paused', 'offSchedule', 'waitingForValues'].some((field) =>
    isTrueAt(deployment, 'spec', field),
  );
  const installed = findCondition(at(deployment, 'status', 'conditions'), 'Installed');
  return !isHeld && isApplied(deployment) && textAt(installed, 'status') !== 'False';
}

/**
 * Whether there may be modified resources that the stored status does not list: its list was cut, and only the agent knows the
 * rest. If `unknown` is not 0, an earlier run has computed it for such a list, because an agent knows all its resources.
 */
function wasCutShort(stored: JsonValue | undefined): boolean {
  const isFull = objectsAt(stored, 'modifiedStatus').length >= LISTED;
  const wasUnknown = integerAt(stored, 'resourceCounts', 'unknown') > 0;
  return isTrueAt(stored, 'incompleteState') && (isFull || wasUnknown);
}

/** The entries of `nonReadyStatus`, by key, in the order of their UIDs. */
function nonReadyEntries(input: DeploymentInput, states: readonly ResourceState[]): Entries {
  const ignoreConditions = objectsAt(input.deployment, 'spec', 'options', 'ignore', 'conditions');
  const entries = states.filter(isAssessed).flatMap(({ key, resource, object }) => {
    const summary = summarizeResource(object, { nowMs: input.nowMs, ignoreConditions });
    if (isReadySummary(summary)) return [];
    const uid = textAt(object, 'metadata', 'uid');
    const entry = {
      ...(uid === '' ? {} : { uid }),
      ...identityJson(resource),
      summary: summaryJson(summary),
    };
    return [{ key, uid, entry }];
  });
  entries.sort((a, b) => compareText(a.uid, b.uid) || compareText(a.key, b.key));
  return new Map(entries.map(({ key, entry }) => [key, entry]));
}

/** The entries of `modifiedStatus`, by key, in the order of the keys. */
function modifiedEntries(states: readonly ResourceState[]): Entries {
  const entries = states.flatMap((state): readonly (readonly [string, JsonObject])[] => {
    const entry = modifiedEntry(state);
    return entry === undefined ? [] : [[state.key, entry]];
  });
  return new Map(entries.toSorted(([a], [b]) => compareText(a, b)));
}

/**
 * `resources` with the resources that have returned. The agent leaves a resource out while it is missing. If none has returned,
 * the result is empty.
 */
function resourceMember(
  stored: JsonValue | undefined,
  states: readonly ResourceState[],
): { readonly resources?: readonly JsonObject[] } {
  const returned = states.filter((one) => !one.isListed && hasReturned(one));
  if (returned.length === 0) return {};
  const added = returned.map(({ resource, object }) => {
    const createdAt = textAt(object, 'metadata', 'creationTimestamp');
    return { ...identityJson(resource), ...(createdAt === '' ? {} : { createdAt }) };
  });
  return { resources: [...objectsAt(stored, 'resources'), ...added] };
}

function listed(entries: Entries): readonly JsonObject[] {
  return [...entries.values()].slice(0, LISTED);
}

/** The known problems of a deployment. */
interface Problems {
  readonly nonReady: Entries;
  readonly modified: Entries;
  /** Whether there may be modified resources that are not known. */
  readonly isCutShort: boolean;
}

/** The line of the first resource that prevents the deployment from being ready, or `''` if there is none. */
function readyProblem({ nonReady, modified, isCutShort }: Problems): string {
  const [first] = nonReady.values();
  if (first !== undefined) return nonReadyLine(first);
  const [drifted] = modified.values();
  if (drifted !== undefined) return modifiedLine(drifted);
  return isCutShort ? 'out of sync' : '';
}

function readyConditions(
  stored: JsonValue | undefined,
  problem: string,
  nowMs: number,
): readonly JsonObject[] {
  return setCondition(
    at(stored, 'conditions'),
    problem === '' ? readyCondition('') : errorCondition('Ready', problem),
    secondsText(nowMs),
  );
}

/** The computed members of a status. Members that are false or empty are left out. */
function computedMembers({ nonReady, modified, isCutShort }: Problems): JsonObject {
  const isCut = Math.max(nonReady.size, modified.size) > LISTED;
  const isUnmodified = modified.size === 0 && !isCutShort;
  return {
    ...(nonReady.size === 0 ? { ready: true } : { nonReadyStatus: listed(nonReady) }),
    ...(isUnmodified ? { nonModified: true } : {}),
    ...(modified.size === 0 ? {} : { modifiedStatus: listed(modified) }),
    ...(isCut || isCutShort ? { incompleteState: true } : {}),
  };
}

/**
 * Computes the status of a BundleDeployment from the resources in its cluster, as Fleet's agent does (rancher/fleet,
 * `internal/cmd/agent/deployer/monitor/updatestatus.go`). The agent also compares the resources with the manifests, which are
 * not known here. Therefore the stored entries for modified and orphaned resources stay as long as these resources exist. If
 * the agent's list of them was cut, the other resources count as unknown. If the lists are complete again, `incompleteState` is
 * removed, whereas Fleet keeps it.
 *
 * @returns the whole new `.status`; undefined if the agent would report nothing: `spec.paused`, `spec.offSchedule` or
 * `spec.waitingForValues` is set, the applied deployment is not the wanted one, or the condition Installed is False
 */
export function deploymentStatus(input: DeploymentInput): JsonObject | undefined {
  const { deployment, nowMs } = input;
  if (!isReported(deployment)) return undefined;
  const stored = isObject(deployment['status']) ? deployment['status'] : {};
  const { ready, nonModified, nonReadyStatus, modifiedStatus, incompleteState, ...kept } = stored;
  const states = resourceStates(input);
  const nonReady = nonReadyEntries(input, states);
  const modified = modifiedEntries(states);
  const isCutShort = wasCutShort(stored);
  const problems = { nonReady, modified, isCutShort };
  const wanted = new Set(states.filter(isWanted).map(({ key }) => key));
  return {
    ...kept,
    ...computedMembers(problems),
    ...resourceMember(stored, states),
    resourceCounts: countResources({
      wanted,
      modified,
      notReady: new Set(nonReady.keys()),
      isCutShort,
    }),
    conditions: readyConditions(stored, readyProblem(problems), nowMs),
  };
}
