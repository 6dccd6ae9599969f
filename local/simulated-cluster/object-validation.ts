import type { KindModels } from '#shared/adapters/kubernetes/kind-models.ts';
import { WRONG_NAMESPACE } from '#shared/api/messages.ts';
import { badRequest } from '#shared/api/status-error.ts';
import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { apiVersionOf, NAMESPACES, type ResourceDefinition, resourceKey } from './resources.ts';
import { schemaFaults } from './schema-validation.ts';
import { type FieldError, invalid } from './status-error.ts';
import { refusals } from './status-validation/status-validation.ts';
import { undecodable } from './status-validation/undecodable.ts';
import { metadataText } from './stored-object.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const PATH_SEGMENT = /^(?!\.{1,2}$)[^/%]+$/;
const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const SUBDOMAIN_MAX_LENGTH = 253;
const DNS_LABEL_MAX_LENGTH = 63;

/** Resources of RBAC. The names of their objects may contain colons and capital letters. */
const PATH_NAMED = /\.rbac\.authorization\.k8s\.io$/;

function nameIsValid(definition: ResourceDefinition, name: string): boolean {
  const key = resourceKey(definition);
  if (PATH_NAMED.test(key)) return PATH_SEGMENT.test(name);
  if (key === NAMESPACES || key === 'services')
    return DNS_LABEL.test(name) && name.length <= DNS_LABEL_MAX_LENGTH;
  return SUBDOMAIN.test(name) && name.length <= SUBDOMAIN_MAX_LENGTH;
}

function labelKeyIsValid(key: string): boolean {
  const slash = key.indexOf('/');
  const prefix = key.slice(0, Math.max(slash, 0));
  return LABEL_NAME.test(key.slice(slash + 1)) && (slash === -1 || SUBDOMAIN.test(prefix));
}

function labelErrors(labels: JsonValue | undefined): readonly FieldError[] {
  if (!isObject(labels)) return [];
  const field = 'metadata.labels';
  return Object.entries(labels).flatMap(([key, value]) => {
    if (!labelKeyIsValid(key))
      return [{ field, message: `Invalid value: "${key}": a valid label key is needed` }];
    if (typeof value !== 'string')
      return [{ field, message: `Invalid value: "${key}": must be a string` }];
    if (value === '' || LABEL_NAME.test(value)) return [];
    const why =
      value.length > DNS_LABEL_MAX_LENGTH
        ? 'must be no more than 63 characters'
        : 'a valid label must consist of alphanumeric characters, "-", "_" or ".", and start and end with an alphanumeric character';
    return [{ field, message: `Invalid value: "${value}": ${why}` }];
  });
}

/**
 * Checks what an API server checks for every kind, which is name and labels, and for the kind of a CustomResourceDefinition its
 * schema.
 *
 * @param stored the present object; absent: the object is new
 * @throws StatusError 422
 */
export function validate(
  definition: ResourceDefinition,
  object: JsonObject,
  stored?: JsonObject,
): void {
  const name = metadataText(object, 'name');
  const errors: FieldError[] = [];
  if (name === '')
    errors.push({
      field: 'metadata.name',
      message: 'Required value: name or generateName is required',
    });
  else if (!nameIsValid(definition, name))
    errors.push({
      field: 'metadata.name',
      message: `Invalid value: "${name}": a lowercase RFC 1123 subdomain is needed`,
    });
  errors.push(...labelErrors(at(object, 'metadata', 'labels')));
  if (definition.schema !== undefined)
    errors.push(...schemaFaults(definition.schema, object, stored));
  if (errors.length > 0) throw invalid(definition, name, errors);
}

/**
 * Checks a `.status` that a client writes, as an API server does for the built-in kinds.
 *
 * @param stored the present object
 * @throws StatusError 400 if a field has a value of another type; 422 if the rules of the kind reject the status
 */
export function validateStatus(
  models: KindModels,
  definition: ResourceDefinition,
  { stored, status }: { readonly stored: JsonObject; readonly status: JsonValue | undefined },
): void {
  const fault = undecodable(models, definition, status ?? null);
  const { kind, version } = definition;
  if (fault !== undefined)
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${fault}`);
  if (!isObject(status)) return;
  const refused = refusals(stored, status);
  if (refused.length > 0) throw invalid(definition, metadataText(stored, 'name'), refused);
}

function typed(definition: ResourceDefinition, body: JsonObject): JsonObject {
  const apiVersion = apiVersionOf(definition);
  const { kind } = definition;
  const typeMeta = { apiVersion: body['apiVersion'] ?? apiVersion, kind: body['kind'] ?? kind };
  if (typeMeta.apiVersion !== apiVersion)
    throw badRequest(
      `the API version in the data (${typeMeta.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  if (typeMeta.kind !== kind)
    throw badRequest(
      `the kind in the data (${typeMeta.kind}) does not match the expected kind (${kind})`,
    );
  return { ...body, ...typeMeta };
}

function namespaceIn(
  definition: ResourceDefinition,
  metadata: JsonObject,
  namespace: string,
): JsonObject {
  const { namespace: givenNamespace, ...rest } = metadata;
  if (!definition.namespaced) return rest;
  if (givenNamespace && givenNamespace !== namespace) throw badRequest(WRONG_NAMESPACE);
  return { ...rest, namespace };
}

/**
 * Checks that a body is an object of this resource at this place, and adds what the URL contains.
 *
 * @param target namespace and name of the URL; the name is absent on create
 * @throws StatusError 400 if the body contradicts the URL
 */
export function placed(
  definition: ResourceDefinition,
  body: JsonValue,
  target: { readonly namespace: string; readonly name?: string },
): JsonObject {
  const sent = isObject(body) ? (body['metadata'] ?? {}) : undefined;
  if (!isObject(body) || !isObject(sent))
    throw badRequest('the request body must be a JSON object, and so must its metadata');
  const metadata = namespaceIn(definition, sent, target.namespace);
  const name = metadata['name'] ?? target.name;
  if (target.name !== undefined && name !== target.name)
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${target.name})`,
    );
  const named = name === undefined ? metadata : { ...metadata, name };
  return { ...typed(definition, body), metadata: named };
}
