import { KubeConfig } from '@kubernetes/client-node';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { at, equalJson, isObject, type JsonObject, member } from '#shared/core/json.ts';
import { ApiConflictError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef, ResourceApi } from '#shared/ports/kubernetes-api.ts';

const REQUEST_TIMEOUT_MS = 10_000;

type Api = ObjectApi & ResourceApi;

/** A simulated cluster, with an API for its users and one for the stack. */
export class Cluster {
  readonly name: string;
  readonly simulated: SimulatedCluster;
  /** As users and other controllers use it. */
  readonly api: Api;
  /** As the stack uses it. */
  readonly stackApi: Api;

  private constructor(simulated: SimulatedCluster) {
    this.name = simulated.name;
    this.simulated = simulated;
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(simulated.kubeconfig());
    const connected = (fieldManager: string): Api =>
      createKubernetesApi(kubeConfig, { fieldManager, requestTimeoutMs: REQUEST_TIMEOUT_MS });
    this.api = connected('user');
    this.stackApi = connected('starfold');
  }

  /** Starts an empty cluster that numbers its objects. */
  static async start(name: string): Promise<Cluster> {
    let uids = 0;
    const idGenerator = (): string => {
      uids += 1;
      return `${name}-${uids}`;
    };
    return new Cluster(await startSimulatedCluster({ name, idGenerator }));
  }

  /**
   * Makes an object what `change` makes of it, and tries again when somebody else was faster: what is `undefined` is
   * absent. `.status` is written where it changed.
   */
  async set(
    ref: ObjectRef,
    change: (standing: JsonObject | undefined) => JsonObject | undefined,
  ): Promise<void> {
    for (;;)
      try {
        await this.#write(ref, change);
        return;
      } catch (error) {
        if (!(error instanceof ApiConflictError)) throw error;
      }
  }

  async #write(
    ref: ObjectRef,
    change: (standing: JsonObject | undefined) => JsonObject | undefined,
  ): Promise<void> {
    const standing = await this.api.get(ref);
    const next = change(standing);
    if (next === undefined) {
      if (standing !== undefined) await this.api.delete(ref, preconditionOf(standing));
      return;
    }
    const written =
      standing === undefined ? await this.api.create(ref, next) : await this.api.replace(ref, next);
    const status = member(next, 'status');
    if (status !== undefined && !equalJson(member(written, 'status'), status))
      await this.api.replaceStatus(ref, {
        resourceVersion: preconditionOf(written).resourceVersion,
        status,
      });
  }

  /** Deletes an object, if there is one. */
  async remove(ref: ObjectRef): Promise<void> {
    await this.set(ref, () => undefined);
  }

  /** Changes an object that stands there; does nothing where there is none. */
  async edit(ref: ObjectRef, change: (standing: JsonObject) => JsonObject): Promise<void> {
    if ((await this.api.get(ref)) === undefined) return;
    await this.set(ref, (standing) => standing && change(standing));
  }

  async close(): Promise<void> {
    await this.simulated.close();
  }
}

function preconditionOf(object: JsonObject): {
  readonly uid: string;
  readonly resourceVersion: string;
} {
  return {
    uid: String(at(object, 'metadata', 'uid')),
    resourceVersion: String(at(object, 'metadata', 'resourceVersion')),
  };
}

/** An object with other metadata; a member that is `undefined` goes. */
export function withMetadata(
  object: JsonObject,
  changes: Readonly<Record<string, JsonObject[string] | undefined>>,
): JsonObject {
  const metadata = member(object, 'metadata');
  const merged = { ...(isObject(metadata) ? metadata : {}), ...changes };
  const kept = Object.entries(merged).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return { ...object, metadata: Object.fromEntries(kept) };
}
