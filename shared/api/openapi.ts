import { contentHash } from '#shared/content-hash.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { API_VERSION, GROUP, VERSION } from './api-group.ts';
import type { AnyResource } from './resources.ts';
import { text, time } from './schema-parts.ts';

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

function kindSchemas({ names, schema }: AnyResource, reference: Reference): JsonObject {
  const { kind } = names;
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

function schemasOf(resources: readonly AnyResource[], reference: Reference): JsonObject {
  const kinds = resources.map((resource) => kindSchemas(resource, reference));
  return Object.assign({}, metadataSchemas(), ...kinds);
}

type Answer = (kind: string) => JsonObject;

function parameter(name: string, where: JsonObject): JsonObject {
  return { name, in: 'path', required: true, ...where };
}

function operations({ names }: AnyResource, answer: Answer, where: JsonObject): JsonObject {
  const { plural, kind, namespaced } = names;
  const root = `/apis/${API_VERSION}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const namespace = namespaced ? [parameter('namespace', where)] : [];
  const operation = (action: string, answerKind: string): JsonObject => ({
    operationId: `${action}${kind}`,
    tags: [GROUP],
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: GROUP, version: VERSION, kind },
    ...answer(answerKind),
  });
  return {
    [root]: { parameters: namespace, get: operation('list', `${kind}List`) },
    [`${root}/{name}`]: {
      parameters: [...namespace, parameter('name', where)],
      get: operation('get', kind),
    },
  };
}

/** The paths of OpenAPI that are served, with their documents. */
export function openApiDocuments(
  resources: readonly AnyResource[],
): ReadonlyMap<string, JsonObject> {
  const v3Reference: Reference = (name) => ({ $ref: `#/components/schemas/${name}` });
  const v3Answer: Answer = (kind) => ({
    responses: {
      '200': {
        description: 'OK',
        content: { 'application/json': { schema: v3Reference(`${PREFIX}.${kind}`) } },
      },
    },
  });
  const v2Reference: Reference = (name) => ({ $ref: `#/definitions/${name}` });
  const v2Answer: Answer = (kind) => ({
    produces: ['application/json'],
    responses: { '200': { description: 'OK', schema: v2Reference(`${PREFIX}.${kind}`) } },
  });
  const paths = (answer: Answer, where: JsonObject): JsonObject =>
    Object.assign({}, ...resources.map((resource) => operations(resource, answer, where)));
  const v3: JsonObject = {
    openapi: '3.0.0',
    info: INFO,
    paths: paths(v3Answer, { schema: { type: 'string' } }),
    components: { schemas: schemasOf(resources, v3Reference) },
  };
  const v2: JsonObject = {
    swagger: '2.0',
    info: INFO,
    paths: paths(v2Answer, { type: 'string' }),
    definitions: schemasOf(resources, v2Reference),
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
