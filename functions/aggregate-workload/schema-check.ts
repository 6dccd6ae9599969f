import { LRUCache } from 'lru-cache';
import type { BoundObject } from '#shared/core/binding/binding.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';
import { crdSchema, unknownSchema } from '#shared/core/schema/crd-schema.ts';
import { definitionName, isDefinition } from '#shared/core/schema/definition-name.ts';
import {
  bindingSchemaErrors,
  collectorSchemaErrors,
  schemaUses,
} from '#shared/core/schema/schema-errors.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { RANGE, SORT } from '#shared/state/keys.ts';
import { type Observed, readObserved } from '#shared/state/observed.ts';
import type { AggregateDeps } from './deps.ts';
import { indexBinding } from './index-binding.ts';
import { notifyBindings } from './notify-bindings.ts';

type BindingSubject = Extract<Subject, { type: 'binding' }>;

const definedSchemas = new LRUCache<string, KindSchema>({ max: 200 });
const found = new WeakMap<KindSchema, WeakMap<CompiledCollector, readonly string[]>>();

/** {@link collectorSchemaErrors}, once for a collector's content and a schema's. */
function checkOnce(collector: CompiledCollector, schema: KindSchema): readonly string[] {
  const byCollector = found.get(schema) ?? new WeakMap<CompiledCollector, readonly string[]>();
  found.set(schema, byCollector);
  const errors = byCollector.get(collector) ?? collectorSchemaErrors(collector, schema);
  byCollector.set(collector, errors);
  return errors;
}

/** The schema in a stored CustomResourceDefinition. The same content gives the same schema object. */
function definedSchema(definition: Observed | undefined, resource: ApiResource): KindSchema {
  const key = `${definition?.contentHash} ${resource.group}/${resource.version}/${resource.resource}`;
  let schema = definedSchemas.get(key);
  if (schema === undefined) {
    schema = crdSchema(definition?.content, resource) ?? unknownSchema(resource);
    definedSchemas.set(key, schema);
  }
  return schema;
}

function definitionPartition(wds: string, resource: ApiResource): string {
  const workload = { wds, ...definitionName(resource) };
  return subjectPartition({ type: 'workload', workload });
}

/** The schemas of resources that are not built into Kubernetes. */
async function definedSchemasOf(
  deps: AggregateDeps,
  subject: BindingSubject,
  resources: readonly ApiResource[],
): Promise<readonly KindSchema[]> {
  const partitions = resources.map((resource) => definitionPartition(subject.wds, resource));
  const sk = `${RANGE.schema}${subject.name}`;
  await indexBinding(
    deps,
    [...new Set(partitions)].map((pk) => ({ pk, sk })),
  );
  const definitions = await readObserved(
    deps.store,
    partitions.map((pk) => ({ pk, sk: SORT.object })),
  );
  return resources.map((resource, index) => definedSchema(definitions[index], resource));
}

/**
 * Checks the fields of `obj` that the collectors of a Binding use against the schemas of the kinds of its objects
 * (docs/architecture.md, section 9.15). Loads nothing if no collector uses `obj`.
 */
export async function readSchemaErrors(
  deps: AggregateDeps,
  subject: BindingSubject,
  bound: {
    readonly objects: readonly BoundObject[];
    readonly collectors: ReadonlyMap<string, CompiledCollector>;
  },
): Promise<readonly string[]> {
  const uses = schemaUses(bound.objects, bound.collectors);
  const builtIn = await Promise.all(uses.map(({ resource }) => deps.schemas.find(resource)));
  const others = uses.filter((_use, index) => builtIn[index] === undefined);
  const resources = others.map(({ resource }) => resource);
  const defined = (await definedSchemasOf(deps, subject, resources)).values();
  const checked = uses.flatMap((use, index) => {
    const schema = builtIn[index] ?? defined.next().value;
    return schema === undefined ? [] : [{ use, schema }];
  });
  return bindingSchemaErrors(checked, checkOnce);
}

/** Notifies the Bindings that check collectors against a CustomResourceDefinition. Other objects have no such Bindings. */
export async function notifySchemaUsers(
  deps: AggregateDeps,
  workload: WorkloadRef,
  { contentVersion, change }: { readonly contentVersion: string; readonly change: ChangeTime },
): Promise<void> {
  if (!isDefinition(workload)) return;
  const pk = subjectPartition({ type: 'workload', workload });
  const users = { pk, prefix: RANGE.schema, wds: workload.wds, ...change };
  await notifyBindings(deps, users, `definition ${workload.name} ${contentVersion}`);
}
