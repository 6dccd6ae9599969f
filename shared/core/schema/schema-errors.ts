import type { BoundObject } from '#shared/core/binding/binding.ts';
import { collectorPrograms } from '#shared/core/collector/collector-programs.ts';
import { type CompiledCollector, mentions } from '#shared/core/collector/compiled-collector.ts';
import { checkObject } from '#shared/core/expression/check-object.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import { type ApiResource, builtInKind, isClusterScoped } from './built-in-kinds.ts';
import { intendedResource } from './intended-resource.ts';
import {
  errorIn,
  misspeltResource,
  moreCollectorErrors,
  namespaceForbidden,
  namespaceMissing,
} from './messages.ts';

/** The collectors that a Binding names for objects of one resource, if a schema describes what they may read. */
export interface SchemaUse {
  readonly resource: ApiResource;
  /** The collectors by name, sorted. */
  readonly collectors: readonly (readonly [name: string, CompiledCollector])[];
}

/** The maximum number of errors that are listed for a Binding. The number of the others is added. */
const MAX_ERRORS = 100;
/** The longest text of an error, in UTF-16 units. */
const MAX_TEXT = 500;

/**
 * Returns the schemas that the collectors of a Binding are checked against. There is an entry for each resource of its objects,
 * in their order, with the valid collectors that read `obj`, or what WECs return.
 * Resources without such collectors are left out.
 */
export function schemaUses(
  objects: readonly BoundObject[],
  collectors: ReadonlyMap<string, CompiledCollector>,
): readonly SchemaUse[] {
  const uses = new Map<string, { resource: ApiResource; names: Set<string> }>();
  for (const { group, version, resource, modulation } of objects) {
    const key = `${group}/${version}/${resource}`;
    const use = uses.get(key) ?? { resource: { group, version, resource }, names: new Set() };
    uses.set(key, use);
    for (const name of modulation.statusCollectors) use.names.add(name);
  }
  return [...uses.values()]
    .map(({ resource, names }) => {
      const used = [...collectors].filter(
        ([name, collector]) =>
          names.has(name) && (mentions(collector, 'obj') || mentions(collector, 'returned')),
      );
      return { resource, collectors: used.sort(([a], [b]) => (a < b ? -1 : 1)) };
    })
    .filter((use) => use.collectors.length > 0);
}

/** Returns the errors of a collector's use of `obj` and `returned` for one kind: field, position, fault. */
export function collectorSchemaErrors(
  collector: CompiledCollector,
  schema: KindSchema,
): readonly string[] {
  return collectorPrograms(collector).flatMap(({ path, program }) =>
    checkObject(program, schema).map((error) => errorIn(path, error)),
  );
}

function resourceText({ group, version, resource }: ApiResource): string {
  return `${resource} of ${group === '' ? version : `${group}/${version}`}`;
}

/** The error of an object whose resource Kubernetes does not have, or has in the other scope. */
function resourceError(object: BoundObject): string | undefined {
  const text = resourceText(object);
  const intended = intendedResource(object);
  if (intended !== undefined) {
    const group = intended.group === '' && object.group !== '' ? ', group ""' : '';
    return misspeltResource(text, `${resourceText(intended)}${group}`);
  }
  const kind = builtInKind(object);
  const isInNone = object.namespace === '';
  if (kind === undefined || isClusterScoped(kind) === isInNone) return undefined;
  return isInNone ? namespaceMissing(text) : namespaceForbidden(text);
}

/**
 * Returns the errors of the resources of a Binding: a resource that Kubernetes does not have, with the resource that was probably
 * meant, and a resource that is in the wrong scope. The result has the texts for `status.errors`, each once. Such an object still
 * counts, because a later release may have a resource of that name.
 */
export function resourceErrors(objects: readonly BoundObject[]): readonly string[] {
  // A Binding may name thousands of objects of few resources.
  const named = new Map(
    objects.map((object) => [`${resourceText(object)} ${object.namespace === ''}`, object]),
  );
  const errors = [...named.values()].flatMap((object) => resourceError(object) ?? []);
  return errors.map(shortened).slice(0, MAX_ERRORS);
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/**
 * Returns the errors of the expressions of a Binding's collectors for the kinds of its objects (docs/architecture.md, section
 * 9.15). The result has the texts for `status.errors`, each once, at most 100 and the number of the others.
 *
 * @param uses each with the schema of its resource
 * @param check {@link collectorSchemaErrors}, or a function that caches its results
 */
export function bindingSchemaErrors(
  uses: readonly { readonly use: SchemaUse; readonly schema: KindSchema }[],
  check = collectorSchemaErrors,
): readonly string[] {
  const found = uses.flatMap(({ use, schema }) =>
    use.collectors.flatMap(([name, collector]) =>
      check(collector, schema).map((error) => shortened(`StatusCollector ${name}, ${error}`)),
    ),
  );
  const errors = [...new Set(found)];
  if (errors.length <= MAX_ERRORS) return errors;
  const others = errors.length - MAX_ERRORS;
  return [...errors.slice(0, MAX_ERRORS), moreCollectorErrors(others)];
}
