import { type KindModels, modelNames } from '#shared/adapters/kubernetes/kind-models.ts';
import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { GIT_VERSION } from './discovery.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { apiVersionOf, type ResourceDefinition } from './resources.ts';

const INFO = { title: 'Starfold simulated cluster', version: GIT_VERSION };
/** The media type in which kubectl asks for OpenAPI 2: a message of protocol buffers. */
const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** The media type of that answer, because the requested one is not well-formed. */
const PROTOBUF_V2_ANSWER = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

function pathOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
}

/** The answer of `/openapi/v3`. */
export function openApiRoot(registry: ResourceRegistry): JsonObject {
  const paths = [...registry.byApiVersion().keys()].map((version): readonly [string, JsonValue] => {
    const path = pathOf(version);
    return [path, { serverRelativeURL: `/openapi/v3/${path}` }];
  });
  return { paths: Object.fromEntries(paths) };
}

function kindOf({ group, version, kind }: ResourceDefinition): JsonObject {
  return { group, version, kind };
}

function operations(definition: ResourceDefinition): readonly (readonly [string, JsonValue])[] {
  const { kind, resource, namespaced } = definition;
  const root = `/${pathOf(apiVersionOf(definition))}/${namespaced ? 'namespaces/{namespace}/' : ''}${resource}`;
  const query = (name: string): JsonObject => ({ in: 'query', name, schema: { type: 'string' } });
  const operation = (verb: string, parameters: readonly string[]): JsonObject => ({
    operationId: `${verb}${kind}`,
    parameters: parameters.map(query),
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': kindOf(definition),
  });
  const patch = operation('patch', ['dryRun', 'fieldManager', 'fieldValidation']);
  return [
    [root, { get: operation('list', ['labelSelector', 'fieldSelector']) }],
    [`${root}/{name}`, { get: operation('get', []), patch }],
  ];
}

const MODEL_NAME = /^([A-Za-z]*?)(V\d+(?:(?:alpha|beta)\d+)?)(\w+)$/;

/** The name of a model's schema. `kubectl explain` shows its last part as the type. */
function schemaName(model: string): string {
  const [, prefix = '', version = '', rest = model] = MODEL_NAME.exec(model) ?? [];
  return ['io.k8s', prefix.toLowerCase() || 'api', version.toLowerCase(), rest].join('.');
}

const SCALARS: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  number: { type: 'integer' },
  Date: { type: 'string', format: 'date-time' },
  V1MicroTime: { type: 'string', format: 'date-time' },
  IntOrString: { 'x-kubernetes-int-or-string': true },
};
const ARRAY = /^Array<(.+)>$/;
const MAP = /^\{ \[key: string\]: (.+); \}$/;

/** The schemas of kinds, from the models of the Kubernetes client and from CustomResourceDefinitions. */
class Schemas {
  readonly #models: KindModels;
  readonly schemas: Record<string, JsonValue> = {};

  constructor(models: KindModels) {
    this.#models = models;
  }

  add(definition: ResourceDefinition): void {
    const marks = { 'x-kubernetes-group-version-kind': [kindOf(definition)] };
    const { schema, kind } = definition;
    if (schema !== undefined) {
      const properties = isObject(schema['properties']) ? schema['properties'] : {};
      const metadata = this.#typed('V1ObjectMeta');
      this.schemas[[...definition.group.split('.').reverse(), definition.version, kind].join('.')] =
        { ...schema, properties: { ...properties, metadata }, ...marks };
      return;
    }
    const model = modelNames(definition, kind).find((name) => this.#models[name] !== undefined);
    if (model === undefined) return;
    this.#typed(model);
    const own = this.schemas[schemaName(model)];
    this.schemas[schemaName(model)] = { ...(isObject(own) ? own : {}), ...marks };
  }

  #typed(type: string): JsonObject {
    const scalar = SCALARS[type];
    if (scalar !== undefined) return scalar;
    const [, element] = ARRAY.exec(type) ?? [];
    if (element !== undefined) return { type: 'array', items: this.#typed(element) };
    const [, value] = MAP.exec(type) ?? [];
    if (value !== undefined) return { type: 'object', additionalProperties: this.#typed(value) };
    const fields = this.#models[type];
    if (fields === undefined) return { type: 'object' };
    const name = schemaName(type);
    if (this.schemas[name] === undefined) {
      // Models may refer to themselves.
      this.schemas[name] = {};
      const properties = Object.entries(fields).map(([key, of]) => [key, this.#typed(of)] as const);
      this.schemas[name] = { type: 'object', properties: Object.fromEntries(properties) };
    }
    return { allOf: [{ $ref: `#/components/schemas/${name}` }] };
  }
}

/**
 * The answer of `/openapi/v3/<path of an apiVersion>`, or `undefined` if it is not served. It contains that PATCH
 * accepts `dryRun` and `fieldValidation`, which `kubectl apply` checks, and the fields of the kinds, for `kubectl
 * explain`.
 */
export function openApiDocument(
  registry: ResourceRegistry,
  models: KindModels,
  path: string,
): JsonObject | undefined {
  const definitions = registry.byApiVersion().get(path.replace(/^apis?\//, ''));
  if (definitions === undefined) return undefined;
  const found = new Schemas(models);
  for (const definition of definitions) found.add(definition);
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: Object.fromEntries(definitions.flatMap(operations)),
    components: { schemas: found.schemas },
  };
}

/** A field of a protocol buffers message that is a text or a message. Both are shorter than 128 bytes here. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
}

/**
 * The answer of `/openapi/v2`, which contains no path and no kind. kubectl requests it if version 3 has no schema of a
 * kind, and then continues without a schema. It expects protocol buffers (openapiv2.Document of gnostic: 1 is
 * `swagger`, 2 `info`).
 *
 * @param accept the media types that the client accepts
 */
export function openApiV2(accept: string): { readonly type: string; readonly bytes: Buffer } {
  const { title, version } = INFO;
  if (!accept.includes(PROTOBUF_V2)) {
    const text = JSON.stringify({ swagger: '2.0', info: INFO, paths: {} });
    return { type: 'application/json', bytes: Buffer.from(text) };
  }
  const info = Buffer.concat([field(1, Buffer.from(title)), field(2, Buffer.from(version))]);
  const bytes = Buffer.concat([field(1, Buffer.from('2.0')), field(2, info)]);
  return { type: PROTOBUF_V2_ANSWER, bytes };
}
