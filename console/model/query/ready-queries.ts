import { EMPTY, type Query } from './query.ts';
import type { ResultSort } from './result.ts';

/** A question that is ready to ask. */
export interface ReadyQuery {
  readonly id: string;
  readonly title: string;
  /** The resources that it is about. Absent: any. */
  readonly resources?: readonly string[];
  readonly query: Omit<Query, 'resource' | 'namespace' | 'name' | 'labels' | 'limit'>;
  readonly sort?: ResultSort;
}

const { filter, select, groupBy, combined } = EMPTY;
const NOTHING = { filter, select, groupBy, combined };

const REPLICATED = ['deployments.apps', 'statefulsets.apps', 'replicasets.apps'];
const READY = 'has(returned.status.readyReplicas) ? returned.status.readyReplicas : 0';
const WANTED = 'has(obj.spec.replicas) ? obj.spec.replicas : 1';
const REGION = '"region" in inventory.labels ? inventory.labels.region : "none"';
const GENERATION = 'has(propagation.generation) ? propagation.generation : 0';
const IS_BEHIND = `has(obj.metadata.generation) && (${GENERATION}) < obj.metadata.generation`;

/** The questions that users ask first. Each is shown only where there are objects that it is about. */
export const READY_QUERIES: readonly ReadyQuery[] = [
  {
    id: 'not-ready',
    title: 'Where is it not ready?',
    resources: REPLICATED,
    query: {
      ...NOTHING,
      filter: `(${READY}) < (${WANTED})`,
      select: [
        { name: 'ready', def: READY },
        { name: 'wanted', def: WANTED },
        { name: 'region', def: REGION },
      ],
    },
    sort: { column: 0, isReverse: false },
  },
  {
    id: 'ready-by-region',
    title: 'Ready by region',
    resources: REPLICATED,
    query: {
      ...NOTHING,
      groupBy: [{ name: 'region', def: REGION }],
      combined: [
        { name: 'lowest', type: 'MIN', subject: READY },
        { name: 'ready', type: 'SUM', subject: READY },
        { name: 'average', type: 'AVG', subject: READY },
        { name: 'wecs', type: 'COUNT', subject: '' },
      ],
    },
  },
  {
    id: 'behind',
    title: 'Generations behind',
    query: {
      ...NOTHING,
      filter: IS_BEHIND,
      select: [
        { name: 'generation', def: GENERATION },
        { name: 'wanted', def: 'obj.metadata.generation' },
        { name: 'region', def: REGION },
      ],
    },
    sort: { column: 0, isReverse: false },
  },
  {
    id: 'behind-by-region',
    title: 'Behind by region',
    query: {
      ...NOTHING,
      groupBy: [{ name: 'region', def: REGION }],
      combined: [
        { name: 'behind', type: 'SUM', subject: `${IS_BEHIND} ? 1 : 0` },
        { name: 'rows', type: 'COUNT', subject: '' },
      ],
    },
    sort: { column: 1, isReverse: true },
  },
  {
    id: 'generations',
    title: 'WECs by generation',
    query: {
      ...NOTHING,
      groupBy: [{ name: 'generation', def: GENERATION }],
      combined: [{ name: 'wecs', type: 'COUNT', subject: '' }],
    },
  },
  {
    id: 'oldest',
    title: 'Oldest reports',
    query: {
      ...NOTHING,
      select: [
        { name: 'changed', def: 'propagation.lastReturnedUpdateTimestamp' },
        { name: 'stale', def: 'propagation.stale' },
        { name: 'region', def: REGION },
      ],
    },
    sort: { column: 0, isReverse: false },
  },
  {
    id: 'silent',
    title: 'Silent WECs',
    query: {
      ...NOTHING,
      filter: 'propagation.silent',
      select: [
        {
          name: 'since',
          def: 'has(propagation.lastContact) ? string(propagation.lastContact) : "unknown"',
        },
        { name: 'region', def: REGION },
      ],
    },
    sort: { column: 0, isReverse: false },
  },
  {
    id: 'failed-jobs',
    title: 'Failed Jobs',
    resources: ['jobs.batch'],
    query: {
      ...NOTHING,
      filter: 'has(returned.status.failed) && returned.status.failed > 0',
      select: [
        { name: 'failed', def: 'returned.status.failed' },
        { name: 'region', def: REGION },
      ],
    },
    sort: { column: 0, isReverse: true },
  },
  {
    id: 'fleet-git-repos',
    title: 'Fleet: GitRepos',
    resources: ['gitrepos.fleet.cattle.io'],
    query: {
      ...NOTHING,
      select: [
        { name: 'commit', def: 'has(returned.status.commit) ? returned.status.commit : ""' },
        {
          name: 'ready',
          def: 'has(returned.status.display) && has(returned.status.display.readyBundleDeployments) ? returned.status.display.readyBundleDeployments : ""',
        },
        {
          name: 'state',
          def: 'has(returned.status.display) && has(returned.status.display.state) ? returned.status.display.state : ""',
        },
      ],
    },
  },
  {
    id: 'fleet-differences',
    title: 'Fleet: not ready',
    resources: ['bundles.fleet.cattle.io', 'gitrepos.fleet.cattle.io'],
    query: {
      ...NOTHING,
      filter:
        'has(returned.status.summary) && has(returned.status.summary.desiredReady) && (has(returned.status.summary.ready) ? returned.status.summary.ready : 0) < returned.status.summary.desiredReady',
      select: [
        {
          name: 'ready',
          def: 'has(returned.status.summary.ready) ? returned.status.summary.ready : 0',
        },
        { name: 'wanted', def: 'returned.status.summary.desiredReady' },
        {
          name: 'modified',
          def: 'has(returned.status.summary.modified) ? returned.status.summary.modified : 0',
        },
      ],
    },
  },
  {
    id: 'status',
    title: 'Whole status',
    query: { ...NOTHING, select: [{ name: 'status', def: 'returned.status' }] },
  },
];

