import type { BoundObject } from '#shared/core/binding/binding.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import { at } from '#shared/core/json.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';
import { crdSchema, unknownSchema } from '#shared/core/schema/crd-schema.ts';
import { definitionName } from '#shared/core/schema/definition-name.ts';
import { bindingSchemaErrors, schemaUses } from '#shared/core/schema/schema-errors.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';
import type { WdsInput } from './wds-input.ts';

function givenSchema(input: WdsInput, resource: ApiResource): KindSchema {
  const { name } = definitionName(resource);
  const definition = input.definitions.find((one) => at(one, 'metadata', 'name') === name);
  return crdSchema(definition, resource) ?? unknownSchema(resource);
}

/**
 * What a Binding's collectors ask of `obj` against the schemas of its objects' kinds: those of Kubernetes, and of the
 * CustomResourceDefinitions among the given objects.
 */
export async function givenSchemaErrors(
  schemas: SchemaSource,
  input: WdsInput,
  bound: {
    readonly objects: readonly BoundObject[];
    readonly collectors: ReadonlyMap<string, CompiledCollector>;
  },
): Promise<readonly string[]> {
  const uses = schemaUses(bound.objects, bound.collectors);
  const checked = await Promise.all(
    uses.map(async (use) => ({
      use,
      schema: (await schemas.find(use.resource)) ?? givenSchema(input, use.resource),
    })),
  );
  return bindingSchemaErrors(checked);
}
