import { WORK_GROUP } from '#shared/core/binding/managed-cluster.ts';
import { at, isArray, type JsonObject, member, textAt } from '#shared/core/json.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

/** OCM's record, in a WEC, of a ManifestWork that its agent has applied there. */
export const APPLIED_WORKS: Resource = {
  group: WORK_GROUP,
  version: 'v1',
  resource: 'appliedmanifestworks',
};

const UID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const NAME_WITH_WDS = new RegExp(`^${UID}-(.+)-(${UID})$`);

/** The origin of a ManifestWork. */
export interface WorkOrigin {
  readonly wds: string;
  /** UID of the object in the WDS that the ManifestWork contains. */
  readonly uid: string;
}

/**
 * The WDS and the object that a ManifestWork came from, derived from its name. By default, each object has a ManifestWork of
 * its own, and KubeStellar's transport names it `<uid of the Binding>-<wds>-<uid of the object>`. Returns `undefined` if the
 * name has another form.
 */
export function originOfWork(manifestWorkName: string): WorkOrigin | undefined {
  const [, wds, uid] = NAME_WITH_WDS.exec(manifestWorkName) ?? [];
  return wds === undefined || uid === undefined ? undefined : { wds, uid };
}

/** The fields of an AppliedManifestWork: its uid, the name of its ManifestWork, and the resources of the applied objects. */
export interface AppliedWork {
  readonly uid: string;
  readonly manifestWorkName: string;
  readonly resources: readonly Resource[];
}

/** Reads an AppliedManifestWork (OCM API, work/v1): `spec.manifestWorkName`, `status.appliedResources`. */
export function parseAppliedWork(object: JsonObject): AppliedWork {
  const applied = at(object, 'status', 'appliedResources');
  const resources = (isArray(applied) ? applied : []).map((entry) => ({
    group: textAt(entry, 'group'),
    version: textAt(entry, 'version'),
    resource: textAt(entry, 'resource'),
  }));
  return {
    uid: textAt(object, 'metadata', 'uid'),
    manifestWorkName: textAt(object, 'spec', 'manifestWorkName'),
    resources: resources.filter(({ version, resource }) => version !== '' && resource !== ''),
  };
}

/** The uids of the AppliedManifestWorks that own an object (`metadata.ownerReferences`). */
export function owningWorks(object: JsonObject): readonly string[] {
  const owners = at(object, 'metadata', 'ownerReferences');
  if (!isArray(owners)) return [];
  return owners
    .filter(
      (owner) =>
        member(owner, 'kind') === 'AppliedManifestWork' &&
        textAt(owner, 'apiVersion').startsWith(`${WORK_GROUP}/`),
    )
    .map((owner) => textAt(owner, 'uid'))
    .filter((uid) => uid !== '');
}
