import { at, type JsonObject, member } from '#shared/core/json.ts';
import { ApiConflictError } from '#shared/errors.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { Random } from '#test/simulation/scheduler.ts';
import type { SoakClusters } from './clusters.ts';
import {
  bindingName,
  bindingObject,
  bindingOf,
  bindingSpec,
  type Copy,
  collectorObject,
  refOf,
  wdsObject,
  wecObject,
} from './objects.ts';

const REPLICAS = [3, 4, 5, 6];
/** The status writer may be ahead again and again. */
const ATTEMPTS = 50;

/** A workload object as its user left it. */
interface Workload {
  readonly generation: number;
  readonly replicas: number;
  /** What the WECs have, by their number; `undefined`: the object is missing there. */
  readonly copies: (Copy | undefined)[];
}

function bindingRef(index: number): ObjectRef {
  const name = bindingName(bindingOf(index));
  const group = 'control.kubestellar.io';
  return { group, version: 'v1alpha1', resource: 'bindings', namespace: '', name };
}

/** The workload objects of a run: what users and controllers do with them, in the WDS and in the WECs. */
export class Workloads {
  readonly #clusters: SoakClusters;
  readonly #random: Random;
  /** By number; `undefined`: the user has deleted it. */
  readonly #workloads: (Workload | undefined)[];
  #counter = 0;
  #uids = 0;

  /** @param count how many there are */
  constructor(clusters: SoakClusters, random: Random, count: number) {
    this.#clusters = clusters;
    this.#random = random;
    this.#workloads = new Array(count).fill(undefined);
  }

  /** Creates all of them, then the collector and the Bindings. */
  async createAll(): Promise<void> {
    const { wds } = this.#clusters;
    for (const index of this.#workloads.keys()) {
      const replicas = this.#random.pick(REPLICAS);
      const object = wdsObject(index, replicas);
      const uid = `wds-${index}`;
      const metadata = { ...(object['metadata'] as JsonObject), uid, generation: 1 };
      wds.cluster.apply({ ...object, metadata });
      this.#place(index, { generation: 1, replicas, copies: [] });
    }
    wds.cluster.apply(withUid(collectorObject()));
    const last = bindingOf(this.#workloads.length - 1);
    for (let binding = 0; binding <= last; binding += 1) {
      const spec = this.#bindingSpec(binding);
      wds.cluster.apply(withUid(bindingObject(binding, spec)));
    }
  }

  /**
   * Makes a WEC report another status of a workload object.
   *
   * @returns its number and the counter in its status; `undefined` where it has none
   */
  changeStatus(): { readonly index: number; readonly counter: number } | undefined {
    const { index, wec } = this.#any();
    const workload = this.#workloads[index];
    const copy = workload?.copies[wec];
    if (workload === undefined || copy === undefined) return undefined;
    const available = this.#random.below(copy.replicas + 1);
    this.#put(index, wec, { ...copy, available });
    return { index, counter: this.#counter };
  }

  /** Deletes a workload object in one WEC, or creates it there again. */
  toggleCopy(): number {
    const { index, wec } = this.#any();
    const workload = this.#workloads[index];
    if (workload === undefined) return index;
    if (workload.copies[wec] === undefined) this.#put(index, wec, this.#newCopy(workload));
    else this.#take(index, wec);
    return index;
  }

  /** The user gives a workload object another number of replicas; the WECs get them. */
  async changeSpec(): Promise<number> {
    const { index } = this.#any();
    const workload = this.#workloads[index];
    if (workload === undefined) return index;
    const replicas = this.#random.pick(REPLICAS);
    const { spec } = wdsObject(index, replicas);
    const changed = await this.#replace(refOf(index), (object) => ({
      ...object,
      spec: spec ?? {},
    }));
    const generation = Number(at(changed, 'metadata', 'generation'));
    this.#workloads[index] = { ...workload, generation, replicas };
    for (const [wec, copy] of workload.copies.entries())
      if (copy !== undefined) this.#put(index, wec, { ...copy, generation, replicas });
    return index;
  }

  /** The user deletes a workload object everywhere, or creates it again. */
  async toggle(): Promise<number> {
    const { index } = this.#any();
    const { wds } = this.#clusters;
    if (this.#workloads[index] === undefined) {
      const replicas = this.#random.pick(REPLICAS);
      const created = await wds.api.create(refOf(index), wdsObject(index, replicas));
      const generation = Number(at(created, 'metadata', 'generation'));
      this.#place(index, { generation, replicas, copies: [] });
    } else {
      for (const wec of this.#clusters.wecs.keys()) this.#take(index, wec);
      wds.cluster.delete(wdsObject(index, 1));
      this.#workloads[index] = undefined;
    }
    const spec = this.#bindingSpec(bindingOf(index));
    await this.#replace(bindingRef(index), (object) => ({ ...object, spec }));
    return index;
  }

  #any(): { readonly index: number; readonly wec: number } {
    const index = this.#random.below(this.#workloads.length);
    return { index, wec: this.#random.below(this.#clusters.wecs.length) };
  }

  #bindingSpec(binding: number): JsonObject {
    const standing = [...this.#workloads.keys()].filter(
      (index) => bindingOf(index) === binding && this.#workloads[index] !== undefined,
    );
    return bindingSpec(
      standing,
      this.#clusters.wecs.map(({ name }) => name),
    );
  }

  /** A workload object stands, and is in every WEC. */
  #place(index: number, workload: Workload): void {
    this.#workloads[index] = workload;
    for (const wec of this.#clusters.wecs.keys()) this.#put(index, wec, this.#newCopy(workload));
  }

  #newCopy({ generation, replicas }: Workload): Copy {
    this.#uids += 1;
    return { uid: `copy-${this.#uids}`, generation, replicas, available: replicas, counter: 0 };
  }

  #put(index: number, wec: number, copy: Copy): void {
    this.#counter += 1;
    const counted = { ...copy, counter: this.#counter };
    const copies = this.#workloads[index]?.copies;
    if (copies !== undefined) copies[wec] = counted;
    this.#clusters.wecs[wec]?.cluster.apply(wecObject(index, counted));
  }

  #take(index: number, wec: number): void {
    const copies = this.#workloads[index]?.copies;
    if (copies !== undefined) copies[wec] = undefined;
    this.#clusters.wecs[wec]?.cluster.delete(wdsObject(index, 1));
  }

  async #replace(ref: ObjectRef, change: (object: JsonObject) => JsonObject): Promise<JsonObject> {
    const { api } = this.#clusters.wds;
    for (let attempt = 1; ; attempt += 1) {
      const object = await api.get(ref);
      if (object === undefined) throw new Error(`${ref.resource} ${ref.name} is gone from the WDS`);
      try {
        return await api.replace(ref, change(object));
      } catch (error) {
        if (!(error instanceof ApiConflictError) || attempt === ATTEMPTS) throw error;
      }
    }
  }
}

function withUid(object: JsonObject): JsonObject {
  const metadata = member(object, 'metadata') as JsonObject; // As objects.ts makes it.
  return {
    ...object,
    metadata: { ...metadata, uid: `uid-${String(metadata['name'])}`, generation: 1 },
  };
}
