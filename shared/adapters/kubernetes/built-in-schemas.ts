import type { KindSchema } from '#shared/core/expression/object-field.ts';
import {
  BOOL,
  DYN,
  listOf,
  mapOf,
  NUMBER,
  type ObjectType,
  objectOf,
  STRING,
  type StaticType,
} from '#shared/core/expression/static-type.ts';
import { type ApiResource, builtInKind } from '#shared/core/schema/built-in-kinds.ts';
import { OBJECT_META, returnedType } from '#shared/core/schema/object-meta.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';
import { type KindModels, loadKindModels, modelNames } from './kind-models.ts';

const ARRAY = /^Array<(.+)>$/;
const MAP = /^\{ \[key: string\]: (.+); \}$/;

/** Times are texts. `V1MicroTime` has no model. A type that is neither in this map nor a model is dyn: `any`, `IntOrString`. */
const TYPES: ReadonlyMap<string, StaticType> = new Map<string, StaticType>([
  ['string', STRING],
  ['boolean', BOOL],
  ['number', NUMBER],
  ['Date', STRING],
  ['V1MicroTime', STRING],
  ['IntOrString', DYN],
  ['V1ObjectMeta', OBJECT_META],
]);

/** Fields that are quantities, or may be. The models call quantities strings, but in a file they may be numbers. */
const QUANTITIES: ReadonlySet<string> = new Set([
  ...['averageValue', 'capacity', 'default', 'divisor', 'max', 'maximumVolumeSize', 'min'],
  ...['quantity', 'sizeLimit', 'step', 'tolerance', 'validValues', 'value'],
]);
/** Maps of strings that are not quantities. */
const TEXT_MAPS: ReadonlySet<string> = new Set([
  ...['annotations', 'binaryData', 'data', 'labels', 'matchLabels', 'nodeSelector', 'selector'],
  ...['stringData'],
]);

/** The types of one kind's models. Each type is created once, and types may be recursive. */
class ModelTypes {
  readonly #models: KindModels;
  readonly #types = new Map<string, StaticType>();

  constructor(models: KindModels) {
    this.#models = models;
  }

  /** @param leftOut a field to leave out */
  model(name: string, leftOut?: string): ObjectType | undefined {
    const model = this.#models[name];
    if (model === undefined) return undefined;
    const fields = new Map<string, StaticType>();
    const type = objectOf(fields);
    this.#types.set(name, type);
    for (const [field, text] of Object.entries(model))
      if (field !== leftOut) fields.set(field, this.#field(field, text));
    return type;
  }

  #field(name: string, type: string): StaticType {
    const isTextMap = MAP.exec(type)?.[1] === 'string';
    if (isTextMap && !TEXT_MAPS.has(name)) return mapOf(STRING, DYN);
    const isText = type === 'string' || type === 'Array<string>';
    if (isText && QUANTITIES.has(name)) return DYN;
    return this.#type(type);
  }

  #type(name: string): StaticType {
    const existing = TYPES.get(name) ?? this.#types.get(name);
    if (existing !== undefined) return existing;
    const [, element] = ARRAY.exec(name) ?? [];
    if (element !== undefined) return listOf(this.#type(element));
    const [, value] = MAP.exec(name) ?? [];
    if (value !== undefined) return mapOf(STRING, this.#type(value));
    return this.model(name) ?? DYN;
  }
}

async function load(resource: ApiResource, kind: string): Promise<KindSchema | undefined> {
  const models = await loadKindModels();
  for (const name of modelNames(resource, kind)) {
    // `obj` has no status.
    const obj = new ModelTypes(models).model(name, 'status');
    if (obj === undefined) continue;
    const status = models[name]?.['status'];
    const type = status === undefined ? undefined : new ModelTypes(models).model(status);
    if (type === undefined) return { kind, obj };
    const returned = returnedType({ status: type, spec: obj.fields.get('spec') });
    return { kind, obj, returned };
  }
  return undefined;
}

/**
 * The schemas of the kinds that come with Kubernetes, from the models of `@kubernetes/client-node`. Each schema is created at
 * its first use. A type that the models do not describe exactly is dyn: quantities, int-or-string, free JSON.
 */
export function createBuiltInSchemas(): SchemaSource {
  const loaded = new Map<string, Promise<KindSchema | undefined>>();
  return {
    find(resource) {
      const kind = builtInKind(resource);
      // Not cached, because users may name any number of such resources.
      if (kind === undefined) return Promise.resolve(undefined);
      const key = `${resource.group}/${resource.version}/${resource.resource}`;
      const schema = loaded.get(key) ?? load(resource, kind);
      loaded.set(key, schema);
      return schema;
    },
  };
}
