import { bindingTarget } from '#functions/write-results/binding-target.ts';
import { collectorTarget } from '#functions/write-results/collector-target.ts';
import {
  type CombinedStatusSlot,
  writeCombinedStatus,
} from '#functions/write-results/combined-status.ts';
import type { WriteDeps } from '#functions/write-results/deps.ts';
import type { Target } from '#functions/write-results/target.ts';
import { writeWorkloadObject } from '#functions/write-results/workload-object.ts';
import type { WriteContext } from '#functions/write-results/write-context.ts';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { refusedText } from '#shared/core/binding/oldest-bindings.ts';
import { type WorkloadError, workloadErrorTexts } from '#shared/core/binding/workload-errors.ts';
import { collectorStatus } from '#shared/core/collector/collector-status.ts';
import { labelledSubject, strayCombinedStatus } from '#shared/core/collector/labelled-subject.ts';
import { at, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { combinedStatusRef, controlRef } from '#shared/core/kubestellar.ts';
import type { Subject } from '#shared/core/subject.ts';
import {
  objectKey,
  parseWorkloadKey,
  type WorkloadRef,
  workloadKey,
  workloadTitle,
} from '#shared/core/workload.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';
import { combinedStatusFacet } from '#shared/state/facets.ts';
import type { Applied } from '#shared/state/head.ts';
import { type Membership, type ReadBinding, readMembership } from './bound-workloads.ts';
import { type EvaluatedFleet, evaluateFleet, type FleetInput } from './evaluate-fleet.ts';
import { foldWorkload, type ReportedWorkload } from './fold-workload.ts';
import type { GivenObject } from './given-objects.ts';
import { givenSchemaErrors } from './given-schema-errors.ts';
import { MemoryWds } from './memory-wds.ts';
import { byIdentity } from './object-order.ts';
import { silentWecs } from './silent-wecs.ts';
import type { WdsInput } from './wds-input.ts';
import type { WecReports } from './wec-reports.ts';
import { writeDeps } from './without-state.ts';

/** What is evaluated. */
export interface Evaluation {
  readonly input: WdsInput;
  readonly reports: WecReports;
  /** What stands in Fleet's downstream clusters, by `<namespace>/<name>` of the Cluster. */
  readonly downstream: FleetInput['downstream'];
  /** Schemas of the kinds that come with Kubernetes. */
  readonly schemas: SchemaSource;
  /** Name of the WDS. */
  readonly wds: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What would be. */
export interface Evaluated {
  readonly membership: Membership;
  readonly workloads: readonly ReportedWorkload[];
  /** Every object of the WDS that Starfold owns something of, as it would be, by group, kind, namespace and name. */
  readonly objects: readonly JsonObject[];
  /** Fleet's objects among them, and what is to be said of what stands downstream. */
  readonly fleet: EvaluatedFleet;
  /** What of which objects was left out for its size, in words. */
  readonly dropped: readonly string[];
  /** CombinedStatuses that go although they do not say whose they are. */
  readonly unplaced: readonly GivenObject[];
}

const NOTHING_APPLIED: Applied = {
  revision: 0,
  hash: '',
  facets: {},
  errorBindings: [],
  reported: [],
};

function workloadsOf({ input, reports, wds }: Evaluation): readonly ReportedWorkload[] {
  return input.workloads.map((given) => {
    const { group, kind, namespace, name } = given;
    const ref = { wds, group, resource: input.resourceOf(group, kind), namespace, name };
    return { given, ref, reports: reports.get(objectKey(ref)) ?? new Map() };
  });
}

async function write<Seen>(target: Target<Seen>): Promise<void> {
  await target.write(await target.read());
}

/** Writes with the writer's own code, to a WDS in memory. */
class Evaluator {
  readonly #evaluation: Evaluation;
  readonly #membership: Membership;
  readonly #wds = new MemoryWds();
  readonly #deps: WriteDeps;
  readonly #silent: ReadonlySet<string>;
  /** By Binding, then by workload object. */
  readonly #errors = new Map<string, Map<string, readonly WorkloadError[]>>();
  readonly #dropped: string[] = [];
  /** Those CombinedStatuses that shall exist. */
  readonly #wanted = new Set<string>();

  constructor(evaluation: Evaluation) {
    this.#evaluation = evaluation;
    this.#membership = readMembership(evaluation.input);
    this.#silent = silentWecs(evaluation.input.clusters, evaluation.nowMs);
    this.#deps = writeDeps(this.#wds, evaluation.nowMs);
  }

  async evaluate(): Promise<Evaluated> {
    const { input } = this.#evaluation;
    const workloads = workloadsOf(this.#evaluation);
    this.#load(workloads);
    this.#refuse();
    for (const workload of workloads) await this.#writeWorkload(workload);
    const unplaced = await this.#writeStrays();
    for (const collector of input.collectors) await this.#writeCollector(collector);
    for (const binding of this.#membership.bindings) await this.#writeBinding(binding);
    const fleet = this.#evaluateFleet();
    const objects = [...this.#wds.objects(), ...fleet.objects].sort(byIdentity);
    const made = { membership: this.#membership, dropped: this.#dropped };
    return { ...made, workloads, objects, fleet, unplaced };
  }

  #evaluateFleet(): EvaluatedFleet {
    const { input, downstream, nowMs } = this.#evaluation;
    const jobs = input.workloads.filter(({ group, kind }) => group === 'batch' && kind === 'Job');
    return evaluateFleet({ objects: input.fleet, jobs, downstream, nowMs });
  }

  #load(workloads: readonly ReportedWorkload[]): void {
    const { input } = this.#evaluation;
    for (const { ref, given } of workloads) this.#wds.put({ ...ref, version: '' }, given.object);
    for (const { namespace, name, object } of input.combinedStatuses)
      this.#wds.put(combinedStatusRef(namespace, name), object);
    for (const [resource, objects] of [
      ['bindings', input.bindings],
      ['bindingpolicies', input.policies],
      ['statuscollectors', input.collectors],
    ] as const)
      for (const { name, object } of objects) this.#wds.put(controlRef(resource, name), object);
  }

  #assignment<S extends Subject>(subject: S, desired: JsonValue) {
    return { deps: this.#deps, subject, desired, applied: NOTHING_APPLIED, objects: [] };
  }

  async #writeWorkload(workload: ReportedWorkload): Promise<void> {
    const { desired, bindingErrors, dropped } = foldWorkload(
      this.#membership,
      workload,
      this.#silent,
    );
    this.#dropped.push(...dropped.map((text) => `${workload.given.place}, ${text}`));
    for (const { namespace, name } of desired.combinedStatuses)
      this.#wanted.add(`${namespace}/${name}`);
    for (const [binding, errors] of bindingErrors) this.#addErrors(binding, workload.ref, errors);
    const context = this.#context(workload.ref);
    const { version } = desired;
    const ref = { ...workload.ref, version };
    await writeWorkloadObject(context, { ref, object: workload.given.object, desired, want: '' });
    for (const { namespace, name, object } of desired.combinedStatuses)
      await this.#writeSlot(context, combinedStatusRef(namespace, name), object);
    const title = workloadTitle(workload.ref);
    const refused = context.refusals.map((text) => `${title}: ${text}`);
    for (const binding of desired.bindings) this.#addErrors(binding, workload.ref, refused);
  }

  /** Tells the Bindings that do not count for an object, also for one that is not given. */
  #refuse(): void {
    const { wds } = this.#evaluation;
    for (const [key, refused] of this.#membership.refused)
      for (const binding of refused) {
        const ref = parseWorkloadKey(`${wds}/${key}`);
        this.#addErrors(binding, ref, [refusedText(ref)]);
      }
  }

  #addErrors(binding: string, ref: WorkloadRef, errors: readonly WorkloadError[]): void {
    const known = this.#errors.get(binding) ?? new Map<string, readonly WorkloadError[]>();
    const key = workloadKey(ref);
    this.#errors.set(binding, known.set(key, [...(known.get(key) ?? []), ...errors]));
  }

  #context(workload: WorkloadRef): WriteContext {
    const { wds } = this.#evaluation;
    const subject = { type: 'workload', workload } as const;
    const shared = { deps: this.#deps, api: this.#wds, applied: NOTHING_APPLIED };
    return { ...shared, wds, subject, refusals: [] };
  }

  async #writeSlot(context: WriteContext, ref: ObjectRef, wanted?: JsonObject): Promise<void> {
    const { namespace, name } = ref;
    const seen = await this.#wds.get(ref);
    const slot: CombinedStatusSlot = {
      facet: combinedStatusFacet(namespace, name),
      ref,
      ...(wanted === undefined ? {} : { wanted }),
      ...(seen === undefined ? {} : { seen }),
    };
    await writeCombinedStatus(context, slot);
  }

  /** Lets go what nobody wants; returns those CombinedStatuses that do not say whose they are. */
  async #writeStrays(): Promise<readonly GivenObject[]> {
    const { input, wds } = this.#evaluation;
    const unplaced: GivenObject[] = [];
    for (const given of input.combinedStatuses) {
      const { namespace, name, object } = given;
      if (this.#wanted.has(`${namespace}/${name}`)) continue;
      const ref = combinedStatusRef(namespace, name);
      const labelled = labelledSubject(wds, object);
      if (labelled === undefined) unplaced.push(given);
      const { workload } = labelled ?? strayCombinedStatus({ wds, namespace, name });
      await this.#writeSlot(this.#context(workload), ref);
    }
    return unplaced;
  }

  async #writeCollector({ name, object }: GivenObject): Promise<void> {
    const { wds } = this.#evaluation;
    const desired = collectorStatus(at(object, 'metadata', 'generation'), member(object, 'spec'));
    await write(collectorTarget(this.#assignment({ type: 'collector', wds, name }, desired)));
  }

  async #writeBinding({ given, spec }: ReadBinding): Promise<void> {
    const { wds, input, schemas } = this.#evaluation;
    const { collectors } = this.#membership;
    const { objects } = spec;
    const schemaErrors = await givenSchemaErrors(schemas, input, { objects, collectors });
    const named = new Set(spec.objects.flatMap(({ modulation }) => modulation.statusCollectors));
    const byWorkload = [...(this.#errors.get(given.name) ?? [])].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const entries = byWorkload.map(([workload, errors]) => ({ workload, errors }));
    const policy = input.policies.find(({ name }) => name === given.name);
    const desired = {
      policyErrors: policy === undefined ? [] : parseBindingPolicy(policy.object).errors,
      missingCollectors: [...named].filter((name) => !collectors.has(name)).sort(),
      errors: [...spec.errors, ...schemaErrors, ...workloadErrorTexts(entries)],
    };
    const subject = { type: 'binding', wds, name: given.name } as const;
    await write(bindingTarget(this.#assignment(subject, desired)));
  }
}

/** What Starfold would make of a WDS, from nothing but what is given. */
export function evaluate(evaluation: Evaluation): Promise<Evaluated> {
  return new Evaluator(evaluation).evaluate();
}