function fits({ resources }: ReadyQuery, resource: string): boolean {
  return resources?.includes(resource) !== false;
}

/** The questions that can be asked about the objects that there are. */
export function readyQueries(present: ReadonlySet<string>): readonly ReadyQuery[] {
  return READY_QUERIES.filter(
    ({ resources }) => resources?.some((resource) => present.has(resource)) !== false,
  );
}

/** A ready question about the objects that another one is about; about others if it does not fit them. */
export function askedAbout(ready: ReadyQuery, about: Query, present: ReadonlySet<string>): Query {
  const { resource, namespace, name, labels } = about;
  if (fits(ready, resource)) return { ...EMPTY, ...ready.query, resource, namespace, name, labels };
  const other = ready.resources?.find((one) => present.has(one)) ?? '';
  return { ...EMPTY, ...ready.query, resource: other };
}

/** The id of the question that is asked of an object: how its replicas stand in each region, or how current each report is. */
function idAbout({ resource }: Pick<Query, 'resource'>): string {
  return REPLICATED.includes(resource) ? 'ready-by-region' : 'oldest';
}

/** What a question of the page begins with. */
export interface QuestionStart {
  /** The object that is asked about. Absent: all objects. */
  readonly about?: Pick<Query, 'resource' | 'namespace' | 'name'>;
  /** The ready question. Default: one that fits the object. */
  readonly ready?: string;
  /** The only WEC that is asked about, or the label of the only ones. Absent: all WECs. */
  readonly only?: string;
}

/** The filter that leaves one WEC, or those with a label. */
function filterOf(only: string): string {
  const mark = only.indexOf('=');
  if (mark < 0) return `inventory.name == ${JSON.stringify(only)}`;
  const [key, value] = [only.slice(0, mark), only.slice(mark + 1)].map((text) =>
    JSON.stringify(text),
  );
  return `${key} in inventory.labels && inventory.labels[${key}] == ${value}`;
}

function filtered(before: string, only: string | undefined): string {
  if (only === undefined) return before;
  return before === '' ? filterOf(only) : `(${before}) && (${filterOf(only)})`;
}

/** The question that a link of the page asks, and its order. Undefined if no ready question has the id. */
export function startedQuestion({
  about = { resource: '', namespace: '', name: '' },
  ready = idAbout(about),
  only,
}: QuestionStart): { readonly query: Query; readonly sort?: ResultSort } | undefined {
  const found = READY_QUERIES.find(({ id }) => id === ready);
  if (found === undefined) return undefined;
  const { query, sort } = found;
  const asked = { ...EMPTY, ...query, ...about, filter: filtered(query.filter, only) };
  return { query: asked, ...(sort === undefined ? {} : { sort }) };
}
