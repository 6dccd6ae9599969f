import { isDeleting } from '#shared/core/deleting.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { metadataText } from '#shared/core/metadata.ts';
import { type Labels, labelsOf } from './labels.ts';

/** Names an object of a WDS, whatever its version. `namespace` is `''` for a cluster-scoped object. */
export interface DownsyncObjectRef {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What the resolution of bindings has to know of an object of a WDS. */
export interface DownsyncObject extends DownsyncObjectRef {
  readonly version: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Labels;
  /**
   * Names what the object says, without its status and what Starfold writes: it changes exactly when that changes.
   */
  readonly contentKey: string;
  /** Whether it has a deletion timestamp: then it goes nowhere any more. */
  readonly deleting: boolean;
}

/**
 * What the resolution has to know of an object as an API server gives it.
 *
 * @param resource where it was listed or watched
 * @param contentKey see {@link DownsyncObject.contentKey}
 */
export function downsyncObject(
  resource: Pick<DownsyncObject, 'group' | 'version' | 'resource'>,
  object: JsonObject,
  contentKey: string,
): DownsyncObject {
  return {
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    namespace: metadataText(object, 'namespace'),
    name: metadataText(object, 'name'),
    uid: metadataText(object, 'uid'),
    resourceVersion: metadataText(object, 'resourceVersion'),
    labels: labelsOf(object),
    contentKey,
    deleting: isDeleting(object),
  };
}
