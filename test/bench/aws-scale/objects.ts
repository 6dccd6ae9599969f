import type { EventContent, ReturnedObject } from '#shared/core/event.ts';
import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { TYPICAL } from '#test/bench/collectors.ts';
import { WDS } from '#test/bench/cost/objects.ts';
import { countedStatus, recorded } from '#test/bench/recorded-deployment.ts';

const CHANGES = 'changes';

/** Three collectors. One of them sums up how often the object has changed in its WECs. */
export const COLLECTORS: Readonly<Record<string, JsonObject>> = {
  ...Object.fromEntries(Object.entries(TYPICAL).filter(([name]) => name !== 'total')),
  [CHANGES]: {
    combinedFields: [{ name: CHANGES, type: 'SUM', subject: 'returned.status.collisionCount' }],
  },
};

/** What a WEC says of a Deployment that has changed there so often. Each changes what the WDS shows. */
export function counted(
  workload: string,
  changes: number,
  about: { readonly nowMs: number; readonly first: boolean; readonly counter: number },
): Extract<EventContent, { type: 'wec-object' }> {
  const returned: ReturnedObject = {
    uid: `uid-${workload}`,
    generation: 1,
    spec: recorded('spec'),
    lastUpdate: new Date(about.nowMs).toISOString(),
    status: countedStatus(5 - (changes % 2), about.counter, { collisionCount: changes }),
  };
  const subject = {
    ...{ group: 'apps', resource: 'deployments', namespace: 'shop', name: workload },
  };
  return { type: 'wec-object', wds: WDS, subject, first: about.first, returned };
}

/** How often an object has changed in its WECs, as its CombinedStatus in the WDS shows; undefined for another object. */
export function shownChanges(
  ref: ObjectRef,
  object: JsonObject,
): { readonly workload: string; readonly changes: number } | undefined {
  if (ref.resource !== 'combinedstatuses') return undefined;
  const workload = at(object, 'metadata', 'labels', 'status.kubestellar.io/name');
  const results = member(object, 'results');
  const own = isArray(results)
    ? results.find((result) => member(result, 'name') === CHANGES)
    : undefined;
  const rows = member(own, 'rows');
  const [row] = isArray(rows) ? rows : [];
  const columns = member(row, 'columns');
  const [cell]: readonly (JsonValue | undefined)[] = isArray(columns) ? columns : [];
  const value = member(cell, 'float');
  return typeof workload === 'string' && value !== undefined
    ? { workload, changes: Number(value) }
    : undefined;
}
