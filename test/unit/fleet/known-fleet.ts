import { desiredFleet } from '#shared/core/desired/desired-fleet.ts';
import type { FleetObject } from '#shared/core/desired/fleet-targets.ts';
import type { ConditionChange } from '#shared/core/fleet/condition.ts';
import type { DesiredStatus } from '#shared/core/fleet/desired-status.ts';
import type { AggregatedKind } from '#shared/core/fleet-object.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';
import { bundle, cluster, clusterGroup, gitJob, gitRepo, helmOp } from './fixtures/objects.ts';
import { condition, NAMESPACE } from './fixtures/parts.ts';
import { type DeployedState, deploymentIn } from './fixtures/states.ts';

/** Two hours after everything was made, and five minutes after the agents of the fixtures reported. */
export const NOW_MS = Date.UTC(2026, 10, 21, 12);

/** The status of a Cluster whose agent has said nothing for two hours. */
export const SILENT: JsonObject = {
  agent: { lastSeen: '2026-11-21T10:00:00Z', namespace: 'cattle-fleet-system' },
};

/** The status of a Cluster whose agent has never said anything. */
export const NEVER_SEEN: JsonObject = { agent: { lastSeen: null, namespace: '' } };

/** An object with where it stands, as its metadata says. */
export function fleetObject(object: JsonObject): FleetObject {
  return {
    kind: textAt(object, 'kind'),
    namespace: textAt(object, 'metadata', 'namespace'),
    name: textAt(object, 'metadata', 'name'),
    object,
  };
}

/** The objects that there are, and what their statuses should be. */
export class KnownFleet {
  readonly #objects = new Map<string, FleetObject>();

  constructor(...objects: readonly JsonObject[]) {
    this.put(...objects);
  }

  put(...objects: readonly JsonObject[]): void {
    for (const one of objects.map(fleetObject)) this.#objects.set(idOf(one), one);
  }

  remove(...objects: readonly JsonObject[]): void {
    for (const one of objects.map(fleetObject)) this.#objects.delete(idOf(one));
  }

  objects(): readonly FleetObject[] {
    return [...this.#objects.values()];
  }

  desired(kind: AggregatedKind, name: string, namespace = NAMESPACE): DesiredStatus | undefined {
    const one = this.#objects.get(`${kind} ${namespace}/${name}`);
    return one && desiredFleet(this.objects(), NOW_MS).get(one);
  }

  /** The fields of a status; none where it is left as it is. */
  fields(kind: AggregatedKind, name: string): JsonObject {
    return this.desired(kind, name)?.fields ?? {};
  }

  /** The message of Ready; `undefined` where the status is left as it is. */
  message(kind: AggregatedKind, name: string): string | undefined {
    return conditionOf(this.desired(kind, name), 'Ready')?.message;
  }
}

function idOf({ kind, namespace, name }: FleetObject): string {
  return `${kind} ${namespace}/${name}`;
}

/** A condition that is wanted. */
export function conditionOf(
  desired: DesiredStatus | undefined,
  type: string,
): ConditionChange | undefined {
  return desired?.conditions.find((condition) => condition.type === type);
}

/** Deployments of the Bundle shop, one in each Cluster c1, c2 and so on; their UIDs sort the other way. */
export function deployments(...states: readonly DeployedState[]): readonly JsonObject[] {
  return states.map((state, index) =>
    deploymentIn(state, { cluster: `c${index + 1}`, metadata: { uid: `uid-${9 - index}` } }),
  );
}

/** The job of the GitRepo shop before it has started. */
export const JOB_IN_PROGRESS = gitJob({
  status: { startTime: null, conditions: [], succeeded: 0 },
});

/** The job of the GitRepo shop after it has failed. */
export const FAILED_JOB = gitJob({
  status: { conditions: [condition('Failed', 'True')], failed: 1, succeeded: 0 },
});

/** The Bundle shop, for the Clusters of production. */
export const SHOP_IN_PROD = bundle({
  spec: { targets: [{ clusterSelector: { matchLabels: { env: 'prod' } } }] },
});

/** One of everything: a GitRepo with a Bundle, deployed to c1, and c2 which is not targeted. */
export function shopFleet(): KnownFleet {
  return new KnownFleet(
    ...[gitRepo(), gitJob(), helmOp(), SHOP_IN_PROD, clusterGroup(), cluster()],
    ...[cluster({ name: 'c2', labels: { env: 'dev' } }), deploymentIn('Ready')],
  );
}
