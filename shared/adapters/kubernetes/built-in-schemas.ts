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
import { OBJECT_META } from '#shared/core/schema/object-meta.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';

/** A field of a generated model of `@kubernetes/client-node`. */
interface Attribute {
  /** The name in JSON. */
  readonly baseName: string;
  /** A type of TypeScript: `string`, `V1PodSpec`, `Array<V1Container>`, `{ [key: string]: string; }`. */
  readonly type: string;
}

const ARRAY = /^Array<(.+)>$/;
const MAP = /^\{ \[key: string\]: (.+); \}$/;
const MODEL = /^[A-Z]\w*$/;

/** Times are written as text, and `V1MicroTime` has no model. What is not here and no model is dyn: `any`, `IntOrString`. */
const TYPES: ReadonlyMap<string, StaticType> = new Map<string, StaticType>([
  ['string', STRING],
  ['boolean', BOOL],
  ['number', NUMBER],
  ['Date', STRING],
  ['V1MicroTime', STRING],
  ['IntOrString', DYN],
  ['V1ObjectMeta', OBJECT_META],
]);

/** The models call quantities strings; in a file they may be numbers. Fields that are, or may be, quantities. */
const QUANTITIES: ReadonlySet<string> = new Set([
  ...['averageValue', 'capacity', 'default', 'divisor', 'max', 'maximumVolumeSize', 'min'],
  ...['quantity', 'sizeLimit', 'step', 'tolerance', 'validValues', 'value'],
]);
/** Maps of strings that are no quantities. */
const TEXT_MAPS: ReadonlySet<string> = new Set([
  ...['annotations', 'binaryData', 'data', 'labels', 'matchLabels', 'nodeSelector', 'selector'],
  ...['stringData'],
]);

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** The fields of a model; `undefined` when the library has no such model, or is not there. */
async function attributesOf(model: string): Promise<readonly Attribute[] | undefined> {
  try {
    const module = await import(`@kubernetes/client-node/dist/gen/models/${model}.js`);
    return module[model]?.attributeTypeMap;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The types of one kind's models, each loaded once; they may lead back to themselves. */
class Models {
  readonly #types = new Map<string, StaticType>();

  async type(name: string): Promise<StaticType> {
    const known = TYPES.get(name) ?? this.#types.get(name);
    if (known !== undefined) return known;
    const [, element] = ARRAY.exec(name) ?? [];
    if (element !== undefined) return listOf(await this.type(element));
    const [, value] = MAP.exec(name) ?? [];
    if (value !== undefined) return mapOf(STRING, await this.type(value));
    return MODEL.test(name) ? ((await this.model(name)) ?? DYN) : DYN;
  }

  /** @param leftOut a field that is not looked into */
  async model(name: string, leftOut?: string): Promise<ObjectType | undefined> {
    const attributes = await attributesOf(name);
    // Of a model without fields nothing is said.
    if (attributes === undefined || attributes.length === 0) return undefined;
    const fields = new Map<string, StaticType>();
    const type = objectOf(fields);
    this.#types.set(name, type);
    for (const attribute of attributes)
      if (attribute.baseName !== leftOut)
        fields.set(attribute.baseName, await this.#attribute(attribute));
    return type;
  }

  async #attribute({ baseName, type }: Attribute): Promise<StaticType> {
    const isTextMap = MAP.exec(type)?.[1] === 'string';
    if (isTextMap && !TEXT_MAPS.has(baseName)) return mapOf(STRING, DYN);
    const isText = type === 'string' || type === 'Array<string>';
    if (isText && QUANTITIES.has(baseName)) return DYN;
    return this.type(type);
  }
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Models whose name would be taken twice begin with the group: `EventsV1Event`. */
function modelNames({ group, version }: ApiResource, kind: string): readonly string[] {
  const name = capitalized(version) + kind;
  const [first = ''] = group.split('.');
  return [`${capitalized(first === '' ? 'core' : first)}${name}`, name];
}

async function load(resource: ApiResource): Promise<KindSchema | undefined> {
  const kind = builtInKind(resource);
  if (kind === undefined) return undefined;
  for (const name of modelNames(resource, kind)) {
    // `obj` has no status.
    const obj = await new Models().model(name, 'status');
    if (obj !== undefined) return { kind, obj };
  }
  return undefined;
}

/**
 * The schemas of the kinds that come with Kubernetes, from the models of `@kubernetes/client-node`, each file loaded when
 * it is first asked for. What the models do not say exactly is dyn: quantities, int-or-string, free JSON.
 */
export function createBuiltInSchemas(): SchemaSource {
  const loaded = new Map<string, Promise<KindSchema | undefined>>();
  return {
    find(resource) {
      const key = `${resource.group}/${resource.version}/${resource.resource}`;
      // Not to be kept for every resource that somebody names: there are as many as users like.
      if (builtInKind(resource) === undefined) return Promise.resolve(undefined);
      const known = loaded.get(key);
      if (known !== undefined) return known;
      const schema = load(resource);
      loaded.set(key, schema);
      // What failed is tried again the next time.
      schema.catch(() => loaded.delete(key));
      return schema;
    },
  };
}
