import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { apply, clusters, read, setStatus } from './clusters.ts';
import { bind, collect, controlRef, inWds } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment, type Manifest, statefulSet } from './workloads.ts';

const { wds, wec1 } = clusters();

/** The namespace of all workload objects. */
export const namespace = 'roles-writer';
/** The one WEC, as Bindings call it. */
export const WEC = 'written';

/** The workload objects of a case. */
export function workloadsOf(name: string): readonly [Manifest, Manifest] {
  return [deployment({ namespace, name }), statefulSet({ namespace, name })];
}

/** Makes the WEC say of the objects of a case that so many replicas are ready. */
export async function report(name: string, replicas: number): Promise<void> {
  const [web, db] = workloadsOf(name);
  await setStatus(wec1, web.ref, rolledOut(1, replicas, minute(1)));
  const counts = { replicas, readyReplicas: replicas, availableReplicas: replicas };
  await setStatus(wec1, db.ref, { ...counts, updatedReplicas: replicas, observedGeneration: 1 });
}

/** Makes everything of a case but what Starfold writes. */
export async function begin(name: string): Promise<void> {
  for (const { ref, object } of workloadsOf(name))
    for (const cluster of [wds, wec1]) await apply(cluster, ref, object);
  await report(name, 1);
  await collect(name, { select: [{ name: 'status', def: 'returned.status' }], limit: 10 });
  await apply(wds, controlRef('bindingpolicies', name), {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name },
    spec: {},
  });
  const modulation = { wantMultiWECReportedState: true, statusCollectors: [name] };
  await bind({
    name,
    destinations: [WEC],
    objects: workloadsOf(name).map(({ ref }) => [ref, modulation] as const),
  });
}

async function uidOf(ref: ObjectRef): Promise<string> {
  return String(await inWds(ref, 'metadata', 'uid')());
}

/** What of a case Starfold has not written. */
export async function unwritten(name: string, replicas: number): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { ref } of workloadsOf(name)) {
    if ((await inWds(ref, 'status', 'readyReplicas')()) !== replicas) missing.push(ref.resource);
    const policy = await uidOf(controlRef('bindingpolicies', name));
    const slot = controlRef('combinedstatuses', `${await uidOf(ref)}.${policy}`, namespace);
    if ((await read(wds, slot)) === undefined) missing.push(`CombinedStatus of ${ref.resource}`);
  }
  for (const resource of ['bindings', 'bindingpolicies', 'statuscollectors'])
    if ((await inWds(controlRef(resource, name), 'status')()) === undefined) missing.push(resource);
  return missing;
}
