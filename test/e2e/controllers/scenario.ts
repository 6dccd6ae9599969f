import { expect, vi } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { type ArgoCdStatus, type ArgoCdVerdict, worst } from '#shared/core/health/verdict.ts';
import { at, isObject, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  apply,
  type Cluster,
  clusters,
  collectionPath,
  createNamespace,
  listObjects,
  read,
  watch,
} from '#test/e2e/clusters.ts';
import { bind, clear, controlRef, edit } from '#test/e2e/controls.ts';
import type { Manifest, Place } from '#test/e2e/workloads.ts';
import { standingDifferences } from '#test/lifecycle/differences.ts';
import type { Export } from '#test/lifecycle/export.ts';
import { evaluateExport } from '#test/lifecycle/fresh.ts';
import { deliver } from './delivery.ts';
import { RELEASED } from './stages.ts';

/** Several scenarios run at the same time on few cores: they ask less often than other tests. */
const PATIENCE = { timeout: 60_000, interval: 250 };
const PODS = { group: '', version: 'v1', resource: 'pods' };

/** The StatusCollector of all scenarios. */
export const COLLECTOR = 'real-controllers';

/** Waits until a value that is read again and again is this one. */
export async function settles<T>(get: () => Promise<T>, expected: unknown): Promise<void> {
  await vi.waitFor(async () => expect(await get()).toEqual(expected), PATIENCE);
}

function verdictOf(object: JsonObject | undefined): ArgoCdVerdict | null | undefined {
  return object === undefined ? undefined : assessArgoCd(object);
}

/** Argo CD's verdict on an object in each cluster; undefined where it is not, or where Argo CD has no rule. */
export interface Verdicts {
  readonly wec1: ArgoCdStatus | undefined;
  readonly wec2: ArgoCdStatus | undefined;
  readonly wds: ArgoCdStatus | undefined;
}

/** Workload objects in a namespace of their own, in the WDS and in two WECs with controllers. */
export class Scenario {
  readonly namespace: string;
  readonly #wecs: readonly [Cluster, Cluster];
  #refs: readonly ObjectRef[] = [];

  /** @param name of the namespace and of the Binding */
  constructor(name: string, wecs: readonly [Cluster, Cluster]) {
    this.namespace = `real-${name}`;
    this.#wecs = wecs;
  }

  /** Where an object of this scenario is. */
  place(name: string): Place {
    return { namespace: this.namespace, name };
  }

