import { contentHash } from '#shared/content-hash.ts';
import { isArray, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { API_VERSION, GROUP, VERSION } from './api-group.ts';
import type { CreatedResource } from './query-resources.ts';
import type { AnyResource } from './resources.ts';
import { text, time } from './schema-parts.ts';
import type { ResourceNames } from './served-resource.ts';

/**
 * Definitions have names of Starfold's own. If one had the name of a definition of Kubernetes with another content, an API server
 * would merge both into its /openapi/v2, and rename that of Kubernetes for everybody.
 */
const PREFIX = 'dev.starfold.status.v1alpha1';
const META = `${PREFIX}.Metadata`;
const LIST_META = `${PREFIX}.ListMetadata`;
const INFO = { title: 'Starfold', version: VERSION };

type Reference = (name: string) => JsonObject;

const TYPE = {
  apiVersion: text('The version of this representation.'),
  kind: text('The kind of this representation.'),
};

function kindMark(kind: string): JsonObject {
  return { 'x-kubernetes-group-version-kind': [{ group: GROUP, version: VERSION, kind }] };
}

function metadataSchemas(): JsonObject {
  return {
    [META]: {
      type: 'object',
      description: 'The metadata of an object that is stored nowhere.',
      properties: {
        name: text('Name.'),
        namespace: text('Namespace. Absent for an object without a namespace.'),
        uid: text('An identifier that is made from the name.'),
        resourceVersion: text('The revision at which the object was read.'),
        creationTimestamp: time('When the object that it is about was created in the WDS.'),
        labels: {
          type: 'object',
          description: 'The labels of the object that it is about, and those of Starfold.',
          additionalProperties: { type: 'string' },
        },
      },
    },
    [LIST_META]: {
      type: 'object',
      description: 'The metadata of a list.',
      properties: {
        resourceVersion: text('The revision at which the list was begun.'),
        continue: text('Where the next page begins. Absent on the last page.'),
      },
    },
  };
}

function kindSchema(
  { names: { kind }, schema }: Pick<AnyResource, 'names' | 'schema'>,
  reference: Reference,
): JsonObject {
  return {
    [`${PREFIX}.${kind}`]: {
      type: 'object',
      description: schema.description,
      properties: {
        ...TYPE,
        metadata: { ...reference(META), description: 'Name, labels and times.' },
        ...schema.properties,
      },
      ...kindMark(kind),
    },
  };
}

function kindSchemas(resource: AnyResource, reference: Reference): JsonObject {
  const { kind } = resource.names;
  return {
    ...kindSchema(resource, reference),
    [`${PREFIX}.${kind}List`]: {
      type: 'object',
      description: `A list of ${kind}.`,
      required: ['items'],
      properties: {
        ...TYPE,
        metadata: reference(LIST_META),
        items: { type: 'array', items: reference(`${PREFIX}.${kind}`) },
      },
      ...kindMark(`${kind}List`),
    },
  };
}

function schemasOf({ resources, created }: Documented, reference: Reference): JsonObject {
  const kinds = resources.map((resource) => kindSchemas(resource, reference));
  const createdKinds = created.map((resource) => kindSchema(resource, reference));
  return Object.assign({}, metadataSchemas(), ...kinds, ...createdKinds);
}

/** The resources of the documents. */
export interface Documented {
  readonly resources: readonly AnyResource[];
  readonly created: readonly CreatedResource[];
}

/** How the documents of a version of OpenAPI write what is sent. */
interface Writing {
  /** A parameter with a text. */
  readonly where: JsonObject;
  answer(kind: string, code: '200' | '201'): JsonObject;
  body(kind: string): JsonObject;
}

function parameter(name: string, where: JsonObject): JsonObject {
  return { name, in: 'path', required: true, ...where };
}

function operation(kind: string, action: string): JsonObject {
  return {
    operationId: `${action}${kind}`,
    tags: [GROUP],
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: GROUP, version: VERSION, kind },
  };
}

