// Lists the source files of which a function runs while the status of a Deployment changes in one of three WECs, from the WEC's
// watch to the PATCH in the WDS. A `*` marks the files that docs/one-event.md names. Exits with 1 if code of one of these does
// not run, or if a reader would have to open too many. `npm run event-path`.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const KUBESTELLAR = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
/** The files that a reader of the event's way opens. */
const MOST_NAMED = 45;
const WECS = ['edge1', 'edge2', 'edge3'];

function deployment(ready: number): JsonObject {
  const replicas = {
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: ready,
    availableReplicas: ready,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name: 'web', uid: 'u', generation: 1 },
    spec: { replicas: 3 },
    status: { observedGeneration: 1, ...replicas },
  };
}

const pipeline = new Pipeline();
pipeline.wds.apply({ ...DEPLOYMENTS, namespace: 'shop', name: 'web' }, deployment(0));
pipeline.wds.apply(
  { ...KUBESTELLAR, resource: 'statuscollectors', name: 'ready' },
  {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'StatusCollector',
    metadata: { name: 'ready' },
    spec: { limit: 10, select: [{ name: 'ready', def: 'returned.status.readyReplicas' }] },
  },
);
pipeline.wds.apply(
  { ...KUBESTELLAR, resource: 'bindings', name: 'web' },
  {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: 'web' },
    spec: {
      destinations: WECS.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: [
          {
            ...DEPLOYMENTS,
            ...{ namespace: 'shop', name: 'web', resourceVersion: '1' },
            ...{ statusCollectors: ['ready'], wantMultiWECReportedState: true },
          },
        ],
      },
    },
  },
);

const time = new VirtualTime();
const forwarders = WECS.map((name) => {
  const cluster = new FakeCluster();
  const queue = new SentMessages();
  cluster.serve({ ...DEPLOYMENTS, kind: 'Deployment', namespaced: true, statusSubresource: true });
  cluster.put(DEPLOYMENTS, deployment(name === 'edge1' ? 1 : 2));
  startForwarder({
    api: cluster,
    queue,
    source: { type: 'wec', name, wds: 'wds1', resources: [DEPLOYMENTS] },
    epoch: 1,
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0.5,
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  return { cluster, queue };
});

/** What the forwarders have sent goes through all functions. */
async function forward(): Promise<void> {
  await time.advance(1_000);
  for (const { queue } of forwarders)
    for (const body of queue.bodies.splice(0)) pipeline.receive(body);
  await pipeline.settle();
}

pipeline.snapshot();
await forward();
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const before = pipeline.writes.length;
forwarders[0]?.cluster.put(DEPLOYMENTS, deployment(2));
await forward();
const { result } = await session.post('Profiler.takePreciseCoverage');
const written = pipeline.writes.slice(before);
if (!written.some((write) => write === 'status deployments/web'))
  throw new Error(`the event was not written to the WDS: ${written.join(', ')}`);

const files = result
  .filter(
    ({ url, functions }) =>
      url.startsWith('file://') && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  )
  .map(({ url }) => fileURLToPath(url).slice(ROOT.length))
  .filter((file) => /^(functions|shared|local)\//.test(file))
  .sort();
const document = readFileSync(`${ROOT}docs/one-event.md`, 'utf8');
const named = new Set([...document.matchAll(/^\| `([^`]+)`/gm)].map(([, file = '']) => file));
const idle = [...named].filter((file) => !files.includes(file));
const folders = Map.groupBy(files, (file) => file.split('/').slice(0, 2).join('/'));
const lines = [...folders].flatMap(([folder, within]) => [
  `${folder}: ${within.length}`,
  ...within.map((file) => `${named.has(file) ? '*' : ' '} ${file}`),
]);
process.stdout.write(
  `${[...lines, `${files.length} files run, of which docs/one-event.md names ${named.size}`].join('\n')}\n`,
);
for (const file of idle)
  process.stderr.write(`docs/one-event.md: no code of ${file} runs for this event\n`);
if (named.size > MOST_NAMED)
  process.stderr.write(
    `docs/one-event.md names ${named.size} files, more than ${MOST_NAMED}: merge files that a reader needs together\n`,
  );
process.exit(idle.length === 0 && named.size <= MOST_NAMED ? 0 : 1);
