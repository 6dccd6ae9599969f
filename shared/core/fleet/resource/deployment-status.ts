import { compareText } from '#shared/core/collector/first-entries.ts';
import { timestampText } from '#shared/core/expression/time.ts';
import { Timestamp } from '#shared/core/expression/value.ts';
import { findCondition, setCondition } from '#shared/core/fleet/condition.ts';
import { isApplied } from '#shared/core/fleet/deployment-state.ts';
import { errorCondition, readyCondition } from '#shared/core/fleet/desired-status.ts';
import { isTrueAt, objectsAt, textAt } from '#shared/core/fleet/fleet-object.ts';
import type { ResourceRef } from '#shared/core/fleet/resource-states.ts';
import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { countResources } from './counts.ts';
import { modifiedLine, nonReadyLine } from './line.ts';
import {
  hasReturned,
  identityJson,
  isAssessed,
  isWanted,
  modifiedEntry,
  type Standing,
  standingsOf,
} from './standing.ts';
import { isReadySummary, summarizeResource, summaryJson } from './summary.ts';

/** A BundleDeployment, and the cluster that it is for. */
export interface DeploymentInput {
  /** The whole object, with the status that is stored. */
  readonly deployment: JsonObject;
  /** The object as it stands downstream; `undefined`: there is none. */
  readonly find: (resource: ResourceRef) => JsonObject | undefined;
  /** The current time in milliseconds since the epoch. */
  readonly nowMs: number;
}

type Entries = ReadonlyMap<string, JsonObject>;

/** How many entries Fleet's agent lists of what is not ready, and of what is modified. */
const LISTED = 10;
const MS_PER_SECOND = 1000;
const NS_PER_SECOND = 1_000_000_000n;

function isReported(deployment: JsonObject): boolean {
  const isHeld = ['paused', 'offSchedule', 'waitingForValues'].some((field) =>
    isTrueAt(deployment, 'spec', field),
  );
  const installed = findCondition(at(deployment, 'status', 'conditions'), 'Installed');
  return !isHeld && isApplied(deployment) && textAt(installed, 'status') !== 'False';
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

/** What keeps the deployment from being ready: the line of the first resource; `''` for nothing. */
function readyProblem(nonReady: Entries, modified: Entries): string {
  const [first] = nonReady.values();
  if (first !== undefined) return nonReadyLine(first);
  const [drifted] = modified.values();
  return drifted === undefined ? '' : modifiedLine(drifted);
}

function readyConditions(
  stored: JsonValue | undefined,
  problem: string,
  nowMs: number,
): readonly JsonObject[] {
  const seconds = BigInt(Math.floor(nowMs / MS_PER_SECOND));
  const now = timestampText(new Timestamp(seconds * NS_PER_SECOND, 0));
  return setCondition(
    at(stored, 'conditions'),
    problem === '' ? readyCondition('') : errorCondition('Ready', problem),
    now,
  );
}

/** The members of a status that are computed; those that are false or empty are left out. */
function computedMembers(nonReady: Entries, modified: Entries): JsonObject {
  const isCut = Math.max(nonReady.size, modified.size) > LISTED;
  return {
    ...(nonReady.size === 0 ? { ready: true } : { nonReadyStatus: listed(nonReady) }),
    ...(modified.size === 0 ? { nonModified: true } : { modifiedStatus: listed(modified) }),
    ...(isCut ? { incompleteState: true } : {}),
  };
}

/**
 * The status of a BundleDeployment from its resources as they are downstream, as Fleet's agent computes it (rancher/fleet,
 * `internal/cmd/agent/deployer/monitor/updatestatus.go`). The agent also compares with the manifests, which are not known
 * here: what the stored status says of modified and orphaned resources stays as long as they exist. `incompleteState` goes
 * when the lists are complete again, where Fleet keeps it.
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
  const wanted = new Set(standings.filter(isWanted).map(({ key }) => key));
  return {
    ...kept,
    ...computedMembers(nonReady, modified),
    ...resourceMember(stored, standings),
    resourceCounts: countResources({ wanted, modified, notReady: new Set(nonReady.keys()) }),
    conditions: readyConditions(stored, readyProblem(nonReady, modified), nowMs),
  };
}
