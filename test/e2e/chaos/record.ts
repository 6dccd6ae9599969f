import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { type Cluster, collectionPath, read, watch } from '#test/e2e/clusters.ts';
import { edit } from '#test/e2e/controls.ts';

const ENDED = 'chaos.starfold.dev/recorded';

/** Every version that a cluster shows of one object. */
export interface Recording {
  /** One member of each version's status until now, in their order. */
  shown(member: string): readonly (JsonValue | undefined)[];
  /** Ends when all versions until now are there. */
  stop(): Promise<void>;
}

/** Records all versions of an object from now on. */
export async function record(cluster: Cluster, ref: ObjectRef): Promise<Recording> {
  const versions: JsonObject[] = [];
  const from = String(at(await read(cluster, ref), 'metadata', 'resourceVersion'));
  const query = `watch=true&resourceVersion=${from}&fieldSelector=metadata.name%3D${ref.name}`;
  const path = `${collectionPath(ref, ref.namespace)}?${query}`;
  const watched = watch(cluster, path, ({ object }) => {
    if (isObject(object)) versions.push(object);
    return at(object, 'metadata', 'annotations', ENDED) !== undefined;
  });
  return {
    shown: (member) => versions.map((version) => at(version, 'status', member)),
    stop: async () => {
      await edit(cluster, ref, { metadata: { annotations: { [ENDED]: '' } } });
      await watched;
    },
  };
}
