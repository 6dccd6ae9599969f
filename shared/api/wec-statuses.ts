import type { JsonObject } from '#shared/core/json.ts';
import {
  selectableWecStatus,
  WEC_STATUS_FIELDS,
  WEC_STATUS_WORDS,
} from '#shared/core/status-api/selectable.ts';
import type { FieldRequirement } from '#shared/core/status-api/selector.ts';
import {
  parseWecStatusName,
  resourceText,
  type WorkloadName,
  wecStatusName,
  workloadText,
} from '#shared/core/status-api/status-name.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import type { Changed } from '#shared/ports/status-source.ts';
import { ageCell, column, NOTHING, wide } from './columns.ts';
import { integer, object, STATE, text, time, VERDICT, WORKLOAD } from './schema-parts.ts';
import type {
  Affected,
  Column,
  ItemName,
  ResourceNames,
  ServedResource,
} from './served-resource.ts';

const COLUMNS: readonly Column<WecStatus>[] = [
  column(
    'Object',
    'The workload object in the WDS.',
    ({ workload }) => `${resourceText(workload)}/${workload.name}`,
  ),
  column('WEC', 'The cluster that reports.', ({ wec }) => wec),
  column('Ready', 'How much of the object is ready.', ({ ready }) => ready ?? NOTHING),
  column(
    'Health',
    "Argo CD's verdict on the object in the WEC.",
    ({ health }) => health?.status ?? NOTHING,
  ),
  column('State', 'What is known of the report.', ({ state }) => state),
  column('Age', 'Since the object was created in the WDS.', ({ created }, nowMs) =>
    ageCell(created, nowMs),
  ),
  wide(
    column('Reported', 'Since the status in the WEC last changed.', ({ lastUpdate }, nowMs) =>
      ageCell(lastUpdate, nowMs),
    ),
  ),
  wide(
    column(
      'Generation',
      "The object's generation in the WEC, and that of the WDS from which it was made.",
      ({ generation }) => {
        const { wec, source } = generation;
        return source === undefined ? String(wec ?? NOTHING) : `${wec ?? NOTHING} (${source})`;
      },
    ),
  ),
  wide(
    column(
      'Binding',
      'The Bindings that send the object to the WEC.',
      ({ bindings }) => bindings.join(',') || NOTHING,
    ),
  ),
  wide(column('Name', 'The name of this WECStatus.', wecStatusName)),
];

const SCHEMA: ServedResource<WecStatus>['schema'] = {
  description:
    'What one WEC (workload execution cluster) reports of one workload object. Its name is <resource>[.<group>]:<object>:<WEC>. It can only be read.',
  properties: {
    workload: WORKLOAD,
    wec: text('The WEC that reports.'),
    state: STATE,
    lastContact: time('When the WEC last sent a heartbeat.'),
    lastUpdate: time('When the status in the WEC last changed, as the WEC says.'),
    generation: object("The object's generations.", {
      wec: integer('metadata.generation in the WEC.'),
      source: integer(
        "metadata.generation of the WDS's object from which the WEC's object was made.",
      ),
      observed: integer('status.observedGeneration in the WEC.'),
    }),
    health: VERDICT,
    bindings: {
      type: 'array',
      items: { type: 'string' },
      description: 'The Bindings that send the object to the WEC.',
    },
    status: {
      type: 'object',
      description: '.status as the WEC says it, whole.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
};

function contentOf(status: WecStatus): JsonObject {
  const { workload, kind, wec, state, lastContact, lastUpdate, generation, health, bindings } =
    status;
  const { group, resource, namespace, name } = workload;
  return {
    workload: { group, resource, kind, namespace, name },
    wec,
    state,
    ...(lastContact === undefined ? {} : { lastContact }),
    ...(lastUpdate === undefined ? {} : { lastUpdate }),
    generation: { ...generation },
    ...(health === undefined ? {} : { health: { ...health } }),
    bindings,
    ...(status.status === undefined ? {} : { status: status.status }),
  };
}

function equal(field: (typeof WEC_STATUS_FIELDS)[number], value: string): FieldRequirement {
  return { field, operator: '=', value };
}

function ofWorkload({
  group,
  resource,
  namespace,
  name,
}: WorkloadName): readonly FieldRequirement[] {
  return [
    equal('workload.group', group),
    equal('workload.resource', resource),
    equal('metadata.namespace', namespace),
    equal('workload.name', name),
  ];
}

/** The fields that the census of the last aggregation finds (docs/architecture.md, section 5, "What the API reads"). */
const OF_CENSUS = ['health', 'state'] as const;

function affectedBy(changed: Changed): Affected | undefined {
  if (changed.type === 'wec-status') {
    const { namespace } = changed.ref.workload;
    return { type: 'one', name: { namespace, name: wecStatusName(changed.ref) } };
  }
  if (changed.type === 'workload' || changed.type === 'result') {
    const { workload } = changed;
    const { namespace } = workload;
    const selector = { labels: [], fields: ofWorkload(workload) };
    if (changed.type === 'result') return { type: 'found', fields: OF_CENSUS, namespace, selector };
    return {
      type: 'family',
      family: `${namespace}/${workloadText(workload)}`,
      namespace,
      selector,
    };
  }
  if (changed.type !== 'wec') return undefined;
  return { type: 'some', selector: { labels: [], fields: [equal('wec', changed.wec)] } };
}

/** The WECStatuses of one workload object, which is named before the last colon. */
function familyOf({ namespace, name }: ItemName): string {
  return `${namespace}/${name.slice(0, name.lastIndexOf(':'))}`;
}

function gone({ namespace, name }: ItemName): WecStatus | undefined {
  const ref = parseWecStatusName(name, namespace);
  if (ref === undefined) return undefined;
  return { ...ref, kind: '', ownLabels: {}, state: 'NotReported', generation: {}, bindings: [] };
}

function wecStatuses(names: ResourceNames): ServedResource<WecStatus> {
  return {
    names,
    fields: WEC_STATUS_FIELDS,
    words: WEC_STATUS_WORDS,
    columns: COLUMNS,
    schema: SCHEMA,
    nameOf: (status) => ({ namespace: status.workload.namespace, name: wecStatusName(status) }),
    createdOf: ({ created }) => created,
    selectable: selectableWecStatus,
    contentOf,
    workloads: {
      of: ({ workload }) => workload,
      named: ({ namespace, name }) => parseWecStatusName(name, namespace)?.workload,
    },
    read: async (source, { namespace, name }, signal) => {
      const ref = parseWecStatusName(name, namespace);
      return ref && source.wecStatus(ref, signal);
    },
    page: (source, request, signal) => source.wecStatuses(request, signal),
    affectedBy,
    familyOf,
    gone,
  };
}

/** What each WEC reports of workload objects with a namespace. */
export const WEC_STATUSES = wecStatuses({
  plural: 'wecstatuses',
  singular: 'wecstatus',
  kind: 'WECStatus',
  shortNames: ['wecst'],
  namespaced: true,
});

/** What each WEC reports of workload objects without a namespace. */
export const CLUSTER_WEC_STATUSES = wecStatuses({
  plural: 'clusterwecstatuses',
  singular: 'clusterwecstatus',
  kind: 'ClusterWECStatus',
  shortNames: ['cwecst'],
  namespaced: false,
});
