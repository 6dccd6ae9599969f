import type { Membership } from '#shared/core/desired/membership.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import { at } from '#shared/core/json.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';
import { crdSchema, unknownSchema } from '#shared/core/schema/crd-schema.ts';
import { definitionName } from '#shared/core/schema/definition-name.ts';
import { schemaUses } from '#shared/core/schema/schema-errors.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';
import type { WdsInput } from './wds-input.ts';

function keyOf({ group, version, resource }: ApiResource): string {
  return `${group}/${version}/${resource}`;
}

/**
 * The schemas against which the collectors of Bindings are checked: those of Kubernetes, and of the
 * CustomResourceDefinitions among the given objects. Those of Kubernetes are read where a collector asks for `obj` alone.
 */
export async function givenSchemas(
  schemas: SchemaSource,
  { definitions }: WdsInput,
  { bindings, collectors }: Membership,
): Promise<(resource: ApiResource) => KindSchema> {
  const known = new Map<string, KindSchema>();
  for (const { spec } of bindings)
    for (const { resource } of schemaUses(spec.objects, collectors)) {
      const schema = await schemas.find(resource);
      if (schema !== undefined) known.set(keyOf(resource), schema);
    }
  return (resource) => {
    const { name } = definitionName(resource);
    const definition = definitions.find((one) => at(one, 'metadata', 'name') === name);
    return known.get(keyOf(resource)) ?? crdSchema(definition, resource) ?? unknownSchema(resource);
  };
}
