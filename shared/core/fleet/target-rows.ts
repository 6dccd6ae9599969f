import { Multimap } from '#shared/core/binding/multimap.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import {
  equalJson,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
  textAt,
} from '#shared/core/json.ts';
import { type ClusterContact, clusterContact, silenceText } from './cluster-contact.ts';
import {
  type ClusterInventory,
  createInventory,
  type TargetCluster,
  type TargetGroup,
  targetCluster,
  targetGroup,
} from './cluster-inventory.ts';
import {
  type DeploymentRow,
  deploymentRow,
  parentsOf,
  pendingRow,
  type RowParents,
  silentRow,
} from './deployment-row.ts';
import { bundleTargets } from './targets.ts';

/** A Cluster as far as rows and groups depend on it. */
export interface KnownCluster {
  /** The namespace of its BundleDeployments; `''`: none yet. */
  readonly namespace: string;
  readonly target: TargetCluster;
  readonly contact: ClusterContact;
}

interface KnownBundle {
  readonly object: JsonObject;
  /** All that its targets follow from, and what is above them. */
  readonly wanted: {
    readonly parents: RowParents;
    readonly spec: JsonValue;
    readonly isDeleting: boolean;
  };
  targets: ReadonlySet<string>;
  errors: readonly string[];
}

interface KnownDeployment {
  /** As its object says. */
  readonly read: DeploymentRow;
  /** As it counts. */
  readonly placed: DeploymentRow;
}

const NO_TARGETS: ReadonlySet<string> = new Set();

/** Takes the rows that have changed; `undefined`: there is none any more. */
export type OnRow = (key: string, row: DeploymentRow | undefined) => void;

function pendingKey(bundle: string, cluster: string): string {
  return `pending\n${bundle}\n${cluster}`;
}

/**
 * The targets of all Bundles as rows: every BundleDeployment, in the cluster to which it belongs, and a row for each
 * cluster that a Bundle wants and that has no BundleDeployment of it.
 */
export class TargetRows {
  readonly #nowMs: number;
  readonly #onRow: OnRow;
  readonly #deployments = new Map<string, KnownDeployment>();
  readonly #clusters = new Map<string, KnownCluster>();
  readonly #groups = new Map<string, TargetGroup>();
  /** All that membership and targeting follow from. */
  readonly #groupTexts = new Map<string, string>();
  readonly #bundles = new Map<string, KnownBundle>();
  /** The Clusters by the namespace of their BundleDeployments; it should be one. */
  readonly #clustersWith = new Multimap<string, string>();
  readonly #deploymentsIn = new Multimap<string, string>();
  readonly #deploymentsOf = new Multimap<string, string>();
  /** BundleDeployments by Bundle and cluster. */
  readonly #deployed = new Multimap<string, string>();
  readonly #untargeted = new Set<string>();
  #isInventoryNew = false;

  /** @param nowMs milliseconds since the epoch */
  constructor(nowMs: number, onRow: OnRow) {
    this.#nowMs = nowMs;
    this.#onRow = onRow;
  }

  get clusters(): ReadonlyMap<string, KnownCluster> {
    return this.#clusters;
  }

  get groups(): ReadonlyMap<string, TargetGroup> {
    return this.#groups;
  }

  /** What is wrong with the targets of a Bundle. */
  targetErrors(bundle: string): readonly string[] {
    return this.#bundles.get(bundle)?.errors ?? [];
  }

  setDeployment(id: string, object: JsonObject | undefined): void {
    const before = this.#deployments.get(id);
    if (before !== undefined) this.#unindex(id, before);
    if (object === undefined) {
      this.#deployments.delete(id);
      this.#onRow(id, undefined);
    } else this.#place(id, deploymentRow(object));
    if (before !== undefined) this.#reconsider(before.placed.bundle, before.placed.cluster);
  }

