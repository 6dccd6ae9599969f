import {
  type RunningResolver,
  startBindingResolver,
} from '#local/binding-resolver/binding-resolver.ts';
import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { ApiConflictError, ApiNotFoundError } from '#shared/errors.ts';
import type {
  ObjectApi,
  ObjectRef,
  Resource,
  ResourceApi,
  ResourceInfo,
} from '#shared/ports/kubernetes-api.ts';
import { type OneFollower, oneFollower } from '#shared/watch/one-follower.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1' };

function info(resource: Resource, kind: string, namespaced = false): ResourceInfo {
  return { ...resource, kind, namespaced, statusSubresource: true };
}

export const POLICIES = info({ ...CONTROL, resource: 'bindingpolicies' }, 'BindingPolicy');
export const BINDINGS = info({ ...CONTROL, resource: 'bindings' }, 'Binding');
export const NAMESPACES = info({ group: '', version: 'v1', resource: 'namespaces' }, 'Namespace');
export const CONFIG_MAPS = info(
  { group: '', version: 'v1', resource: 'configmaps' },
  'ConfigMap',
  true,
);
export const DEPLOYMENTS = info(
  { group: 'apps', version: 'v1', resource: 'deployments' },
  'Deployment',
  true,
);
export const WIDGETS = info(
  { group: 'example.com', version: 'v1', resource: 'widgets' },
  'Widget',
  true,
);
export const CLUSTERS = info(
  { group: 'cluster.open-cluster-management.io', version: 'v1', resource: 'managedclusters' },
  'ManagedCluster',
);

function metadataText(object: JsonObject | undefined, field: string): string {
  const value = at(object, 'metadata', field);
  return typeof value === 'string' ? value : '';
}

/** An object of a resource; its uid is made of its name. */
export function objectOf(
  { group, version, kind, namespaced }: ResourceInfo,
  name: string,
  members: JsonObject = {},
): JsonObject {
  const { metadata, ...rest } = members;
  const place = { name, ...(namespaced ? { namespace: 'shop' } : {}) };
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return {
    apiVersion,
    kind,
    metadata: { ...place, uid: `uid-${name}`, ...Object(metadata) },
    ...rest,
  };
}

/** With these labels. */
export function labelled(labels: JsonObject): JsonObject {
  return { metadata: { labels } };
}

/** A cluster in memory that also takes Bindings, and whose resources a test can break one by one. */
export class FakeWds extends FakeCluster implements ObjectApi {
  /** Writes so far: `create all`. */
  readonly writes: string[] = [];
  /** Called before each write; what it throws is the API server's answer. */
  onWrite: (write: string) => void | Promise<void> = () => undefined;
  readonly #broken = new Map<string, Error>();

  /** Every list and watch of a resource fails from now on, also the watches that run; `undefined`: no longer. */
  break(resource: Resource, error: Error | undefined): void {
    if (error === undefined) this.#broken.delete(resource.resource);
    else {
      this.#broken.set(resource.resource, error);
      this.disconnect(error, resource);
    }
  }

  override async list(...args: Parameters<FakeCluster['list']>) {
    this.#check(args[0]);
    return super.list(...args);
  }

  override async watch(...args: Parameters<FakeCluster['watch']>) {
    this.#check(args[0]);
    return super.watch(...args);
  }

  #check({ resource }: Resource): void {
    const error = this.#broken.get(resource);
    if (error !== undefined) throw error;
  }

  async get(ref: ObjectRef): Promise<JsonObject | undefined> {
    return this.objects(ref).get(`${ref.namespace}/${ref.name}`);
  }

  async #write(verb: string, { name }: ObjectRef): Promise<void> {
    await this.onWrite(`${verb} ${name}`);
    this.writes.push(`${verb} ${name}`);
  }

  async create(ref: ObjectRef, object: JsonObject): Promise<JsonObject> {
    await this.#write('create', ref);
    if (this.standing(ref) !== undefined) throw new ApiConflictError('create', 'it exists');
    const uid = `uid-${this.writes.length}`;
    this.put(ref, { ...object, metadata: { ...Object(object['metadata']), uid } });
    return this.standing(ref) ?? {};
  }

  async replace(ref: ObjectRef, object: JsonObject): Promise<JsonObject> {
    await this.#write('replace', ref);
    this.#precondition(ref, metadataText(object, 'resourceVersion'));
    this.put(ref, object);
    return this.standing(ref) ?? {};
  }

  async delete(
    ref: ObjectRef,
    precondition: { readonly uid: string; readonly resourceVersion: string },
  ): Promise<void> {
    await this.#write('delete', ref);
    this.#precondition(ref, precondition.resourceVersion);
    const standing = this.standing(ref) ?? {};
    const finalizers = at(standing, 'metadata', 'finalizers');
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    if (isArray(finalizers) && finalizers.length > 0)
      this.put(ref, {
        ...standing,
        metadata: { ...Object(standing['metadata']), deletionTimestamp },
      });
    else this.remove(ref, `/${ref.name}`);
  }

  async replaceStatus(): Promise<JsonObject> {
    throw new Error('not expected');
  }

  async patchLabels(): Promise<JsonObject> {
    throw new Error('not expected');
  }

  standing({ name, ...resource }: ObjectRef): JsonObject | undefined {
    return this.objects(resource).get(`/${name}`);
  }

  #precondition(ref: ObjectRef, resourceVersion: string): void {
    const standing = this.standing(ref);
    if (standing === undefined) throw new ApiNotFoundError('write', 'gone');
    if (metadataText(standing, 'resourceVersion') !== resourceVersion)
      throw new ApiConflictError('write', 'it has changed');
  }
}

