import type { JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  apply,
  type Cluster,
  clusters,
  createNamespace,
  pathOf,
  request,
} from '#test/e2e/clusters.ts';
import { bindingOf, controlRef } from '#test/e2e/controls.ts';
import { deployment, type Manifest } from '#test/e2e/workloads.ts';

/** A Deployment that the Binding asks a status for, one that it only sends, a Secret, and the Namespace of all. */
export interface Bound {
  readonly namespace: string;
  readonly app: Manifest;
  readonly other: Manifest;
  readonly secret: Manifest;
  readonly place: ObjectRef;
}

/** The objects of a test in its namespace. */
export function boundObjects(namespace: string): Bound {
  const secret = { group: '', version: 'v1', resource: 'secrets', namespace, name: 'key' };
  const metadata = { name: 'key', namespace, labels: { app: 'key' } };
  return {
    namespace,
    app: deployment({ namespace, name: 'app' }),
    other: deployment({ namespace, name: 'other' }),
    secret: { ref: secret, object: { apiVersion: 'v1', kind: 'Secret', metadata } },
    place: { group: '', version: 'v1', resource: 'namespaces', namespace: '', name: namespace },
  };
}

/** Sends these objects to both WECs, with a Binding of this name in a WDS. */
export function bindIn(
  wds: Cluster,
  name: string,
  objects: readonly (readonly [ObjectRef, JsonObject])[],
): Promise<JsonObject> {
  const binding = bindingOf({ name, destinations: ['wec1', 'wec2'], objects });
  return apply(wds, controlRef('bindings', name), binding);
}

/** Puts the objects into a WDS and the Deployments into the WECs, and binds them. */
export async function putBound(wds: Cluster, bound: Bound): Promise<void> {
  const { namespace, app, other, secret, place } = bound;
  const { wec1, wec2 } = clusters();
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    for (const { ref, object } of [app, other]) await apply(cluster, ref, object);
  }
  await apply(wds, secret.ref, secret.object);
  await bindIn(wds, namespace, [
    [app.ref, { wantMultiWECReportedState: true }],
    [other.ref, {}],
    [secret.ref, {}],
    [place, {}],
  ]);
}

/** Removes from the WECs, which other tests use too, what {@link putBound} has put there. */
export async function removeFromWecs({ app, other }: Bound): Promise<void> {
  const { wec1, wec2 } = clusters();
  for (const cluster of [wec1, wec2])
    for (const { ref } of [app, other])
      await request(cluster, { method: 'DELETE', path: pathOf(ref) });
}
