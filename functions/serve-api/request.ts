import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { BUNDLE_STATES, type BundleState } from '#shared/core/fleet/bundle-state.ts';
import { FLEET_GROUP } from '#shared/core/fleet-object.ts';
import { isSourceName, namesFault } from '#shared/core/names.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import {
  INVALID_UPSTREAM,
  invalidLimit,
  invalidState,
  notListed,
  notUrlEncoded,
  unknownParameter,
} from './messages.ts';
import { badRequest, notFound } from './problem.ts';

/** The requested page of a list. */
export interface PageRequest {
  /** The maximum number of entries. */
  readonly limit: number;
  readonly cursor?: string;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

/** Resources whose BundleDeployments can be listed. */
const LISTED = ['bundles', 'clusters', 'gitrepos', 'helmops'] as const;

/** An object whose BundleDeployments can be listed. */
export type ListedSubject = FleetSubject & { readonly resource: (typeof LISTED)[number] };

/** A target without a BundleDeployment is Pending, so no BundleDeployment has this state. */
const STATES = BUNDLE_STATES.filter((state) => state !== 'Pending');

/** A name in the path. API Gateway decodes it. A valid name contains no `%`, so it may be decoded twice. */
function pathName({ pathParameters }: APIGatewayProxyEventV2, key: string): string {
  const text = pathParameters?.[key] ?? '';
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw badRequest(notUrlEncoded(key), { cause: error });
  }
}

function checkQuery(
  { queryStringParameters }: APIGatewayProxyEventV2,
  known: readonly string[],
): void {
  const unknown = Object.keys(queryStringParameters ?? {}).find((key) => !known.includes(key));
  if (unknown !== undefined) throw badRequest(unknownParameter(unknown, known));
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!/^\d{1,3}$/.test(text) || limit < 1 || limit > MAX_LIMIT)
    throw badRequest(invalidLimit(MAX_LIMIT));
  return limit;
}

/** Reads the management cluster of a request. @throws Problem */
export function upstreamOf(event: APIGatewayProxyEventV2): string {
  const upstream = pathName(event, 'upstream');
  if (!isSourceName(upstream)) throw badRequest(INVALID_UPSTREAM);
  return upstream;
}

/**
 * Reads the page of a request.
 *
 * @param more the other parameters that the query may have
 * @throws Problem
 */
export function pageOf(event: APIGatewayProxyEventV2, more: readonly string[] = []): PageRequest {
  checkQuery(event, ['limit', 'cursor', ...more]);
  const { limit, cursor } = event.queryStringParameters ?? {};
  return { limit: limitOf(limit), ...(cursor === undefined ? {} : { cursor }) };
}

/** Reads the object whose BundleDeployments are requested. @throws Problem */
export function subjectOf(event: APIGatewayProxyEventV2): ListedSubject {
  const upstream = upstreamOf(event);
  const plural = pathName(event, 'resource');
  const resource = LISTED.find((one) => one === plural);
  if (resource === undefined) throw notFound(notListed(plural, LISTED));
  const [namespace, name] = [pathName(event, 'namespace'), pathName(event, 'name')];
  const fault = namesFault({ wds: upstream, group: FLEET_GROUP, resource, namespace, name });
  if (fault !== undefined) throw badRequest(fault);
  return { type: 'fleet', upstream, resource, namespace, name };
}

/** Reads the requested state; undefined for any state. @throws Problem */
export function stateOf({
  queryStringParameters,
}: APIGatewayProxyEventV2): BundleState | undefined {
  const text = queryStringParameters?.['state'];
  if (text === undefined) return undefined;
  const state = STATES.find((one) => one === text);
  if (state === undefined) throw badRequest(invalidState(STATES));
  return state;
}
