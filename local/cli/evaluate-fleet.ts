import { secondsText } from '#shared/core/expression/time.ts';
import { findCondition } from '#shared/core/fleet/condition.ts';
import { deploymentDisplay } from '#shared/core/fleet/deployment-state.ts';
import { statusWith } from '#shared/core/fleet/desired-status.ts';
import { FleetAggregation } from '#shared/core/fleet/fleet-aggregation.ts';
import { type AggregatedKind, type FleetKind, objectsAt } from '#shared/core/fleet/fleet-object.ts';
import { deploymentStatus } from '#shared/core/fleet/resource/deployment-status.ts';
import { type ResourceRef, resourceRef } from '#shared/core/fleet/resource-states.ts';
import {
  at,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  textAt,
} from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import { type GivenObject, identityOf } from './given-objects.ts';

/** Fleet's objects as they are given. */
export interface FleetInput {
  /** Objects of the kinds that are evaluated. */
  readonly objects: readonly GivenObject[];
  /** Jobs, among which those that GitRepos own. */
  readonly jobs: readonly GivenObject[];
  /** What stands in downstream clusters, by `<namespace>/<name>` of the Cluster. */
  readonly downstream: ReadonlyMap<string, readonly GivenObject[]>;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What would be. */
export interface EvaluatedFleet {
  /** Each object as given, with the status that Starfold would write. */
  readonly objects: readonly JsonObject[];
  /** What of the downstream clusters nobody asks for. */
  readonly notices: readonly string[];
}

/** Names a resource as {@link identityOf} names an object. */
function identityOfRef({ apiVersion, kind, namespace, name }: ResourceRef): string {
  return `${apiGroup(apiVersion)}/${kind}/${namespace}/${name}`;
}

/** The resources of which the status of a BundleDeployment speaks. */
function listedIn(deployment: JsonObject): readonly string[] {
  return ['resources', 'modifiedStatus'].flatMap((list) =>
    objectsAt(deployment, 'status', list).map((entry) => identityOfRef(resourceRef(entry))),
  );
}

const HAVE_TARGETS: ReadonlySet<string> = new Set(['Bundle', 'GitRepo', 'HelmOp']);

/** What a status says is wrong with the object itself; `''`: nothing. */
function errorOf(status: JsonValue | undefined): string {
  const ready = findCondition(at(status, 'conditions'), 'Ready');
  return textAt(ready, 'reason') === 'Error' ? textAt(ready, 'message') : '';
}

/** Of what a status says that there is nothing: because something is wrong, or as likely it has not been given. */
function emptyNotice(
  { place, title, kind, object }: GivenObject,
  afterwards: JsonObject | undefined,
): readonly string[] {
  const status = afterwards?.['status'];
  if (kind === 'GitRepo' && afterwards === object)
    return [
      `${place}, ${title}: its status is left as it is: it is being deleted, is not accepted, or has no spec.repo`,
    ];
  const isEmpty =
    kind === 'ClusterGroup'
      ? at(status, 'clusterCount') === 0
      : HAVE_TARGETS.has(kind) && at(status, 'summary', 'desiredReady') === 0;
  if (!isEmpty) return [];
  const missing =
    kind === 'ClusterGroup'
      ? 'no Cluster that it selects'
      : 'no BundleDeployment and no target of it';
  const nothing = `${missing} is given: its status says that there is none; add them with -f`;
  return [`${place}, ${title}: ${errorOf(status) || nothing}`];
}

class FleetEvaluator {
  readonly #input: FleetInput;
  readonly #now: string;
  /** By Cluster, then by identity. */
  readonly #downstream: ReadonlyMap<string, ReadonlyMap<string, GivenObject>>;
  readonly #aggregation: FleetAggregation;
  /** What BundleDeployments list, by Cluster. */
  readonly #listed = new Map<string, Set<string>>();

  constructor(input: FleetInput) {
    this.#input = input;
    this.#now = secondsText(input.nowMs);
    this.#aggregation = new FleetAggregation({ nowMs: input.nowMs });
    this.#downstream = new Map(
      [...input.downstream].map(([cluster, objects]) => [
        cluster,
        new Map(objects.map((given) => [identityOf(given), given])),
      ]),
    );
  }

  evaluate(): EvaluatedFleet {
    const { objects, jobs } = this.#input;
    // Clusters tell to which of them a BundleDeployment belongs.
    this.#apply([...objects.filter((given) => !isDeployment(given)), ...jobs]);
    const now = objects.map((given) => (isDeployment(given) ? this.#deployment(given) : given));
    this.#apply(now.filter(isDeployment));
    const afterwards = now.map((given) => this.#afterwards(given));
    const empty = now.flatMap((given, index) => emptyNotice(given, afterwards[index]));
    return { objects: afterwards, notices: [...empty, ...this.#notices()] };
  }

  #apply(objects: readonly GivenObject[]): void {
    // No other kinds are among them.
    for (const { kind, namespace, name, object } of objects)
      this.#aggregation.apply({ kind: kind as FleetKind, namespace, name, object });
  }

  /** A BundleDeployment with what its agent would say of the objects downstream, where these are given. */
  #deployment(given: GivenObject): GivenObject {
    const { object } = given;
    const cluster = this.#aggregation.clusterOf(object);
    const listed = this.#listed.get(cluster) ?? new Set();
    this.#listed.set(cluster, listed);
    for (const identity of listedIn(object)) listed.add(identity);
    const status = this.#observedStatus(object, cluster) ?? object['status'];
    const observed = status === undefined ? object : { ...object, status };
    const display = deploymentDisplay(observed);
    return {
      ...given,
      object: { ...observed, status: { ...(isObject(status) ? status : {}), display } },
    };
  }

  #observedStatus(deployment: JsonObject, cluster: string): JsonObject | undefined {
    const downstream = this.#downstream.get(cluster);
    if (downstream === undefined) return undefined;
    const find = (ref: ResourceRef): JsonObject | undefined =>
      downstream.get(identityOfRef(ref))?.object;
    return deploymentStatus({ deployment, nowMs: this.#input.nowMs, find });
  }

  #afterwards(given: GivenObject): JsonObject {
    const { kind, namespace, name, object } = given;
    if (isDeployment(given)) return object;
    // No other kinds are left.
    const desired = this.#aggregation.desired(kind as AggregatedKind, `${namespace}/${name}`);
    if (desired === undefined) return object;
    return { ...object, status: statusWith(member(object, 'status'), desired, this.#now) };
  }

  #notices(): readonly string[] {
    return [...this.#downstream].flatMap(([cluster, objects]) => {
      const listed = this.#listed.get(cluster);
      if (listed === undefined)
        return [
          `--wec ${cluster}: no BundleDeployment that is given belongs to Cluster ${cluster}: ignored; its labels fleet.cattle.io/cluster-namespace and fleet.cattle.io/cluster say where it belongs`,
        ];
      return [...objects]
        .filter(([identity]) => !listed.has(identity))
        .map(
          ([, { place, title }]) =>
            `${place}, ${title}: no BundleDeployment in Cluster ${cluster} lists this object in status.resources: ignored`,
        );
    });
  }
}

function isDeployment({ kind }: GivenObject): boolean {
  return kind === 'BundleDeployment';
}

/** What Starfold would make of Fleet's statuses, from nothing but what is given. */
export function evaluateFleet(input: FleetInput): EvaluatedFleet {
  return new FleetEvaluator(input).evaluate();
}