  #unindex(id: string, { read, placed }: KnownDeployment): void {
    this.#deploymentsIn.delete(read.namespace, id);
    this.#deploymentsOf.delete(placed.cluster, id);
    this.#deployed.delete(pendingKey(placed.bundle, placed.cluster), id);
  }

  #place(id: string, read: DeploymentRow): void {
    const cluster = this.clusterOf(read);
    const contact = this.#clusters.get(cluster)?.contact;
    const located = { ...read, cluster };
    const placed =
      contact?.type === 'silent' ? silentRow(located, silenceText(contact.lastSeen)) : located;
    this.#deployments.set(id, { read, placed });
    this.#deploymentsIn.add(read.namespace, id);
    this.#deploymentsOf.add(cluster, id);
    this.#deployed.add(pendingKey(placed.bundle, cluster), id);
    this.#onRow(id, placed);
    this.#reconsider(placed.bundle, cluster);
  }

  /**
   * The Cluster that a BundleDeployment belongs to, `<namespace>/<name>`: the one that its labels name, else that of its
   * namespace; of several that claim this the one whose name comes first. `''`: none.
   */
  clusterOf({ cluster, namespace }: Pick<DeploymentRow, 'cluster' | 'namespace'>): string {
    return cluster || ([...this.#clustersWith.get(namespace)].sort()[0] ?? '');
  }

  /** Whether there is a row for a cluster without a BundleDeployment depends on both. */
  #reconsider(bundle: string, cluster: string): void {
    const key = pendingKey(bundle, cluster);
    const known = this.#bundles.get(bundle);
    const isPending = known?.targets.has(cluster) === true && this.#deployed.get(key).size === 0;
    this.#onRow(key, isPending ? pendingRow(known.wanted.parents, cluster) : undefined);
  }

  /** @returns whether something else than its status has changed, or whether its agent reports */
  setCluster(id: string, object: JsonObject | undefined): boolean {
    const before = this.#clusters.get(id);
    const now = object === undefined ? undefined : this.#readCluster(object);
    if (now === undefined) this.#clusters.delete(id);
    else this.#clusters.set(id, now);
    const hasTarget = equalJson(before?.target, now?.target);
    const hasContact = equalJson(before?.contact, now?.contact);
    if (!hasTarget) this.#isInventoryNew = true;
    const moved = this.#renameNamespace(id, before, now);
    const own = hasContact ? [] : [...this.#deploymentsOf.get(id)];
    for (const deployment of [...own, ...moved]) this.#replace(deployment);
    return !hasTarget || !hasContact;
  }

  #readCluster(object: JsonObject): KnownCluster {
    return {
      namespace: textAt(object, 'status', 'namespace'),
      target: targetCluster(object),
      contact: clusterContact(object, this.#nowMs),
    };
  }

  /** The BundleDeployments in the namespaces that a Cluster had and has, if they are two. */
  #renameNamespace(
    id: string,
    before: KnownCluster | undefined,
    now: KnownCluster | undefined,
  ): readonly string[] {
    const [old = '', current = ''] = [before?.namespace, now?.namespace];
    if (old === current) return [];
    const left = old === '' ? [] : [...this.#deploymentsIn.get(old)];
    if (old !== '') this.#clustersWith.delete(old, id);
    if (current !== '') this.#clustersWith.add(current, id);
    return [...left, ...(current === '' ? [] : this.#deploymentsIn.get(current))];
  }

  #replace(id: string): void {
    // What is indexed is known.
    const known = this.#deployments.get(id) as KnownDeployment;
    this.#unindex(id, known);
    this.#place(id, known.read);
    this.#reconsider(known.placed.bundle, known.placed.cluster);
  }

  /** @returns whether something else than its status has changed */
  setGroup(id: string, object: JsonObject | undefined): boolean {
    const text = object === undefined ? undefined : membershipText(object);
    if (this.#groupTexts.get(id) === text) return false;
    this.#isInventoryNew = true;
    if (object === undefined || text === undefined) {
      this.#groups.delete(id);
      this.#groupTexts.delete(id);
    } else {
      this.#groups.set(id, targetGroup(object));
      this.#groupTexts.set(id, text);
    }
    return true;
  }

  setBundle(id: string, object: JsonObject | undefined): void {
    const before = this.#bundles.get(id);
    if (object === undefined) {
      this.#bundles.delete(id);
      this.#untargeted.delete(id);
    } else {
      const namespace = textAt(object, 'metadata', 'namespace');
      const parents = parentsOf(object, namespace, textAt(object, 'metadata', 'name'));
      const wanted = { parents, spec: object['spec'] ?? null, isDeleting: isDeleting(object) };
      if (equalJson(before?.wanted, wanted)) return;
      this.#bundles.set(id, { object, wanted, targets: NO_TARGETS, errors: [] });
      this.#untargeted.add(id);
    }
    for (const cluster of before?.targets ?? []) this.#reconsider(id, cluster);
  }

  /** Finds the targets of the Bundles for which they may have changed. */
  settle(): void {
    const bundles = this.#isInventoryNew ? [...this.#bundles.keys()] : [...this.#untargeted];
    this.#isInventoryNew = false;
    this.#untargeted.clear();
    if (bundles.length === 0) return;
    const clusters = [...this.#clusters.values()].map(({ target }) => target);
    const inventory = createInventory(clusters, [...this.#groups.values()]);
    for (const id of bundles) this.#retarget(id, inventory);
  }

  #retarget(id: string, inventory: ClusterInventory): void {
    // Only what is known has to be targeted.
    const known = this.#bundles.get(id) as KnownBundle;
    const before = known.targets;
    const found = bundleTargets(known.object, inventory);
    // What is being deleted waits for nothing.
    known.targets = known.wanted.isDeleting ? NO_TARGETS : new Set(found.clusters);
    known.errors = found.errors;
    for (const cluster of before) if (!known.targets.has(cluster)) this.#reconsider(id, cluster);
    for (const cluster of known.targets) if (!before.has(cluster)) this.#reconsider(id, cluster);
  }
}

function membershipText(group: JsonObject): string {
  const { spec = null, metadata = null } = group;
  return stringifyJson([member(spec, 'selector') ?? null, member(metadata, 'labels') ?? null]);
}
