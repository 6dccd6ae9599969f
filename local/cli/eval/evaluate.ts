import { bindingTarget } from '#functions/write-results/binding-target.ts';
import { collectorTarget } from '#functions/write-results/collector-target.ts';
import { writeCombinedStatus } from '#functions/write-results/combined-status.ts';
import type { Target } from '#functions/write-results/target.ts';
import { writeWorkloadObject } from '#functions/write-results/workload-object.ts';
import { type GivenObject, uidIn, uidOf } from '#local/cli/input/given-objects.ts';
import { type GivenWorkload, givenWorkloads } from '#local/cli/input/given-workload.ts';
import { givenSilence, type SilentBeyond, silentClusters } from '#local/cli/input/silent-wecs.ts';
import type { WdsInput } from '#local/cli/input/wds-input.ts';
import type { WecReports } from '#local/cli/input/wec-reports.ts';
import { labelledSubject, strayCombinedStatus } from '#shared/core/collector/labelled-subject.ts';
import { type DesiredState, desiredState } from '#shared/core/desired/desired-state.ts';
import { readMembership, type WdsMemberships } from '#shared/core/desired/membership.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { combinedStatusRef, controlRef } from '#shared/core/kubestellar.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';
import { crdSchema, unknownSchema } from '#shared/core/schema/crd-schema.ts';
import { definitionName } from '#shared/core/schema/definition-name.ts';
import { schemaUses } from '#shared/core/schema/schema-errors.ts';
import type { Subject } from '#shared/core/subject.ts';
import { managedInventory, type WecInventory } from '#shared/core/wec-inventory.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';
import { BINDING_RESULT } from '#shared/state/contents.ts';
import type { Applied } from '#shared/state/head.ts';
import { ownedCombinedStatus } from '#shared/state/owned-hashes.ts';
import { type EvaluatedFleet, evaluateFleet, type FleetInput } from './evaluate-fleet.ts';
import { MemoryWds } from './memory-wds.ts';
import { writeDeps } from './without-state.ts';

function sortKey(object: JsonObject): readonly string[] {
  const apiVersion = String(object['apiVersion']);
  return [
    apiGroup(apiVersion),
    String(object['kind']),
    String(at(object, 'metadata', 'namespace') ?? ''),
    String(at(object, 'metadata', 'name')),
  ];
}

