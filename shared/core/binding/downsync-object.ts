import { isDeleting } from '#shared/core/deleting.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type Labels, labelsOf } from '#shared/core/labels.ts';
import { metadataText } from '#shared/core/metadata.ts';

/** Identifies an object of a WDS regardless of its version. `namespace` is `''` for a cluster-scoped object. */
export interface DownsyncObjectRef {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What the resolution of bindings needs of an object of a WDS. */
export interface DownsyncObject extends DownsyncObjectRef {
  readonly version: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Labels;
  /**
   * Identifies the content of the object without its status and without what Starfold writes. The key changes exactly
   * when that content changes.
   */
  readonly contentKey: string;
  /** Whether the object has a deletion timestamp. If so, it is no longer sent anywhere. */
  readonly deleting: boolean;
}

/**
 * What the resolution needs of an object that an API server returned.
 *
 * @param resource the resource at which the object was listed or watched
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
