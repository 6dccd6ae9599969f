import { expect, it } from 'vitest';
import { isArray, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { evaluateExport } from '#test/lifecycle/fresh.ts';
import { Pipeline, WDS, WEB } from './pipeline.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
/** One that has the Deployment, one that has nothing, a silent one that has the Deployment, and a silent one that has nothing. */
const WECS = ['wec1', 'wec2', 'wec3', 'wec4'];
const SILENT: readonly string[] = ['wec3', 'wec4'];
const HAVE_IT = ['wec1', 'wec3'];
const COLLECTOR: JsonObject = {
  apiVersion: 'control.kubestellar.io/v1alpha1',
  kind: 'StatusCollector',
  metadata: { name: 'all' },
  spec: {
    select: ['inventory', 'propagation'].map((variable) => ({ name: variable, def: variable })),
    limit: 10,
  },
};

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** The names of the members of both variables, for each WEC. */
function membersShown(objects: readonly JsonObject[]): unknown {
  const combined = objects.filter(({ kind }) => kind === 'CombinedStatus');
  const rows = combined
    .flatMap((object) => listOf(object['results']))
    .flatMap((result) => listOf(member(result, 'rows')));
  return rows.map((row) =>
    listOf(member(row, 'columns')).map((column) => {
      const value = member(column, 'object');
      return isObject(value) ? Object.keys(value).sort() : value;
    }),
  );
}

function labelsOf(wec: string): JsonObject {
  return wec === 'wec2' ? {} : { region: `of-${wec}` };
}

function managedCluster(wec: string): JsonObject {
  const condition = {
    type: 'ManagedClusterConditionAvailable',
    status: SILENT.includes(wec) ? 'Unknown' : 'True',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: wec, labels: labelsOf(wec), uid: `uid-${wec}` },
    status: { conditions: [condition] },
  };
}

async function heartbeats(pipeline: Pipeline, wecs: readonly string[]): Promise<void> {
  const content = { type: 'heartbeat' } as const;
  await pipeline.record(
    pipeline.event({ type: 'wds', name: WDS }, content),
    ...wecs.map((name) => pipeline.event({ type: 'wec', name }, content)),
  );
}

/** The pipeline after it has been told of the labels, the objects and the silence. */
async function told(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  pipeline.now = START_MS;
  const { name } = COLLECTOR['metadata'] as { name: string };
  const control = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
  await pipeline.apply({ ...control, resource: 'statuscollectors', name }, COLLECTOR);
  await pipeline.begin(WECS);
  await pipeline.listWds();
  await pipeline.bind(WECS, { statusCollectors: [name] });
  for (const wec of WECS) {
    const inventory = { labels: labelsOf(wec) as Record<string, string>, annotations: {} };
    const content = { type: 'inventory', hub: 'its1', inventory } as const;
    await pipeline.record(pipeline.event({ type: 'wec', name: wec }, content));
  }
  for (const wec of HAVE_IT) await pipeline.record(pipeline.said(wec, 9));
  await heartbeats(pipeline, WECS);
  pipeline.now += SILENCE_LIMIT_MS + 1;
  await heartbeats(
    pipeline,
    WECS.filter((wec) => !SILENT.includes(wec)),
  );
  await pipeline.sweep();
  await pipeline.settle();
  return pipeline;
}

it('expressions see the same members of inventory and propagation in the pipeline and in starfold eval', async () => {
  const pipeline = await told();
  const standing = pipeline.wds.objects().map(({ object }) => object);
  const web = await pipeline.wds.api.get(WEB);
  const ofWec = { ...web, status: { readyReplicas: 9 } };
  const { objects } = await evaluateExport(
    {
      wds: standing.filter(({ kind }) => kind !== 'CombinedStatus'),
      inventory: WECS.map(managedCluster),
      wecs: HAVE_IT.map((wec) => ({ wec, objects: [ofWec] })),
    },
    pipeline.now,
  );
  const evaluated = membersShown(objects);
  expect(membersShown(standing)).toEqual(evaluated);
  expect(evaluated).toEqual(
    WECS.map((wec) => [
      ['annotations', 'labels', 'name'],
      [
        'generation',
        ...(SILENT.includes(wec) ? ['lastContact'] : []),
        'lastReturnedUpdateTimestamp',
        'silent',
        'stale',
      ],
    ]),
  );
});
