import { type Figure, rounded } from './figure.ts';
import {
  CHANGES_PER_SECOND,
  coreUnderChanges,
  DEPLOYMENTS,
  type Listed,
  queueDown,
  ROUNDS,
  settle,
  withForwarder,
} from './forwarder-measurements.ts';
import {
  appliedWorkText,
  deploymentText,
  managedClusterText,
  ownedDeploymentText,
  workStatusText,
} from './forwarder-objects.ts';
import type { WorldOptions } from './forwarder-world.ts';

const MEBIBYTE = 1024 * 1024;
const MANY = 10_000;
const SOME = 1_000;
const NAMESPACES = 100;
/** The limit of the chart (infra/charts/event-forwarder, `resources.limits.memory`). */
const CHART_LIMIT_MIB = 512;

/** Of a forwarder that has nothing to watch. */
const EMPTY_GOAL_MB = 90;

const WEC = {
  type: 'wec',
  name: 'wec1',
  wds: 'wds',
  select: { resources: ['deployments.apps/v1'] },
};

const ITS = {
  source: { type: 'its', name: 'its1' },
  resources: [
    {
      path: '/apis/control.kubestellar.io/v1alpha1/workstatuses',
      count: MANY,
      text: workStatusText(NAMESPACES),
    },
    {
      path: '/apis/cluster.open-cluster-management.io/v1/managedclusters',
      count: NAMESPACES,
      text: managedClusterText(),
    },
  ],
};

const WORKS = {
  source: { type: 'wec', name: 'wec1', select: { appliedManifestWorks: true } },
  resources: [
    {
      path: '/apis/work.open-cluster-management.io/v1/appliedmanifestworks',
      count: MANY,
      text: appliedWorkText(),
    },
    { path: DEPLOYMENTS, count: MANY, text: ownedDeploymentText() },
  ],
};

function deployments(count: number): Pick<WorldOptions, 'source' | 'resources'> {
  return { source: WEC, resources: [{ path: DEPLOYMENTS, count, text: deploymentText() }] };
}

function mebibytes(what: string, bytes: number, more: Partial<Figure> = {}) {
  return { what, value: bytes / MEBIBYTE, unit: 'MiB', ...more };
}

function listedText({ rss, liveHeap, cpuSeconds }: Listed): string {
  return `${rounded(rss / MEBIBYTE)} MiB settled, heap ${rounded(liveHeap / MEBIBYTE)} MiB, ${rounded(cpuSeconds)} s of CPU`;
}

const GOAL = { goal: { type: 'at most', value: CHART_LIMIT_MIB } } as const;

async function measureDeployments() {
  const none = await withForwarder(deployments(0), settle);
  const some = await withForwarder(deployments(SOME), async (world) => ({
    listed: await settle(world),
    core: await coreUnderChanges(world, SOME),
  }));
  const many = await withForwarder(deployments(MANY), async (world) => ({
    listed: await settle(world),
    core: await coreUnderChanges(world, MANY),
    down: await queueDown(world, MANY),
  }));
  const unlimited = await withForwarder({ ...deployments(MANY), nodeOptions: [] }, settle);
  return { none, some, many, unlimited };
}

type Measured = Awaited<ReturnType<typeof measureDeployments>>;

function listingFigures({ none, some, many, unlimited }: Measured) {
  const { listed } = many;
  const perObject = (listed.liveHeap - some.listed.liveHeap) / (MANY - SOME);
  const peaks = {
    [`${rounded(SOME)} objects`]: some.listed,
    none,
    'no limit of the heap': unlimited,
  };
  const beside = Object.entries(peaks)
    .map(([name, { peakRss }]) => `${name}: ${rounded(peakRss / MEBIBYTE)} MiB`)
    .join('; ');
  const settled = `${rounded(SOME)} objects: ${listedText(some.listed)}; none: ${listedText(none)}`;
  return [
    mebibytes('RSS at the peak of the first listing', listed.peakRss, { ...GOAL, beside }),
    mebibytes('heap, the most that was seen in it', listed.peakHeap),
    mebibytes('RSS settled', listed.rss, { beside: settled }),
    {
      what: 'RSS settled, in a cluster without an object',
      value: none.rss / 1_000_000,
      unit: 'MB',
      goal: { type: 'at most', value: EMPTY_GOAL_MB } as const,
    },
    mebibytes('heap after a full collection', listed.liveHeap),
    { what: 'heap for each object', value: perObject, unit: 'bytes' },
    {
      what: 'CPU until everything was listed and sent',
      value: listed.cpuSeconds - none.cpuSeconds,
      unit: 's',
      beside: `without that of starting, ${rounded(none.cpuSeconds)} s`,
    },
  ];
}

function changeFigures({ some, many: { core, down } }: Measured) {
  const [once = 0, , , often = 0] = down.heaps;
  return [
    {
      what: `CPU at ${CHANGES_PER_SECOND} changes/s`,
      value: core * 100,
      unit: '% of a core',
      beside: `${rounded(SOME)} objects: ${rounded(some.core * 100)} %`,
    },
    mebibytes('RSS, peak, queue down and every object changed', down.peakRss, {
      ...GOAL,
      beside: `then ${rounded(down.rss / MEBIBYTE)} MiB; ${rounded(down.afterwards)} events sent when the queue is up again`,
    }),
    mebibytes(`heap after each object has changed ${ROUNDS} times unsent`, often, {
      beside: `after once ${rounded(once / MEBIBYTE)} MiB; when all is sent ${rounded(down.liveHeap / MEBIBYTE)} MiB`,
    }),
  ];
}

async function benchDeployments(): Promise<readonly Figure[]> {
  const bytes = deploymentText()(0, 1).length;
  const section = `Forwarder program, ${rounded(MANY)} Deployments of ${rounded(bytes / 1024)} KiB in a WEC, heap of at most 256 MiB`;
  const measured = await measureDeployments();
  return [...listingFigures(measured), ...changeFigures(measured)].map((figure) => ({
    section,
    ...figure,
  }));
}

async function benchOtherSources(): Promise<readonly Figure[]> {
  const section = `Forwarder program, other sources, ${rounded(MANY)} objects`;
  const its = await withForwarder(ITS, settle);
  const works = await withForwarder(WORKS, settle);
  return [
    mebibytes(`RSS, peak: WorkStatuses of ${NAMESPACES} WECs in an ITS`, its.peakRss, {
      ...GOAL,
      beside: listedText(its),
    }),
    mebibytes('RSS, peak: Deployments of as many AppliedManifestWorks', works.peakRss, {
      ...GOAL,
      beside: listedText(works),
    }),
  ].map((figure) => ({ section, ...figure }));
}

/** Memory and CPU of a forwarder's program with many objects (docs/architecture.md, section 7). */
export async function benchForwarder(): Promise<readonly Figure[]> {
  return [...(await benchDeployments()), ...(await benchOtherSources())];
}
