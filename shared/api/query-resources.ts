import { AGGREGATIONS } from '#shared/core/collector/aggregator.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { DEFAULT_QUERY_LIMIT, MAX_QUERY_LIMIT, MAX_QUERY_STEPS } from '#shared/core/limits.ts';
import { API_VERSION } from './api-group.ts';
import { integer, object, text, WORKLOAD } from './schema-parts.ts';
import type { ResourceNames } from './served-resource.ts';

/** A resource of which objects are only created: the answer is the created object, and nothing is stored. */
export interface CreatedResource {
  readonly names: ResourceNames;
  /** The schema of the kind (OpenAPI), without apiVersion, kind and metadata. */
  readonly schema: { readonly description: string; readonly properties: JsonObject };
}

const ANYTHING = { 'x-kubernetes-preserve-unknown-fields': true };

function expression(description: string): JsonObject {
  return { description, ...ANYTHING };
}

function list(description: string, items: JsonObject): JsonObject {
  return { type: 'array', description, items };
}

const NAMED = {
  ...object('A column.', { name: text('Name of the column.'), def: expression('Expression.') }),
  required: ['name', 'def'],
};

const COMBINED = {
  ...object('An aggregated column.', {
    name: text('Name of the column.'),
    type: { ...text('What is computed of the rows of a group.'), enum: [...AGGREGATIONS] },
    subject: expression('Expression that is aggregated; none for COUNT.'),
  }),
  required: ['name', 'type'],
};

function workloadsSchema(isNamespaced: boolean): JsonObject {
  return object('The workload objects that are asked about. What is absent is any.', {
    resource: text('Resource, in the plural, such as deployments.'),
    group: text('API group, such as apps. Empty for the core group.'),
    name: text('Name of one object.'),
    labelSelector: object('Labels of the objects in the WDS.', {
      matchLabels: {
        type: 'object',
        description: 'Labels, each with its value.',
        additionalProperties: { type: 'string' },
      },
      matchExpressions: list('Requirements: key, operator, values.', {
        type: 'object',
        ...ANYTHING,
      }),
    }),
    ...(isNamespaced
      ? {}
      : {
          allNamespaces: {
            type: 'boolean',
            description: 'Objects of all namespaces instead of those without a namespace.',
          },
        }),
  });
}

function specSchema(isNamespaced: boolean): JsonObject {
  return object('The spec of a StatusCollector, and which objects it is about.', {
    filter: expression('Expression; a row counts where it is true (WHERE).'),
    // A list, or one expression of the older form.
    select: expression('Named expressions (name, def); one row for each WEC of each object.'),
    groupBy: list(
      'Named expressions; one row for each distinct tuple of their values (GROUP BY).',
      NAMED,
    ),
    combinedFields: list('Aggregates over the rows of a group, or over all rows.', COMBINED),
    limit: integer(
      `The most rows of one answer (LIMIT): ${DEFAULT_QUERY_LIMIT} if it is absent, at most ${MAX_QUERY_LIMIT}.`,
    ),
    workloads: workloadsSchema(isNamespaced),
    continue: text('status.continue of the answer before.'),
  });
}

const STATUS = object('The answer.', {
  columnNames: list('Names of the columns.', { type: 'string' }),
  rows: list(
    'The rows.',
    object('A row.', {
      columns: list('One cell for each column.', { type: 'object', ...ANYTHING }),
      workload: WORKLOAD,
      wec: text('The WEC of the row. Absent for groups.'),
      count: integer('How many rows a group has.'),
    }),
  ),
  price: object('What the answer has cost.', {
    rows: integer('How many rows were read, whether or not the filter let them pass.'),
    steps: integer(`What they took in all, in steps. An answer pays ${MAX_QUERY_STEPS}.`),
    rowSteps: integer(
      `The most steps that the expressions took for one row. A row may take ${MAX_STEPS}.`,
    ),
  }),
  continue: text('Where the next answer begins. Absent in the last one.'),
  errors: list(
    'What could not be computed, or is left out.',
    object('An error.', {
      workload: WORKLOAD,
      wec: text('The WEC of the row.'),
      columnName: text('The column. Empty for the filter, absent for the whole answer.'),
      error: text('The error.'),
    }),
  ),
});

function query(names: ResourceNames): CreatedResource {
  const what = names.namespaced ? 'the workload objects of a namespace' : 'workload objects';
  return {
    names,
    schema: {
      description: `A question about what WECs report of ${what}, in the language of StatusCollectors. It is created, answered and stored nowhere.`,
      properties: { spec: specSchema(names.namespaced), status: STATUS },
    },
  };
}

/** The resources that are only created, in the order of discovery. */
export const CREATED: readonly CreatedResource[] = [
  query({
    plural: 'statusqueries',
    singular: 'statusquery',
    kind: 'StatusQuery',
    shortNames: [],
    namespaced: true,
  }),
  query({
    plural: 'clusterstatusqueries',
    singular: 'clusterstatusquery',
    kind: 'ClusterStatusQuery',
    shortNames: [],
    namespaced: false,
  }),
];

/** The verbs of {@link CREATED}. */
export const CREATED_VERBS: readonly string[] = ['create'];

/** A collection to which objects are posted. */
export interface CreateTarget {
  readonly resource: CreatedResource;
  /** `''` for a resource without namespaces. */
  readonly namespace: string;
}

const ROOT = `/apis/${API_VERSION}/`;
const NAMESPACED = /^namespaces\/([^/]+)\/([^/]+)$/;

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The collection of {@link CREATED} that a path identifies. Undefined if it is none. */
export function createTargetOf(path: string): CreateTarget | undefined {
  if (!path.startsWith(ROOT)) return undefined;
  const rest = path.slice(ROOT.length);
  const [, segment, inNamespace] = NAMESPACED.exec(rest) ?? [];
  const namespace = segment === undefined ? '' : decoded(segment);
  const plural = inNamespace ?? rest;
  const resource = CREATED.find(
    ({ names }) => names.plural === plural && names.namespaced === (segment !== undefined),
  );
  return resource === undefined || namespace === undefined ? undefined : { resource, namespace };
}
