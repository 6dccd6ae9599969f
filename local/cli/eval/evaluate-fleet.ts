import {
  noDeployment,
  nothingBelow,
  notListed,
  STATUS_KEPT,
} from '#local/cli/input/fleet-messages.ts';
import { type GivenObject, identityOf } from '#local/cli/input/given-objects.ts';
import { aboutObject } from '#local/cli/input/messages.ts';
import { desiredFleet } from '#shared/core/desired/desired-fleet.ts';
import { deploymentClusters } from '#shared/core/desired/fleet-targets.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import { findCondition } from '#shared/core/fleet/condition.ts';
import { deploymentDisplay } from '#shared/core/fleet/deployment-state.ts';
import { statusWith } from '#shared/core/fleet/desired-status.ts';
import { deploymentStatus } from '#shared/core/fleet/resource/deployment-status.ts';
import { type ResourceRef, resourceRef } from '#shared/core/fleet/resource-states.ts';
import { objectsAt } from '#shared/core/fleet-object.ts';
import { at, isObject, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';

/** The given objects of Fleet. */
export interface FleetInput {
  /** Objects of the kinds that are evaluated. */
  readonly objects: readonly GivenObject[];
  /** Jobs, including those that GitRepos own. */
  readonly jobs: readonly GivenObject[];
  /** The objects in downstream clusters, by `<namespace>/<name>` of the Cluster. */
  readonly downstream: ReadonlyMap<string, readonly GivenObject[]>;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The result of an evaluation. */
export interface EvaluatedFleet {
  /** Each given object with the status that Starfold would write. */
  readonly objects: readonly JsonObject[];
  /** The given objects as they determine the statuses: with what agents would report, and with the Jobs. */
  readonly given: readonly GivenObject[];
  /** Notices about objects of downstream clusters that are not used. */
  readonly notices: readonly string[];
}

/** Identifies a resource in the form in which {@link identityOf} identifies an object. */
function identityOfRef({ apiVersion, kind, namespace, name }: ResourceRef): string {
  return `${apiGroup(apiVersion)}/${kind}/${namespace}/${name}`;
}

/** The resources that the status of a BundleDeployment lists. */
function listedIn(deployment: JsonObject): readonly string[] {
  return ['resources', 'modifiedStatus'].flatMap((list) =>
    objectsAt(deployment, 'status', list).map((entry) => identityOfRef(resourceRef(entry))),
  );
}

const HAVE_TARGETS: ReadonlySet<string> = new Set(['Bundle', 'GitRepo', 'HelmOp']);

/** The error of the object itself in a status, or `''` if there is none. */
function errorOf(status: JsonValue | undefined): string {
  const ready = findCondition(at(status, 'conditions'), 'Ready');
  return textAt(ready, 'reason') === 'Error' ? textAt(ready, 'message') : '';
}

/** The notice about a status without resources: there may be an error, or more likely the objects were not given. */
function emptyNotice(given: GivenObject, afterwards: JsonObject | undefined): readonly string[] {
  const { kind, object } = given;
  const status = afterwards?.['status'];
  if (kind === 'GitRepo' && afterwards === object) return [aboutObject(given, STATUS_KEPT)];
  const isEmpty =
    kind === 'ClusterGroup'
      ? at(status, 'clusterCount') === 0
      : HAVE_TARGETS.has(kind) && at(status, 'summary', 'desiredReady') === 0;
  if (!isEmpty) return [];
  return [aboutObject(given, errorOf(status) || nothingBelow(kind))];
}

/** Objects of downstream clusters, by Cluster, then by identity. */
type Downstream = ReadonlyMap<string, ReadonlyMap<string, GivenObject>>;

/** A BundleDeployment with what its agent would report about the objects downstream, if these are given. */
function observed(
  given: GivenObject,
  downstream: ReadonlyMap<string, GivenObject> | undefined,
  nowMs: number,
): GivenObject {
  const { object: deployment } = given;
  const find = (ref: ResourceRef): JsonObject | undefined =>
    downstream?.get(identityOfRef(ref))?.object;
  const status =
    downstream === undefined ? undefined : deploymentStatus({ deployment, nowMs, find });
  const now = status === undefined ? deployment : { ...deployment, status };
  const before = isObject(now['status']) ? now['status'] : {};
  const display = deploymentDisplay(now);
  return { ...given, object: { ...now, status: { ...before, display } } };
}

/** The objects of downstream clusters that no BundleDeployment lists. */
function unlisted(
  downstream: Downstream,
  listed: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return [...downstream].flatMap(([cluster, objects]) => {
    const own = listed.get(cluster);
    if (own === undefined) return [noDeployment(cluster)];
    return [...objects]
      .filter(([identity]) => !own.has(identity))
      .map(([, given]) => aboutObject(given, notListed(cluster)));
  });
}

/** The statuses that Starfold would write for Fleet's objects, computed only from the given objects. */
export function evaluateFleet({ objects, jobs, downstream, nowMs }: FleetInput): EvaluatedFleet {
  const below: Downstream = new Map(
    [...downstream].map(([cluster, given]) => [
      cluster,
      new Map(given.map((one) => [identityOf(one), one])),
    ]),
  );
  const clusterOf = deploymentClusters(objects);
  const listed = new Map<string, Set<string>>();
  const now = objects.map((given) => {
    if (given.kind !== 'BundleDeployment') return given;
    const cluster = clusterOf(given.object);
    const own = new Set([...(listed.get(cluster) ?? []), ...listedIn(given.object)]);
    listed.set(cluster, own);
    return observed(given, below.get(cluster), nowMs);
  });
  const determining = [...now, ...jobs];
  const statuses = desiredFleet(determining, nowMs);
  const afterwards = now.map((given) => {
    const desired = statuses.get(given);
    if (desired === undefined) return given.object;
    const status = statusWith(given.object['status'], desired, secondsText(nowMs));
    return { ...given.object, status };
  });
  const empty = now.flatMap((given, index) => emptyNotice(given, afterwards[index]));
  const notices = [...empty, ...unlisted(below, listed)];
  return { objects: afterwards, given: determining, notices };
}
