import { contentHash } from '#shared/content-hash.ts';
import {
  EXPLANATION_FIELDS,
  EXPLANATION_WORDS,
  type ExplainedBound,
  selectableExplanation,
} from '#shared/core/explanation/selectable-explanation.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import {
  parseWorkloadText,
  resourceText,
  type WorkloadName,
  workloadText,
} from '#shared/core/status-api/status-name.ts';
import type { Changed, StatusSource, WorkloadState } from '#shared/ports/status-source.ts';
import { ageCell, column, NOTHING, wide } from './columns.ts';
import { explainState, explainUnbound, explainWithout, wecsOf } from './explain-state.ts';
import { explanationPage } from './explanation-page.ts';
import { EXPLANATION_SCHEMA } from './explanation-schema.ts';
import { notSentTo } from './list-messages.ts';
import type {
  Affected,
  Column,
  ItemName,
  ResourceNames,
  ServedResource,
} from './served-resource.ts';
import { badRequest } from './status-error.ts';

function decidedByCell({ explanation: { verdict } }: ExplainedBound): string {
  const [first, ...others] = verdict?.decidedBy ?? [];
  if (first === undefined) return NOTHING;
  return others.length === 0 ? first : `${first} +${others.length}`;
}

function appliedCell({ explanation: { applied } }: ExplainedBound): string {
  if (applied === undefined) return NOTHING;
  return applied.upToDate ? 'Yes' : `No: ${applied.problem}`;
}

const COLUMNS: readonly Column<ExplainedBound>[] = [
  column(
    'Object',
    'The workload object in the WDS.',
    ({ bound: { workload } }) => `${resourceText(workload)}/${workload.name}`,
  ),
  column('Action', 'What happens to its status.', ({ explanation }) => explanation.decision.action),
  column(
    'Health',
    "Argo CD's verdict on the object with its status.",
    ({ explanation }) => explanation.verdict?.status ?? NOTHING,
  ),
  column('Decided By', 'The first WEC with the worst verdict, and how many more.', decidedByCell),
  column('Reported', 'How many of the qualified WECs have reported.', ({ explanation }) => {
    const { reported, qualified } = explanation.wecs;
    return `${reported}/${qualified}`;
  }),
  column('Age', 'Since the object was created in the WDS.', ({ bound: { created } }, nowMs) =>
    ageCell(created, nowMs),
  ),
  wide(column('Reason', 'Why.', ({ explanation }) => explanation.decision.reason)),
  wide(column('Applied', 'Whether the WDS has the status.', appliedCell)),
  wide(
    column('Name', 'The name of this explanation.', ({ bound }) => workloadText(bound.workload)),
  ),
];

function contentOf({ explanation }: ExplainedBound): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = explanation;
  // An explanation is plain JSON.
  return content as unknown as JsonObject;
}

const digests = new WeakMap<ExplainedBound, string>();

/** A hash of all that is shown. It is made once, however many watches ask. */
function digestOf(item: ExplainedBound): string {
  const known = digests.get(item);
  if (known !== undefined) return known;
  const { created = '' } = item.bound;
  const { labels } = selectableExplanation(item);
  const digest = contentHash(stringifyJson([created, labels, contentOf(item)]));
  digests.set(item, digest);
  return digest;
}

/** @throws StatusError 400 for a WEC to which the object is not sent */
function checkWithout(without: readonly string[], state: WorkloadState): void {
  const destinations = [...state.membership.memberships.values()].flat();
  for (const wec of without)
    if (!destinations.some(({ destinations: { set } }) => set.has(wec)))
      throw badRequest(notSentTo(state.workload, wec, nearestName(wec, wecsOf(state))));
}

/** The state of the object of a name. Undefined if no Binding names it. */
async function stateOf(
  source: StatusSource,
  { namespace, name }: ItemName,
  signal: AbortSignal,
): Promise<WorkloadState | undefined> {
  const workload = parseWorkloadText(name, namespace);
  return workload && source.workload(workload, signal);
}

function named(workload: WorkloadName): ItemName {
  return { namespace: workload.namespace, name: workloadText(workload) };
}

function affectedBy(changed: Changed): Affected | undefined {
  switch (changed.type) {
    case 'wec-status':
      return { type: 'one', name: named(changed.ref.workload) };
    case 'workload':
    case 'result':
      return { type: 'one', name: named(changed.workload) };
    case 'wec':
      return { type: 'sent', wecs: [changed.wec] };
    case 'bundle-deployment':
    case 'fleet-cluster':
      return undefined;
  }
}

function explanations(names: ResourceNames): ServedResource<ExplainedBound> {
  return {
    names,
    fields: EXPLANATION_FIELDS,
    words: EXPLANATION_WORDS,
    columns: COLUMNS,
    schema: EXPLANATION_SCHEMA,
    nameOf: ({ bound }) => named(bound.workload),
    createdOf: ({ bound }) => bound.created,
    selectable: selectableExplanation,
    contentOf,
    workloads: {
      of: ({ bound }) => bound.workload,
      named: ({ namespace, name }) => parseWorkloadText(name, namespace),
    },
    read: async (source, name, signal) => {
      const state = await stateOf(source, name, signal);
      return state && explainState(state, signal);
    },
    readWithout: async (source, { without, ...name }, signal) => {
      const state = await stateOf(source, name, signal);
      if (state === undefined) return undefined;
      checkWithout(without, state);
      return explainWithout(state, without, signal);
    },
    isCostly: true,
    digestOf,
    page: explanationPage,
    affectedBy,
    familyOf: ({ namespace }) => namespace,
    gone: ({ namespace, name }) => {
      const workload = parseWorkloadText(name, namespace);
      return workload && explainUnbound(workload);
    },
  };
}

/** Why the statuses of workload objects with a namespace are what they are. */
export const EXPLANATIONS = explanations({
  plural: 'explanations',
  singular: 'explanation',
  kind: 'Explanation',
  shortNames: ['why'],
  namespaced: true,
});

/** The same of workload objects without a namespace. */
export const CLUSTER_EXPLANATIONS = explanations({
  plural: 'clusterexplanations',
  singular: 'clusterexplanation',
  kind: 'ClusterExplanation',
  shortNames: ['cwhy'],
  namespaced: false,
});