/** Orders objects by group, kind, namespace and name. */
function byIdentity(a: JsonObject, b: JsonObject): number {
  const others = sortKey(b);
  for (const [index, text] of sortKey(a).entries()) {
    const other = others[index] ?? '';
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}

function keyOf({ group, version, resource }: ApiResource): string {
  return `${group}/${version}/${resource}`;
}

/**
 * The schemas against which the collectors of Bindings are checked: those of Kubernetes, and of the
 * CustomResourceDefinitions among the given objects. Those of Kubernetes are read only if a collector uses `obj`.
 */
async function givenSchemas(
  schemas: SchemaSource,
  { definitions }: WdsInput,
  { bindings, collectors }: WdsMemberships,
): Promise<(resource: ApiResource) => KindSchema> {
  const byKey = new Map<string, KindSchema>();
  for (const { spec } of bindings)
    for (const { resource } of schemaUses(spec.objects, collectors)) {
      const schema = await schemas.find(resource);
      if (schema !== undefined) byKey.set(keyOf(resource), schema);
    }
  return (resource) => {
    const { name } = definitionName(resource);
    const definition = definitions.find((one) => at(one, 'metadata', 'name') === name);
    return byKey.get(keyOf(resource)) ?? crdSchema(definition, resource) ?? unknownSchema(resource);
  };
}

/** The input of an evaluation. */
export interface Evaluation {
  readonly input: WdsInput;
  readonly reports: WecReports;
  /** The objects in Fleet's downstream clusters, by `<namespace>/<name>` of the Cluster. */
  readonly downstream: FleetInput['downstream'];
  /** Schemas of the built-in kinds of Kubernetes. */
  readonly schemas: SchemaSource;
  /** Name of the WDS. */
  readonly wds: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A given Binding, with the UID that is part of the names of its CombinedStatuses. */
type GivenBinding = GivenObject & { readonly uid: string };

/** The result of an evaluation. */
export interface Evaluated {
  readonly membership: WdsMemberships<GivenBinding>;
  readonly workloads: readonly GivenWorkload[];
  readonly silentBeyond: SilentBeyond;
  /**
   * The resulting state of every object of the WDS of which Starfold owns something, by group, kind, namespace and
   * name.
   */
  readonly objects: readonly JsonObject[];
  /** Fleet's objects, and notices about downstream objects. */
  readonly fleet: EvaluatedFleet;
  /** What was left out because of its size, and of which objects, as texts. */
  readonly dropped: readonly string[];
  /** CombinedStatuses that are deleted although their labels name no workload object. */
  readonly unplaced: readonly GivenObject[];
}

const NOTHING_APPLIED: Applied = {
  revision: 0,
  hash: '',
  owned: {},
  errorBindings: [],
  reported: [],
};

async function write<Seen>(target: Target<Seen>): Promise<void> {
  await target.write(await target.read());
}

function standingWds(input: WdsInput, workloads: readonly GivenWorkload[]): MemoryWds {
  const wds = new MemoryWds();
  for (const { ref, object } of workloads) wds.put({ ...ref, version: '' }, object);
  for (const { namespace, name, object } of input.combinedStatuses)
    wds.put(combinedStatusRef(namespace, name), object);
  for (const [resource, objects] of [
    ['bindings', input.bindings],
    ['bindingpolicies', input.policies],
    ['statuscollectors', input.collectors],
  ] as const)
    for (const { name, object } of objects) wds.put(controlRef(resource, name), object);
  return wds;
}

/** Writes with the writer's own code to a WDS in memory. */
class Writer {
  readonly #evaluation: Evaluation;
  readonly #workloads: readonly GivenWorkload[];
  readonly #api: MemoryWds;

  constructor(evaluation: Evaluation, workloads: readonly GivenWorkload[]) {
    this.#evaluation = evaluation;
    this.#workloads = workloads;
    this.#api = standingWds(evaluation.input, workloads);
  }

  async write({ workloads, bindings, collectors }: DesiredState) {
    const wanted = new Set<string>();
    for (const [index, { ref, object }] of this.#workloads.entries()) {
      // There is a result for each workload object.
      const { desired } = workloads[index] as DesiredState['workloads'][number];
      const context = this.#context(ref);
      const version = { ...ref, version: desired.version };
      await writeWorkloadObject(context, { ref: version, object, desired, want: '' });
      for (const one of desired.combinedStatuses) {
        wanted.add(`${one.namespace}/${one.name}`);
        await this.#writeSlot(ref, combinedStatusRef(one.namespace, one.name), one.object);
      }
    }
    const unplaced = await this.#removeStrays(wanted);
    const { wds } = this.#evaluation;
    for (const [name, desired] of collectors)
      await write(collectorTarget(this.#assignment({ type: 'collector', wds, name }, desired)));
    for (const [name, desired] of bindings)
      await write(
        bindingTarget(
          this.#assignment({ type: 'binding', wds, name }, BINDING_RESULT.encode(desired)),
        ),
      );
    return { objects: this.#api.objects(), unplaced };
  }

  #assignment<S extends Subject>(subject: S, desired: JsonValue) {
    const deps = writeDeps(this.#api, this.#evaluation.nowMs);
    return { deps, subject, desired, applied: NOTHING_APPLIED, objects: [] };
  }

  #context(workload: WorkloadRef) {
    const { wds, nowMs } = this.#evaluation;
    const subject = { type: 'workload', workload } as const;
    const deps = writeDeps(this.#api, nowMs);
    return { deps, api: this.#api, applied: NOTHING_APPLIED, wds, subject };
  }

  async #writeSlot(workload: WorkloadRef, ref: ObjectRef, wanted?: JsonObject): Promise<void> {
    const current = await this.#api.get(ref);
    await writeCombinedStatus(this.#context(workload), {
      ownedName: ownedCombinedStatus(ref.namespace, ref.name),
      ref,
      ...(wanted === undefined ? {} : { wanted }),
      ...(current === undefined ? {} : { current }),
    });
  }

  /** Removes the CombinedStatuses that are not wanted. Returns those of them whose labels name no workload object. */
  async #removeStrays(wanted: ReadonlySet<string>): Promise<readonly GivenObject[]> {
    const { input, wds } = this.#evaluation;
    const unplaced: GivenObject[] = [];
    for (const given of input.combinedStatuses) {
      const { namespace, name, object } = given;
      if (wanted.has(`${namespace}/${name}`)) continue;
      const labelled = labelledSubject(wds, object);
      if (labelled === undefined) unplaced.push(given);
      const { workload } = labelled ?? strayCombinedStatus({ wds, namespace, name });
      await this.#writeSlot(workload, combinedStatusRef(namespace, name));
    }
    return unplaced;
  }
}

function evaluatedFleet({ input, downstream, nowMs }: Evaluation): EvaluatedFleet {
  const jobs = input.workloads.filter(({ group, kind }) => group === 'batch' && kind === 'Job');
  return evaluateFleet({ objects: input.fleet, jobs, downstream, nowMs });
}

/** What is known of the WECs in the given ManagedClusters, by name. */
export function inventoryOf({ clusters }: WdsInput): ReadonlyMap<string, WecInventory> {
  return new Map(clusters.map(({ name, object }) => [name, managedInventory(object).inventory]));
}

/** The content that Starfold would write to a WDS, computed only from the given objects. */
export async function evaluate(evaluation: Evaluation): Promise<Evaluated> {
  const { input, reports, schemas, wds, nowMs } = evaluation;
  const control = {
    bindings: input.bindings.map((given) => ({ ...given, uid: uidOf(given) })),
    policies: input.policies.map((given) => ({ ...given, uid: uidIn(given) ?? '' })),
    collectors: input.collectors,
  };
  const membership = readMembership(control);
  const workloads = givenWorkloads(input, reports, wds);
  const silentBeyond = silentClusters(input, nowMs);
  const state = desiredState({
    ...control,
    ...{ wds, membership, workloads },
    ...givenSilence(input, reports, silentBeyond),
    inventory: inventoryOf(input),
    schemaOf: await givenSchemas(schemas, input, membership),
  });
  const { objects, unplaced } = await new Writer(evaluation, workloads).write(state);
  const fleet = evaluatedFleet(evaluation);
  return {
    membership,
    workloads,
    silentBeyond,
    objects: [...objects, ...fleet.objects].sort(byIdentity),
    fleet,
    dropped: state.workloads.flatMap(({ dropped }, index) =>
      dropped.map((text) => `${workloads[index]?.given.location}, ${text}`),
    ),
    unplaced,
  };
}
