import { isArray, type JsonValue, member, textAt } from '#shared/core/json.ts';
import { groupResource } from '#shared/core/resource-name.ts';
import { ApiNotFoundError, ApiUnavailableError } from '#shared/errors.ts';
import type { Discovery, Resource, ResourceInfo } from '#shared/ports/kubernetes-api.ts';
import { MAX_DISCOVERY_BYTES } from './answer-body.ts';
import { parseAnswer } from './answer-json.ts';
import type { Connection } from './connection.ts';
import { groupVersionPath } from './paths.ts';

/** Kubernetes API discovery: the aggregated form if the server supports it, otherwise the older lists. */
const ACCEPT_AGGREGATED = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

interface Served extends ResourceInfo {
  readonly verbs: readonly string[];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** What one of the two roots serves. */
interface Answer {
  readonly served: readonly Served[];
  /** Groups for which a part of the answer is missing. */
  readonly unanswered: readonly string[];
}

function items(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

function texts(value: JsonValue | undefined): readonly string[] {
  return items(value).filter((entry) => typeof entry === 'string');
}

function servedAggregated(at: GroupVersion, resource: JsonValue): Served {
  return {
    ...at,
    resource: textAt(resource, 'resource'),
    kind: textAt(resource, 'responseKind', 'kind'),
    namespaced: textAt(resource, 'scope') === 'Namespaced',
    statusSubresource: items(member(resource, 'subresources')).some(
      (subresource) => textAt(subresource, 'subresource') === 'status',
    ),
    verbs: texts(member(resource, 'verbs')),
  };
}

/**
 * The resources of an aggregated answer. The versions of each group are in the server's order of preference. If the API server
 * of a version has not answered recently, the version is `Stale` (Kubernetes API reference, `APIVersionDiscovery.freshness`).
 */
function aggregated(answer: JsonValue): Answer {
  const groups = items(member(answer, 'items')).map((group) => ({
    name: textAt(group, 'metadata', 'name'),
    versions: items(member(group, 'versions')),
  }));
  return {
    served: groups.flatMap(({ name, versions }) =>
      versions.flatMap((entry) =>
        items(member(entry, 'resources')).map((resource) =>
          servedAggregated({ group: name, version: textAt(entry, 'version') }, resource),
        ),
      ),
    ),
    unanswered: groups
      .filter(({ versions }) => versions.some((entry) => textAt(entry, 'freshness') === 'Stale'))
      .map(({ name }) => name),
  };
}

/** The resources of an `APIResourceList`. It has subresources as `deployments/status`. */
function ofResourceList(at: GroupVersion, answer: JsonValue): readonly Served[] {
  const entries = items(member(answer, 'resources'));
  const names = new Set(entries.map((entry) => textAt(entry, 'name')));
  return entries
    .filter((entry) => !textAt(entry, 'name').includes('/'))
    .map((entry) => ({
      ...at,
      resource: textAt(entry, 'name'),
      kind: textAt(entry, 'kind'),
      namespaced: member(entry, 'namespaced') === true,
      statusSubresource: names.has(`${textAt(entry, 'name')}/status`),
      verbs: texts(member(entry, 'verbs')),
    }));
}

/** The group versions of an `APIVersions` or `APIGroupList`. The preferred version of each group comes first. */
function groupVersions(answer: JsonValue): readonly GroupVersion[] {
  const core = texts(member(answer, 'versions')).map((version) => ({ group: '', version }));
  const named = items(member(answer, 'groups')).flatMap((group) => {
    const preferred = textAt(group, 'preferredVersion', 'version');
    const versions = items(member(group, 'versions')).map((entry) => textAt(entry, 'version'));
    return [...new Set([preferred, ...versions])]
      .filter((version) => version !== '')
      .map((version) => ({ group: textAt(group, 'name'), version }));
  });
  return [...core, ...named];
}

async function readResourceList(
  connection: Connection,
  groupVersion: GroupVersion,
  signal: AbortSignal | undefined,
): Promise<readonly Served[]> {
  const path = groupVersionPath(groupVersion);
  const operation = `discover ${path}`;
  const body = await connection.send({
    operation,
    method: 'GET',
    path,
    maxAnswerBytes: MAX_DISCOVERY_BYTES,
    signal,
  });
  return ofResourceList(groupVersion, parseAnswer(operation, body));
}

async function readRoot(
  connection: Connection,
  path: '/api' | '/apis',
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const operation = `discover ${path}`;
  const body = await connection.send({
    operation,
    method: 'GET',
    path,
    accept: ACCEPT_AGGREGATED,
    maxAnswerBytes: MAX_DISCOVERY_BYTES,
    signal,
  });
  const answer = parseAnswer(operation, body);
  if (textAt(answer, 'kind') === 'APIGroupDiscoveryList') return aggregated(answer);
  const served: Served[] = [];
  const unanswered = new Set<string>();
  for (const groupVersion of groupVersions(answer)) {
    try {
      served.push(...(await readResourceList(connection, groupVersion, signal)));
    } catch (error) {
      // An aggregated API server that is down (often the metrics server) must not hide all other groups. kubectl continues as
      // well.
      const alone = error instanceof ApiUnavailableError || error instanceof ApiNotFoundError;
      if (!alone || signal?.aborted) throw error;
      unanswered.add(groupVersion.group);
    }
  }
  return { served, unanswered: [...unanswered] };
}

/**
 * Every resource that can be listed and watched, in its group's preferred version, or in the first version that has it, with
 * the other versions that have it.
 *
 * @throws the errors of the Kubernetes port.
 */
export async function discoverResources(
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<Discovery> {
  const core = await readRoot(connection, '/api', signal);
  const named = await readRoot(connection, '/apis', signal);
  const followed = [...core.served, ...named.served]
    .filter(({ verbs }) => verbs.includes('list') && verbs.includes('watch'))
    .map(({ verbs: _, ...info }): ResourceInfo => info);
  const resources = [...Map.groupBy(followed, groupResource).values()].flatMap(
    ([preferred, ...others]) => {
      if (preferred === undefined) return [];
      const otherVersions = others.map(({ version }) => version);
      return otherVersions.length === 0 ? preferred : { ...preferred, otherVersions };
    },
  );
  return { resources, unanswered: [...core.unanswered, ...named.unanswered] };
}

/** How long the list of status subresources is cached. A CustomResourceDefinition may change. */
const STATUS_SUBRESOURCES_MS = 5 * 60_000;

/** Returns whether a resource has a status subresource. The API server's answers are cached. */
export function createStatusSubresources(
  connection: Connection,
  now: () => number,
): (resource: Resource, signal: AbortSignal | undefined) => Promise<boolean> {
  const cache = new Map<string, { readonly until: number; readonly resources: Set<string> }>();
  return async ({ group, version, resource }, signal) => {
    const path = groupVersionPath({ group, version });
    let entry = cache.get(path);
    if (entry === undefined || entry.until <= now()) {
      const served = await readResourceList(connection, { group, version }, signal);
      const resources = new Set(
        served.filter((info) => info.statusSubresource).map((info) => info.resource),
      );
      entry = { until: now() + STATUS_SUBRESOURCES_MS, resources };
      cache.set(path, entry);
    }
    return entry.resources.has(resource);
  };
}
