import { expect, vi } from 'vitest';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';
import { standingDifferences } from '#test/lifecycle/differences.ts';
import { evaluateExport } from '#test/lifecycle/fresh.ts';
import { apply, type Cluster, clusters, createNamespace, listObjects, read } from './clusters.ts';
import { bind, clear, collect, controlRef } from './controls.ts';
import { removeLeftovers } from './open-cluster-management.ts';
import type { Manifest, Place } from './workloads.ts';

/** How long the WDS may take; a test that fails waits for so long. */
const PATIENCE = { timeout: 40_000, interval: 100 };

/** A WEC, and which of its objects came from the WDS. */
interface ScenarioWec {
  /** As Bindings call it. */
  readonly wec: string;
  readonly cluster: Cluster;
  /** Absent: all. */
  readonly isFromWds?: (object: JsonObject) => boolean;
}

interface ScenarioOptions {
  /** Of the namespace, the Binding and the StatusCollector. */
  readonly name: string;
  /** Where the Binding sends the objects. */
  readonly destinations: readonly string[];
  /** Those that are looked at for what `starfold eval` is told of them. */
  readonly wecs: readonly ScenarioWec[];
  /** Resources of an ITS that `starfold eval` is told of. */
  readonly its?: { readonly cluster: Cluster; readonly resources: readonly Resource[] };
  /** Columns of the StatusCollector, beside the WEC and its status. */
  readonly columns?: readonly { readonly name: string; readonly def: string }[];
}

async function standing(cluster: Cluster, refs: readonly ObjectRef[]) {
  return (await Promise.all(refs.map((ref) => read(cluster, ref)))).filter(isObject);
}

/** Workload objects of one namespace, a Binding that names them all, and a StatusCollector. */
export class InstallationScenario {
  readonly #options: ScenarioOptions;
  /** What the Binding names. */
  #refs: readonly ObjectRef[] = [];
  /** Definitions of kinds of the tests' own. */
  #definitions: readonly ObjectRef[] = [];

  constructor(options: ScenarioOptions) {
    this.#options = options;
  }

  /** Where an object of this scenario is. */
  place(name: string): Place {
    return { namespace: this.#options.name, name };
  }

  /** Makes the namespace everywhere, and the StatusCollector. */
  async begin(): Promise<void> {
    const { name, wecs, columns = [] } = this.#options;
    await removeLeftovers();
    for (const cluster of [clusters().wds, ...wecs.map((wec) => wec.cluster)])
      await createNamespace(cluster, name);
    await collect(name, {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'status', def: 'returned.status' },
        ...columns,
      ],
      limit: 10,
    });
  }

  /**
   * Applies objects in the WDS and makes the Binding name them too.
   *
   * @param definition of their kind, where it is one of the tests' own
   * @returns the Binding and the objects, as stored
   */
  async bound(
    manifests: readonly Manifest[],
    definition?: ObjectRef,
  ): Promise<{ readonly binding: JsonObject; readonly objects: readonly JsonObject[] }> {
    const { name, destinations } = this.#options;
    const objects: JsonObject[] = [];
    for (const { ref, object } of manifests) objects.push(await apply(clusters().wds, ref, object));
    this.#refs = [...this.#refs, ...manifests.map(({ ref }) => ref)];
    if (definition !== undefined) this.#definitions = [...this.#definitions, definition];
    const modulation = { wantMultiWECReportedState: true, statusCollectors: [name] };
    const binding = await bind({
      name,
      destinations,
      objects: this.#refs.map((ref) => [ref, modulation] as const),
    });
    return { binding, objects };
  }

  /** Waits until the WDS is what `starfold eval` makes of the objects as they are. */
  async settled(): Promise<void> {
    await vi.waitFor(async () => expect(await this.#differences()).toEqual([]), PATIENCE);
  }

  async #differences(): Promise<readonly string[]> {
    const { name, wecs, its } = this.#options;
    const { wds } = clusters();
    const control = [controlRef('bindings', name), controlRef('statuscollectors', name)];
    const given = {
      wds: [
        ...(await standing(wds, [...this.#refs, ...this.#definitions, ...control])),
        ...(await listObjects(wds, controlRef('combinedstatuses', ''), name)),
      ],
      inventory:
        its === undefined
          ? []
          : (await Promise.all(its.resources.map((one) => listObjects(its.cluster, one)))).flat(),
      wecs: await Promise.all(
        wecs.map(async ({ wec, cluster, isFromWds = () => true }) => ({
          wec,
          objects: (await standing(cluster, this.#refs)).filter(isFromWds),
        })),
      ),
    };
    return standingDifferences(given, await evaluateExport(given, Date.now()), new Map());
  }

  /** Removes what other tests would find in the WDS. */
  async end(): Promise<void> {
    const { name } = this.#options;
    const own = [controlRef('bindings', name), controlRef('statuscollectors', name)];
    await clear(clusters().wds, [...own, ...this.#refs]);
  }
}