  /** Applies the objects in the WDS, delivers them to both WECs and binds them. */
  async begin(manifests: readonly Manifest[]): Promise<void> {
    const { wds } = clusters();
    this.#refs = manifests.map(({ ref }) => ref);
    for (const cluster of [wds, ...this.#wecs]) await createNamespace(cluster, this.namespace);
    for (const manifest of manifests) await this.update(manifest);
    const modulation = { wantMultiWECReportedState: true, statusCollectors: [COLLECTOR] };
    await bind({
      name: this.namespace,
      destinations: this.#wecs.map(({ name }) => name),
      objects: this.#refs.map((ref) => [ref, modulation] as const),
    });
  }

  /** Applies an object in the WDS and delivers it to both WECs. Only wec1 is told the generation. */
  async update({ ref, object }: Manifest): Promise<void> {
    const standing = await apply(clusters().wds, ref, object);
    const [told, untold] = this.#wecs;
    await deliver(standing, { ref, wec: told, tellGeneration: true });
    await deliver(standing, { ref, wec: untold, tellGeneration: false });
  }

  /** Delivers an object to one WEC as it stands in the WDS. */
  async deliverTo(wec: Cluster, ref: ObjectRef): Promise<void> {
    const standing = await read(clusters().wds, ref);
    await deliver(standing ?? {}, { ref, wec, tellGeneration: wec === this.#wecs[0] });
  }

  /** Waits until what is created now is younger, in the whole seconds of API servers, than an object of the WECs. */
  async outlived(ref: ObjectRef): Promise<void> {
    const ages = async () =>
      Promise.all(
        this.#wecs.map(async (wec) => {
          const created = at(await read(wec, ref), 'metadata', 'creationTimestamp');
          return Date.now() - Date.parse(String(created));
        }),
      );
    await vi.waitFor(
      async () => expect(Math.min(...(await ages()))).toBeGreaterThan(3_000),
      PATIENCE,
    );
  }

  async verdicts(ref: ObjectRef): Promise<Verdicts> {
    const [wec1, wec2, wds] = await Promise.all(
      [...this.#wecs, clusters().wds].map(async (cluster) => verdictOf(await read(cluster, ref))),
    );
    return { wec1: wec1?.status, wec2: wec2?.status, wds: wds?.status };
  }

  /**
   * Waits until Argo CD says this of the object in the WECs, the worst of it in the WDS, and until everything that the
   * WDS has of this scenario is what `starfold eval` makes of the objects as they are.
   */
  async settled(ref: ObjectRef, wec1: ArgoCdStatus, wec2: ArgoCdStatus): Promise<void> {
    const wds = worst([wec1, wec2]);
    await settles(() => this.verdicts(ref), { wec1, wec2, wds });
    await settles(() => this.differences(), []);
    // And that it has been so at the same time.
    expect(await this.verdicts(ref)).toEqual({ wec1, wec2, wds });
  }

  /** What the WDS has otherwise than `starfold eval` makes it from the objects as they are. */
  async differences(): Promise<readonly string[]> {
    const given = await this.exported();
    return standingDifferences(given, await evaluateExport(given, Date.now()), new Map());
  }

  /** Everything of this scenario in the clusters, as their API servers return it. */
  async exported(): Promise<Export> {
    const { wds } = clusters();
    const all = async (cluster: Cluster, refs: readonly ObjectRef[]) =>
      (await Promise.all(refs.map((ref) => read(cluster, ref)))).filter(isObject);
    const control = [
      controlRef('bindings', this.namespace),
      controlRef('statuscollectors', COLLECTOR),
    ];
    return {
      wds: [
        ...(await all(wds, [...this.#refs, ...control])),
        ...(await listObjects(wds, controlRef('combinedstatuses', ''), this.namespace)),
      ],
      inventory: [],
      wecs: await Promise.all(
        this.#wecs.map(async (wec) => ({ wec: wec.name, objects: await all(wec, this.#refs) })),
      ),
    };
  }

  /** The pods of this scenario in a WEC. */
  pods(wec: Cluster): Promise<readonly JsonObject[]> {
    return listObjects(wec, PODS, this.namespace);
  }

  /** Waits for so many held pods in a WEC and lets them become ready. */
  async release(wec: Cluster, count: number): Promise<void> {
    const held = async (): Promise<readonly JsonObject[]> =>
      (await this.pods(wec)).filter(
        (pod) =>
          at(pod, 'status', 'phase') === 'Pending' &&
          at(pod, 'metadata', 'annotations', RELEASED) === undefined,
      );
    await vi.waitFor(
      async () => expect((await held()).length).toBeGreaterThanOrEqual(count),
      PATIENCE,
    );
    for (const pod of (await held()).slice(0, count)) {
      const ref = { ...PODS, ...this.place(String(at(pod, 'metadata', 'name'))) };
      await edit(wec, ref, { metadata: { annotations: { [RELEASED]: '' } } });
    }
  }

  /**
   * Follows an object in the WDS from now on until Argo CD says this of it, and gives what it has said before.
   *
   * @param resourceVersion of the object or list after which it is followed
   */
  async verdictsUntil(
    ref: ObjectRef,
    resourceVersion: string,
    last: ArgoCdStatus,
  ): Promise<readonly (ArgoCdStatus | undefined)[]> {
    const query = `watch=true&resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3D${ref.name}`;
    const verdicts: (ArgoCdStatus | undefined)[] = [];
    await watch(clusters().wds, `${collectionPath(ref, ref.namespace)}?${query}`, (event) => {
      const object = event['object'];
      verdicts.push(isObject(object) ? verdictOf(object)?.status : undefined);
      return verdicts.at(-1) === last;
    });
    return verdicts.slice(0, -1);
  }

  /** Removes what other tests would find in the WDS. */
  async end(): Promise<void> {
    await clear(clusters().wds, [controlRef('bindings', this.namespace), ...this.#refs]);
  }
}
