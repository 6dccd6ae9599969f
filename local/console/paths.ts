import { GROUP, VERSION } from '#shared/api/api-group.ts';
import { CONTROL_GROUP, CONTROL_VERSION } from '#shared/core/kubestellar.ts';

/** `/openapi/v3`, which lists the documents of a server. */
export const OPENAPI_ROOT = '/openapi/v3';

/** What a segment of a path may not be or contain (Kubernetes, "Path Segment Names"), and what no name contains. */
const UNFIT = /^\.{0,2}$|[/%\p{Cc}]/u;

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

/** The segments of a path without their escapes. Undefined if one of them could lead a client to another path. */
function segmentsOf(path: string): readonly string[] | undefined {
  if (!path.startsWith('/')) return undefined;
  const segments = path.slice(1).split('/').map(decoded);
  return segments.some((segment) => UNFIT.test(segment)) ? undefined : segments;
}

/** The only spelling in which a path is sent. */
function pathOf(segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

function isBelow(
  segments: readonly string[],
  root: readonly string[],
): readonly string[] | undefined {
  return root.every((name, index) => segments[index] === name)
    ? segments.slice(root.length)
    : undefined;
}

function isCombinedStatuses([first, namespace, resource, ...rest]: readonly string[]): boolean {
  if (first === 'combinedstatuses') return namespace === undefined;
  return (
    first === 'namespaces' &&
    namespace !== undefined &&
    resource === 'combinedstatuses' &&
    rest.length <= 1
  );
}

function isOpenApi([first, group, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (first === 'api') return group === 'v1' && rest.length === 0;
  return first === 'apis' && group !== undefined && group !== GROUP && rest.length <= 1;
}

/**
 * The path of the WDS that a request of the page is for, in the spelling in which it is sent: CombinedStatuses, and the documents
 * of OpenAPI but those of Starfold's own group. Undefined for every other path.
 */
export function wdsPath(path: string): string | undefined {
  const segments = segmentsOf(path);
  if (segments === undefined) return undefined;
  const combined = isBelow(segments, ['apis', CONTROL_GROUP, CONTROL_VERSION]);
  const openApi = isBelow(segments, ['openapi', 'v3']);
  const isOfWds =
    (combined !== undefined && isCombinedStatuses(combined)) ||
    (openApi !== undefined && isOpenApi(openApi));
  return isOfWds ? pathOf(segments) : undefined;
}

/** What a request to Starfold's API is. */
export interface StatusPath {
  /** The spelling in which it is sent. */
  readonly path: string;
  /** Whether it is where queries are posted. */
  readonly isQuery: boolean;
}

const QUERIES: ReadonlySet<string | undefined> = new Set(['statusqueries', 'clusterstatusqueries']);

/** The same for Starfold's API and its document of OpenAPI. */
export function statusPath(path: string): StatusPath | undefined {
  const segments = segmentsOf(path);
  if (segments === undefined) return undefined;
  const below = isBelow(segments, ['apis', GROUP, VERSION]);
  const isDocument = isBelow(segments, ['openapi', 'v3', 'apis', GROUP]) !== undefined;
  if (below === undefined && !isDocument && pathOf(segments) !== OPENAPI_ROOT) return undefined;
  const [first, , namespaced] = below ?? [];
  const last = first === 'namespaces' ? namespaced : first;
  const length = first === 'namespaces' ? 3 : 1;
  return { path: pathOf(segments), isQuery: QUERIES.has(last) && below?.length === length };
}
