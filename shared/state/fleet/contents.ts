import * as z from 'zod/mini';
import type { BundlePart } from '#shared/core/fleet/bundle-fold.ts';
import type { SourcePart } from '#shared/core/fleet/bundle-sources-fold.ts';
import { BUNDLE_STATES } from '#shared/core/fleet/bundle-state.ts';
import type { CellsPart, ClusterCell } from '#shared/core/fleet/cells-fold.ts';
import type { ClusterPart } from '#shared/core/fleet/cluster-fold.ts';
import type { GroupPart } from '#shared/core/fleet/cluster-group-fold.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import type { BundleResult, FleetResult } from '#shared/core/fleet/fleet-result.ts';
import type { ResourceCounts } from '#shared/core/fleet/resource-counts.ts';
import type { KeyedResource } from '#shared/core/fleet/resource-states.ts';
import type { BundleFailure } from '#shared/core/fleet/source-bundles-fold.ts';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import { type ContentCodec, contentCodec } from '#shared/state/body.ts';
import { looseObject } from '#shared/state/loose-object.ts';

const texts = z.array(z.string());
const objects = z.array(z.custom<JsonObject>(isObject));
const counts = z.custom<ResourceCounts>(isObject);

/** The row of a BundleDeployment below its Bundle or below its Cluster. */
export const DEPLOYMENT_ROW: ContentCodec<DeploymentRow> = contentCodec(
  'row of a BundleDeployment',
  looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    cluster: z.string(),
    bundle: z.string(),
    repo: z.string(),
    helmOp: z.string(),
    state: z.enum(BUNDLE_STATES),
    message: z.string(),
    modified: objects,
    nonReady: objects,
    unavailable: z.boolean(),
    counts,
    resources: z.array(z.custom<KeyedResource>(Array.isArray)),
    incomplete: z.boolean(),
  }),
);

/** The row of a Cluster below a GitRepo or HelmOp. */
export const CELL_ROW: ContentCodec<ClusterCell> = contentCodec(
  'row of a Cluster',
  looseObject({ cluster: z.string(), deployments: z.number(), ready: z.number(), counts }),
);

/** The row of a Cluster below a ClusterGroup. */
export const GROUP_ROW: ContentCodec<GroupPart> = contentCodec(
  'row of a Cluster in a ClusterGroup',
  z.custom<GroupPart>(
    (value) => isObject(value) && isObject(value['summary']) && isObject(value['counts']),
  ),
);

/** The row of a Bundle below a GitRepo or HelmOp. */
export interface BundleRow {
  /** The stored result of the Bundle. It is `null` if nothing of it belongs to the GitRepo or HelmOp. */
  readonly result: {
    readonly revision: number;
    readonly chunks: number;
    readonly hash: string;
  } | null;
  /** `null` if the Bundle does not name the GitRepo or HelmOp, or does not exist. */
  readonly known: BundleFailure | null;
}

/** See {@link BundleRow}. */
export const BUNDLE_ROW: ContentCodec<BundleRow> = contentCodec(
  'row of a Bundle',
  looseObject({
    result: z.nullable(looseObject({ revision: z.number(), chunks: z.number(), hash: z.string() })),
    known: z.nullable(
      z.custom<BundleFailure>(
        (value) =>
          isObject(value) &&
          typeof value['order'] === 'string' &&
          typeof value['error'] === 'string',
      ),
    ),
  }),
);

const bundleResult = {
  parts: z.array(z.custom<SourcePart>((value) => isObject(value) && isObject(value['part']))),
  targetErrors: texts,
};

/** The result of a Bundle, for the GitRepos and HelmOps above it. */
export const BUNDLE_RESULT: ContentCodec<BundleResult> = contentCodec(
  'result of a Bundle',
  looseObject(bundleResult),
);

const source = {
  part: z.custom<BundlePart>(isObject),
  cells: z.custom<CellsPart>(isObject),
  bundleError: z.string(),
};

/** The result of an object of Fleet. For the parts of folds, the schema only checks that they are objects. */
export const FLEET_RESULT: ContentCodec<FleetResult> = contentCodec(
  'result of an object of Fleet',
  z.discriminatedUnion('resource', [
    looseObject({ resource: z.literal('bundles'), ...bundleResult }),
    looseObject({
      resource: z.literal('clusters'),
      namespace: z.string(),
      name: z.string(),
      contact: z.discriminatedUnion('type', [
        looseObject({ type: z.enum(['connected', 'never']) }),
        looseObject({ type: z.literal('silent'), lastSeen: z.string() }),
      ]),
      part: z.custom<ClusterPart>(isObject),
      gitRepos: texts,
      helmOps: texts,
    }),
    looseObject({
      resource: z.literal('clustergroups'),
      part: z.custom<GroupPart>(isObject),
      selectorErrors: texts,
    }),
    looseObject({
      resource: z.literal('gitrepos'),
      ...source,
      hasBundles: z.boolean(),
      job: z.exactOptional(z.nullable(z.custom<JsonObject>(isObject))),
    }),
    looseObject({ resource: z.literal('helmops'), ...source }),
  ]),
);
