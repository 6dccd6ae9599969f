import { compareText } from '#shared/core/collector/first-entries.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import { findCondition, setCondition } from '#shared/core/fleet/condition.ts';
import { isApplied } from '#shared/core/fleet/deployment-state.ts';
import { errorCondition, readyCondition } from '#shared/core/fleet/desired-status.ts';
import { integerAt, isTrueAt, objectsAt } from '#shared/core/fleet/fleet-object.ts';
import { type Drift, driftOf } from '#shared/core/fleet/resource-states.ts';
import { at, isObject, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { modifiedLine, nonReadyLine } from './line.ts';
import {
  type DeploymentInput,
  hasReturned,
  identityJson,
  isAssessed,
  isWanted,
  modifiedEntry,
  type Standing,
  standingsOf,
} from './standing.ts';
import { isReadySummary, summarizeResource, summaryJson } from './summary.ts';

/** The resources to count. */
interface CountedResources {
  /** The keys of all that is wanted, whether it exists or not. */
  readonly wanted: ReadonlySet<string>;
  /** What is modified, by key: all of it, or where more may be, what is known of it. */
  readonly modified: ReadonlyMap<string, JsonObject>;
  /** The keys of what is not ready. */
  readonly notReady: ReadonlySet<string>;
  /** Whether more may be modified than is known. */
  readonly isCutShort: boolean;
}

/**
 * `status.resourceCounts` (Fleet's code, `calculateResourceCounts`). Each resource counts once: as missing, orphaned or
 * modified, else as not ready, else as ready: or as unknown, where it may be one of those that are modified and not known.
 * An agent knows its resources; `waitApplied` is 0.
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

/** How many entries Fleet's agent lists of what is not ready, and of what is modified. */
const LISTED = 10;

function isReported(deployment: JsonObject): boolean {
  const isHeld = ['paused', 'offSchedule', 'waitingForValues'].some((field) =>
    isTrueAt(deployment, 'spec', field),
  );
  const installed = findCondition(at(deployment, 'status', 'conditions'), 'Installed');
  return !isHeld && isApplied(deployment) && textAt(installed, 'status') !== 'False';
}

/**
 * Whether more may be modified than the stored status lists: its list was cut, and only the agent knows what was cut off.
 * `unknown` counts what was said here of such a list before: an agent knows all of its resources.
 */
function wasCutShort(stored: JsonValue | undefined): boolean {
  const isFull = objectsAt(stored, 'modifiedStatus').length >= LISTED;
  const wasUnknown = integerAt(stored, 'resourceCounts', 'unknown') > 0;
  return isTrueAt(stored, 'incompleteState') && (isFull || wasUnknown);
}

/** The entries of `nonReadyStatus`, by key, in the order of their uids. */
function nonReadyEntries(input: DeploymentInput, standings: readonly Standing[]): Entries {
  const ignoreConditions = objectsAt(input.deployment, 'spec', 'options', 'ignore', 'conditions');
  const entries = standings.filter(isAssessed).flatMap(({ key, resource, object = {} }) => {
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
function modifiedEntries(standings: readonly Standing[]): Entries {
  const entries = standings.flatMap((standing): readonly (readonly [string, JsonObject])[] => {
    const entry = modifiedEntry(standing);
    return entry === undefined ? [] : [[standing.key, entry]];
  });
  return new Map(entries.toSorted(([a], [b]) => compareText(a, b)));
}

/** `resources` with those that have come back, which the agent leaves out while they are missing; else as it is. */
function resourceMember(
  stored: JsonValue | undefined,
  standings: readonly Standing[],
): { readonly resources?: readonly JsonObject[] } {
  const returned = standings.filter((one) => !one.isListed && hasReturned(one));
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

/** What is not in order, as far as it is known. */
interface Problems {
  readonly nonReady: Entries;
  readonly modified: Entries;
  /** Whether more may be modified. */
  readonly isCutShort: boolean;
}

/** What keeps the deployment from being ready: the line of the first resource; `''` for nothing. */
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

/** The members of a status that are computed; those that are false or empty are left out. */
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
 * The status of a BundleDeployment from its resources as they are downstream, as Fleet's agent computes it (rancher/fleet,
 * `internal/cmd/agent/deployer/monitor/updatestatus.go`). The agent also compares with the manifests, which are not known
 * here: what the stored status says of modified and orphaned resources stays as long as they exist. Where its list of them
 * was cut, the other resources count as unknown. `incompleteState` goes when the lists are complete again, where Fleet
 * keeps it.
 *
 * @returns the whole new `.status`; `undefined` where the agent reports nothing: `spec.paused`, `spec.offSchedule`,
 * `spec.waitingForValues`, another deployment than the wanted one applied, or condition Installed False
 */
export function deploymentStatus(input: DeploymentInput): JsonObject | undefined {
  const { deployment, nowMs } = input;
  if (!isReported(deployment)) return undefined;
  const stored = isObject(deployment['status']) ? deployment['status'] : {};
  const { ready, nonModified, nonReadyStatus, modifiedStatus, incompleteState, ...kept } = stored;
  const standings = standingsOf(input);
  const nonReady = nonReadyEntries(input, standings);
  const modified = modifiedEntries(standings);
  const isCutShort = wasCutShort(stored);
  const problems = { nonReady, modified, isCutShort };
  const wanted = new Set(standings.filter(isWanted).map(({ key }) => key));
  return {
    ...kept,
    ...computedMembers(problems),
    ...resourceMember(stored, standings),
    resourceCounts: countResources({
      wanted,
      modified,
      notReady: new Set(nonReady.keys()),
      isCutShort,
    }),
    conditions: readyConditions(stored, readyProblem(problems), nowMs),
  };
}
