import type { BoundObject } from '#shared/core/binding/binding.ts';
import { collectorPrograms } from '#shared/core/collector/collector-programs.ts';
import { type CompiledCollector, mentions } from '#shared/core/collector/compiled-collector.ts';
import { checkObject } from '#shared/core/expression/check-object.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import { type ApiResource, builtInKind, intendedResource } from './built-in-kinds.ts';

/** The collectors that a Binding names for objects of one resource, as far as a schema says what they may read. */
export interface SchemaUse {
  readonly resource: ApiResource;
  /** By name, sorted. */
  readonly collectors: readonly (readonly [name: string, CompiledCollector])[];
}

/** So many errors at most are listed for a Binding, and how many more there are. */
const MAX_ERRORS = 100;
/** The longest text of an error, in UTF-16 units. */
const MAX_TEXT = 500;

/**
 * Which schemas a Binding's collectors are checked against: for each resource of its objects, in their order, the valid
 * collectors that read `obj`, or what WECs return of a kind that comes with Kubernetes.
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
      const isBuiltIn = builtInKind(resource) !== undefined;
      const used = [...collectors].filter(
        ([name, collector]) =>
          names.has(name) &&
          (mentions(collector, 'obj') || (isBuiltIn && mentions(collector, 'returned'))),
      );
      return { resource, collectors: used.sort(([a], [b]) => (a < b ? -1 : 1)) };
    })
    .filter((use) => use.collectors.length > 0);
}

/** What is wrong with a collector's use of `obj` and `returned` for one kind: field, position, fault. */
export function collectorSchemaErrors(
  collector: CompiledCollector,
  schema: KindSchema,
): readonly string[] {
  return collectorPrograms(collector).flatMap(({ path, program }) =>
    checkObject(program, schema).map(
      ({ line, column, message }) => `${path}, line ${line}, column ${column}: ${message}`,
    ),
  );
}

function resourceText({ group, version, resource }: ApiResource): string {
  return `${resource} of ${group === '' ? version : `${group}/${version}`}`;
}

/**
 * The resources of a Binding that Kubernetes does not have, each with the one that was probably meant: texts for
 * `status.errors`, each once. Such an object counts all the same: a later release may have a resource of that name.
 */
export function resourceErrors(objects: readonly BoundObject[]): readonly string[] {
  const named = new Map(objects.map((object) => [resourceText(object), object]));
  const errors = [...named].flatMap(([text, object]) => {
    const intended = intendedResource(object);
    if (intended === undefined) return [];
    return [
      shortened(
        `spec.workload: Kubernetes has no ${text}; did you mean ${resourceText(intended)}?`,
      ),
    ];
  });
  return errors.slice(0, MAX_ERRORS);
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/**
 * What is wrong with the expressions of a Binding's collectors for the kinds of its objects (docs/architecture.md,
 * section 9.15): texts for `status.errors`, each once, at most 100 and the number of the others.
 *
 * @param uses each with the schema of its resource
 * @param check {@link collectorSchemaErrors}, or one that keeps what it found
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
  return [...errors.slice(0, MAX_ERRORS), `and ${others} more errors of StatusCollectors`];
}
