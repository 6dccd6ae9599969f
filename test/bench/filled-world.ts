import type { EventContent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { putApplied } from '#shared/state/head.ts';
import { TYPICAL } from './collectors.ts';
import { recorded, statusWith, wdsDeployment } from './recorded-deployment.ts';
import { aggregateAll, drain, type UseCaseWorld } from './use-case-world.ts';

const WDS = 'wds1';
const NAMESPACE = 'shop';
const GROUP = 'control.kubestellar.io';
const apiVersion = `${GROUP}/v1alpha1`;
/** How many WECs' events are recorded before what they make dirty is received. */
const SETUP_BATCH = 500;
/** As many as a body of a forwarder has. */
const EVENTS_IN_BODY = 20;
/** The objects that one Binding names. */
const NAMED = 100;

/** Names of so many objects or WECs. */
export function namesOf(prefix: string, count: number): readonly string[] {
  return Array.from(
    { length: count },
    (_name, index) => `${prefix}-${String(index).padStart(6, '0')}`,
  );
}

function wdsObject(group: string, resource: string, object: JsonObject): EventContent {
  // Objects of this file have a name.
  const { name = '', namespace = '' } = object['metadata'] as Record<string, string>;
  const subject = { group, resource, namespace, name };
  return { type: 'wds-object', subject, first: true, object };
}

function collector(name: string, spec: JsonObject): EventContent {
  const metadata = { name, uid: `uid-${name}` };
  return wdsObject(GROUP, 'statuscollectors', {
    apiVersion,
    kind: 'StatusCollector',
    metadata,
    spec,
  });
}

function binding(
  name: string,
  workloads: readonly string[],
  wecs: readonly string[],
): EventContent {
  const object = { group: 'apps', version: 'v1', resource: 'deployments', namespace: NAMESPACE };
  const modulation = {
    statusCollectors: Object.keys(TYPICAL),
    wantMultiWECReportedState: true,
  };
  return wdsObject(GROUP, 'bindings', {
    apiVersion,
    kind: 'Binding',
    metadata: { name, uid: `uid-${name}` },
    spec: {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: workloads.map((workload) => ({
          ...object,
          name: workload,
          resourceVersion: '1',
          ...modulation,
        })),
      },
    },
  });
}

/** The status of a workload object in a WEC with so many available replicas. */
export function returned(
  name: string,
  available: number,
  { more = {}, first = true }: { readonly more?: JsonObject; readonly first?: boolean } = {},
): EventContent {
  return {
    type: 'wec-object',
    wds: WDS,
    subject: { group: 'apps', resource: 'deployments', namespace: NAMESPACE, name },
    first,
    returned: {
      uid: `uid-${available}`,
      generation: 1,
      spec: recorded('spec'),
      lastUpdate: '2026-11-21T09:13:45Z',
      status: statusWith(available, more),
    },
  };
}

function chunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_chunk, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** Records another specification of a StatusCollector that each Binding uses. */
export function changeCollector(world: UseCaseWorld, limit: number): Promise<void> {
  const [[name, spec] = ['', {}]] = Object.entries(TYPICAL);
  const content = collector(name, { ...spec, limit });
  return world.record({ type: 'wds', name: WDS }, [content]);
}

/** Workload objects that Bindings name together with all these WECs, with all rows recorded and everything aggregated once. */
export async function fill(
  world: UseCaseWorld,
  workloads: readonly string[],
  wecs: readonly string[],
): Promise<void> {
  const wds = { type: 'wds', name: WDS } as const;
  await world.record(
    wds,
    Object.entries(TYPICAL).map(([name, spec]) => collector(name, spec)),
  );
  for (const [index, named] of chunks(workloads, NAMED).entries()) {
    await world.record(
      wds,
      named.map((name) => wdsObject('apps', 'deployments', wdsDeployment(name, NAMESPACE))),
    );
    await world.record(wds, [binding(`binding-${index}`, named, wecs)]);
  }
  await aggregateAll(world);
  for (const batch of chunks(wecs, Math.max(1, Math.ceil(SETUP_BATCH / workloads.length)))) {
    // Each WEC's forwarder sends its own events; one call may record those of many.
    const reports = batch.map(async (name) => {
      for (const body of chunks(workloads, EVENTS_IN_BODY))
        await world.record(
          { type: 'wec', name },
          body.map((workload) => returned(workload, 5)),
        );
    });
    await Promise.all(reports);
    await drain(world.dirty, async () => undefined);
  }
  const [first = ''] = wecs;
  for (const body of chunks(workloads, EVENTS_IN_BODY))
    await world.record(
      { type: 'wec', name: first },
      body.map((workload) => returned(workload, 4)),
    );
  await aggregateAll(world);
  await drain(world.hints, async () => undefined);
  for (const workload of workloads) await apply(world, workload);
}

/** As the writer leaves it: until something was written in a new state, each aggregation asks which WECs have told nothing. */
async function apply({ store }: UseCaseWorld, name: string): Promise<void> {
  const workload = {
    wds: WDS,
    group: 'apps',
    resource: 'deployments',
    namespace: NAMESPACE,
    name,
  };
  const pk = subjectPartition({ type: 'workload', workload });
  const nothing = { hash: '', owned: {}, errorBindings: [], reported: [] };
  if (!(await putApplied(store, pk, { revision: 1, ...nothing })))
    throw new Error('something else was applied');
}
