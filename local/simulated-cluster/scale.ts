import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { metadataOf } from './stored-object.ts';

function selectorText(object: JsonObject): string {
  const labels = at(object, 'spec', 'selector', 'matchLabels') ?? at(object, 'spec', 'selector');
  if (!isObject(labels)) return '';
  return Object.entries(labels)
    .filter(([, value]) => typeof value === 'string')
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** The `Scale` (autoscaling/v1) of a workload object. */
export function scaleOf(object: JsonObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(object);
  const selector = selectorText(object);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: {
      name: name ?? '',
      namespace: namespace ?? '',
      uid: uid ?? '',
      resourceVersion: resourceVersion ?? '',
      creationTimestamp: creationTimestamp ?? '',
    },
    spec: { replicas: at(object, 'spec', 'replicas') ?? 1 },
    status: {
      replicas: at(object, 'status', 'replicas') ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** The workload object with the number of replicas and the resourceVersion of a `Scale`. */
export function scaled(object: JsonObject, scale: JsonValue): JsonObject {
  const spec = object['spec'];
  const resourceVersion = at(scale, 'metadata', 'resourceVersion');
  return {
    ...object,
    metadata: {
      ...metadataOf(object),
      ...(resourceVersion ? { resourceVersion } : {}),
    },
    spec: { ...(isObject(spec) ? spec : {}), replicas: at(scale, 'spec', 'replicas') ?? 0 },
  };
}