interface BenchOptions {
  /** The WECs that are known by name. */
  readonly clusters?: readonly string[];
  /** Where the ManagedClusters are, if not in the WDS. */
  readonly inventory?: FakeCluster;
}

/** A WDS as a resolver has it: written directly, and read together with others. */
export function followedWds(wds: FakeWds, { api }: OneFollower): ObjectApi & ResourceApi {
  return {
    get: (ref) => wds.get(ref),
    create: (ref, object) => wds.create(ref, object),
    replace: (ref, object) => wds.replace(ref, object),
    replaceStatus: () => wds.replaceStatus(),
    patchLabels: () => wds.patchLabels(),
    delete: (ref, precondition) => wds.delete(ref, precondition),
    ...api,
  };
}

/** A WDS in memory, and resolvers on it in virtual time. */
export class ResolverBench {
  readonly wds = new FakeWds();
  readonly time = new VirtualTime();
  /** What was logged, with the Binding's name. */
  readonly log: string[] = [];
  /** What the resolver waited for, one after the other. */
  readonly waits: (string | undefined)[] = [];
  #running: RunningResolver[] = [];
  #follower: OneFollower | undefined;

  constructor() {
    for (const resource of [POLICIES, BINDINGS, NAMESPACES, CONFIG_MAPS, DEPLOYMENTS])
      this.wds.serve(resource);
  }

  /** Starts a resolver; in the WDS's own time of rest. */
  async start(options: BenchOptions = {}): Promise<RunningResolver> {
    const note = (message: string, fields: Readonly<Record<string, unknown>>): void => {
      this.log.push(`${String(fields['name'])}: ${message} ${String(fields['reason'] ?? '')}`);
    };
    const { clock: now, sleep } = this.time;
    this.#follower ??= oneFollower({ api: this.wds, now, sleep });
    const resolver = startBindingResolver({
      wds: followedWds(this.wds, this.#follower),
      clusters: ['edge1', 'edge2'],
      ...options,
      clock: this.time.clock,
      sleep: this.time.sleep,
      random: () => 0.5,
      logger: { info: note, warn: note },
      onState: (waitsFor) => this.waits.push(waitsFor),
    });
    this.#running.push(resolver);
    await this.pass();
    return resolver;
  }

  /** Lets so much time pass; by default enough for what can be done at once. */
  async pass(ms = 1000): Promise<void> {
    await this.time.advance(ms);
  }

  /** Stops all resolvers. */
  async stop(): Promise<void> {
    await Promise.all(this.#running.map((resolver) => resolver.stop()));
    this.#running = [];
    await this.#follower?.stop();
    this.#follower = undefined;
  }

  /** Creates or changes an object. */
  put(resource: ResourceInfo, name: string, members: JsonObject = {}): void {
    this.wds.put(resource, objectOf(resource, name, members));
  }

  remove(resource: ResourceInfo, name: string): void {
    this.wds.remove(resource, `${resource.namespaced ? 'shop' : ''}/${name}`);
  }

  /** A policy for all clusters, with one clause. */
  policy(name: string, clause: JsonObject, members: JsonObject = {}): void {
    const spec = { clusterSelectors: [{}], downsync: [clause] };
    this.put(POLICIES, name, { spec, ...members });
  }

  binding(name: string): JsonObject | undefined {
    return this.wds.objects(BINDINGS).get(`/${name}`);
  }

  /** The WECs and the objects that a Binding names: `edge1 edge2: configmaps/one`; `undefined` where there is none. */
  says(name: string): string | undefined {
    const spec = member(this.binding(name), 'spec');
    if (spec === undefined) return undefined;
    const texts = (
      value: JsonValue | undefined,
      ...fields: readonly string[]
    ): readonly string[] =>
      isArray(value)
        ? value.map((entry) => fields.map((field) => String(member(entry, field))).join('/'))
        : [];
    const objects = [
      ...texts(at(spec, 'workload', 'clusterScope'), 'resource', 'name'),
      ...texts(at(spec, 'workload', 'namespaceScope'), 'resource', 'name'),
    ];
    return `${texts(member(spec, 'destinations'), 'clusterId').join(' ')}: ${objects.join(' ')}`;
  }

  /** The writes since this was last asked. */
  takeWrites(): readonly string[] {
    return this.wds.writes.splice(0);
  }
}