function rootOf({ plural, namespaced }: ResourceNames): string {
  return `/apis/${API_VERSION}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
}

function operations({ names }: AnyResource, { answer, where }: Writing): JsonObject {
  const { kind, namespaced } = names;
  const root = rootOf(names);
  const namespace = namespaced ? [parameter('namespace', where)] : [];
  return {
    [root]: {
      parameters: namespace,
      get: { ...operation(kind, 'list'), ...answer(`${kind}List`, '200') },
    },
    [`${root}/{name}`]: {
      parameters: [...namespace, parameter('name', where)],
      get: { ...operation(kind, 'get'), ...answer(kind, '200') },
    },
  };
}

/** The options of a creation. The server always validates as if `fieldValidation` were `Strict`. */
const CREATE_OPTIONS = ['dryRun', 'fieldManager', 'fieldValidation'] as const;

/**
 * kubectl leaves the validation of a created object to the server if an operation `patch` of its kind has the parameter
 * `fieldValidation`. Otherwise it wants a document in protocol buffers, and creates nothing without it.
 */
function noPatch(kind: string, options: readonly JsonObject[]): JsonObject {
  return {
    ...operation(kind, 'patch'),
    description: 'Objects of this kind are only created: the answer is always 405.',
    parameters: options,
    responses: { '405': { description: 'Method Not Allowed' } },
  };
}

function creation({ names }: CreatedResource, { answer, body, where }: Writing): JsonObject {
  const { kind, namespaced } = names;
  const namespace = namespaced ? [parameter('namespace', where)] : [];
  const options = CREATE_OPTIONS.map((name): JsonObject => ({ name, in: 'query', ...where }));
  const { parameters = [], ...content } = body(kind);
  const post = {
    ...operation(kind, 'post'),
    ...content,
    parameters: [...(isArray(parameters) ? parameters : []), ...options],
    ...answer(kind, '201'),
  };
  return { [rootOf(names)]: { parameters: namespace, post, patch: noPatch(kind, options) } };
}

const V3_REFERENCE: Reference = (name) => ({ $ref: `#/components/schemas/${name}` });
const V3: Writing = {
  where: { schema: { type: 'string' } },
  answer: (kind, code) => ({
    responses: {
      [code]: {
        description: code === '200' ? 'OK' : 'Created',
        content: { 'application/json': { schema: V3_REFERENCE(`${PREFIX}.${kind}`) } },
      },
    },
  }),
  body: (kind) => ({
    requestBody: {
      required: true,
      content: { 'application/json': { schema: V3_REFERENCE(`${PREFIX}.${kind}`) } },
    },
  }),
};

const V2_REFERENCE: Reference = (name) => ({ $ref: `#/definitions/${name}` });
const V2: Writing = {
  where: { type: 'string' },
  answer: (kind, code) => ({
    produces: ['application/json'],
    responses: {
      [code]: {
        description: code === '200' ? 'OK' : 'Created',
        schema: V2_REFERENCE(`${PREFIX}.${kind}`),
      },
    },
  }),
  body: (kind) => ({
    consumes: ['application/json'],
    parameters: [
      { name: 'body', in: 'body', required: true, schema: V2_REFERENCE(`${PREFIX}.${kind}`) },
    ],
  }),
};

function pathsOf({ resources, created }: Documented, writing: Writing): JsonObject {
  const served = resources.map((resource) => operations(resource, writing));
  return Object.assign({}, ...served, ...created.map((resource) => creation(resource, writing)));
}

/** The paths of OpenAPI that are served, with their documents. */
export function openApiDocuments(documented: Documented): ReadonlyMap<string, JsonObject> {
  const v3: JsonObject = {
    openapi: '3.0.0',
    info: INFO,
    paths: pathsOf(documented, V3),
    components: { schemas: schemasOf(documented, V3_REFERENCE) },
  };
  const v2: JsonObject = {
    swagger: '2.0',
    info: INFO,
    paths: pathsOf(documented, V2),
    definitions: schemasOf(documented, V2_REFERENCE),
  };
  const path = `/openapi/v3/apis/${API_VERSION}`;
  // Clients keep a document for as long as its hash is the same.
  const url = `${path}?hash=${contentHash(stringifyJson(v3)).toUpperCase()}`;
  return new Map([
    ['/openapi/v3', { paths: { [`apis/${API_VERSION}`]: { serverRelativeURL: url } } }],
    [path, v3],
    ['/openapi/v2', v2],
  ]);
}
