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
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import type { ApiResource } from './built-in-kinds.ts';
import { CONDITION, OBJECT_META, returnedType } from './object-meta.ts';

/** The maximum depth that is checked. */
const MAX_DEPTH = 100;

function isTrue(schema: JsonObject, extension: string): boolean {
  return schema[extension] === true;
}

function objectType(schema: JsonObject, depth: number): StaticType {
  const { properties, additionalProperties } = schema;
  const others = isObject(additionalProperties) || additionalProperties === true;
  const isOpen = others || isTrue(schema, 'x-kubernetes-preserve-unknown-fields');
  if (isObject(properties) && Object.keys(properties).length > 0)
    return objectOf(fieldsOf(properties, depth), isOpen);
  return isObject(additionalProperties)
    ? mapOf(STRING, typeOf(additionalProperties, depth + 1))
    : DYN;
}

function fieldsOf(properties: JsonObject, depth: number): ReadonlyMap<string, StaticType> {
  return new Map(
    Object.entries(properties).map(([name, schema]) => [name, typeOf(schema, depth + 1)]),
  );
}

const SCALARS: ReadonlyMap<JsonValue | undefined, StaticType> = new Map([
  ['boolean', BOOL],
  ['integer', NUMBER],
  ['number', NUMBER],
  ['string', STRING],
]);

/** The type of the values of a schema. dyn if the schema does not specify it, or allows fields that it does not name. */
function typeOf(schema: JsonValue | undefined, depth: number): StaticType {
  if (!isObject(schema) || depth > MAX_DEPTH) return DYN;
  if (isTrue(schema, 'x-kubernetes-int-or-string')) return DYN;
  if (isTrue(schema, 'x-kubernetes-embedded-resource')) return DYN;
  if (schema['type'] === 'object') return objectType(schema, depth);
  if (schema['type'] === 'array') return listOf(typeOf(schema['items'], depth + 1));
  // A null among scalars may be compared with anything.
  if (isTrue(schema, 'nullable')) return DYN;
  return SCALARS.get(schema['type']) ?? DYN;
}

/** An object type with the fields of every object, and the fields of a type. */
function rootOf(type: StaticType): ObjectType {
  const own = type.kind === 'object' ? type.fields : [];
  const fields = new Map<string, StaticType>([
    ...own,
    ['apiVersion', STRING],
    ['kind', STRING],
    ['metadata', OBJECT_META],
  ]);
  return objectOf(fields, type.kind !== 'object' || type.open);
}

/**
 * The statuses of the custom resources that have a rule of their own, and few fields (cert-manager API reference,
 * CertificateStatus v1).
 */
const STATUSES: ReadonlyMap<string, StaticType> = new Map([
  [
    'cert-manager.io/v1/certificates',
    objectOf(
      new Map<string, StaticType>([
        ['conditions', listOf(CONDITION)],
        ['failedIssuanceAttempts', NUMBER],
        ['lastFailureTime', STRING],
        ['nextPrivateKeySecretName', STRING],
        ['notAfter', STRING],
        ['notBefore', STRING],
        ['renewalTime', STRING],
        ['revision', NUMBER],
      ]),
    ),
  ],
]);

/**
 * The schema of a kind without a known schema: it only has `metadata`, and for a Certificate the status. It is named after its
 * resource, like a CustomResourceDefinition.
 */
export function unknownSchema({ group, version, resource }: ApiResource): KindSchema {
  const kind = group === '' ? resource : `${resource}.${group}`;
  const status = STATUSES.get(`${group}/${version}/${resource}`);
  const obj = rootOf(DYN);
  return status === undefined
    ? { kind, obj }
    : { kind, obj, returned: returnedType({ status, spec: undefined }) };
}

function versionOf(definition: JsonValue | undefined, version: string): JsonValue | undefined {
  const versions = at(definition, 'spec', 'versions');
  return isArray(versions) ? versions.find((one) => member(one, 'name') === version) : undefined;
}

/**
 * Whether unknown fields are pruned. If a definition does not specify it, only v1beta1 preserves fields that the schema does
 * not name.
 */
function isPruned(definition: JsonValue | undefined): boolean {
  const preserves = at(definition, 'spec', 'preserveUnknownFields');
  return typeof preserves === 'boolean'
    ? !preserves
    : member(definition, 'apiVersion') !== 'apiextensions.k8s.io/v1beta1';
}

/**
 * Returns the schema of a custom resource, from its CustomResourceDefinition (apiextensions.k8s.io/v1 or v1beta1; Kubernetes,
 * "Specifying a structural schema", "Field pruning"). Parts that are untyped, preserve unknown fields or embed a resource are
 * not examined. If the version is missing, or has no schema, only the fields of every object are known.
 *
 * @returns `undefined` if the definition does not define this resource
 */
export function crdSchema(
  definition: JsonValue | undefined,
  resource: ApiResource,
): KindSchema | undefined {
  const spec = member(definition, 'spec');
  const kind = at(spec, 'names', 'kind');
  const plural = at(spec, 'names', 'plural');
  if (typeof kind !== 'string' || plural !== resource.resource) return undefined;
  if (member(spec, 'group') !== resource.group) return undefined;
  const schema = at(versionOf(definition, resource.version), 'schema', 'openAPIV3Schema');
  const type = isPruned(definition) ? typeOf(schema, 0) : DYN;
  const obj = rootOf(type);
  if (type.kind !== 'object' || type.open) return { kind, obj };
  const status = type.fields.get('status') ?? DYN;
  return { kind, obj, returned: returnedType({ status, spec: type.fields.get('spec') }) };
}
