import { subjectPartition } from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putHead, readHead } from '#shared/state/head.ts';
import { putNamed } from '#shared/state/named-objects.ts';

/** A workload object of `wds1`. */
export function workloadNamed(name: string, resource = 'deployments'): WorkloadRef {
  const group = resource === 'services' ? '' : 'apps';
  return { wds: 'wds1', group, resource, namespace: 'shop', name };
}

/** Puts the entry that a Binding names an object, and its head with a verdict, as an aggregation does. */
export async function putJudged(
  store: ItemStore,
  workload: WorkloadRef,
  status: string | undefined,
): Promise<void> {
  const pk = subjectPartition({ type: 'workload', workload });
  const head = await readHead(store, pk);
  const revision = head.revision + 1;
  const verdict = status === undefined ? {} : { verdict: { status } };
  await putNamed(store, workload, revision);
  await putHead(store, pk, { ...head, revision, named: true, ...verdict });
}
