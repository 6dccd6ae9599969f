import { aggregatedDiscovery, requireJson } from './accept.ts';
import { JSON_TYPE, jsonAnswer, textAnswer } from './answers.ts';
import { API_VERSION, GROUP } from './api-group.ts';
import type { ApiAnswer } from './api-request.ts';
import {
  aggregatedGroups,
  apiGroup,
  type DiscoveredResource,
  groupList,
  resourceList,
  verbsOf,
} from './discovery.ts';
import { openApiDocuments } from './openapi.ts';
import { type CREATED, CREATED_VERBS } from './query-resources.ts';
import type { AnyResource } from './resources.ts';
import { serverVersion } from './server-version.ts';

const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

/** The resources of a server: those that are read, and those that are only created. */
export interface Served {
  readonly resources: readonly AnyResource[];
  readonly created: typeof CREATED;
}

/**
 * What is served to everybody: health, version, discovery and OpenAPI. It needs neither the source nor the WDS, so it is answered as long as
 * the process runs.
 */
export class Documents {
  readonly #openApi: ReturnType<typeof openApiDocuments>;
  readonly #discovered: readonly DiscoveredResource[];

  /** @param watch whether watches are served */
  constructor(served: Served, watch: boolean) {
    this.#openApi = openApiDocuments(served);
    const verbs = verbsOf(watch);
    this.#discovered = [
      ...served.resources.map(({ names }) => ({ names, verbs })),
      ...served.created.map(({ names }) => ({ names, verbs: CREATED_VERBS })),
    ];
  }

  /**
   * The document of a path. Undefined if there is none.
   *
   * @param accept the header `Accept`
   * @throws StatusError 406 if there is one, and the client does not accept JSON
   */
  answer(path: string, accept: string): ApiAnswer | undefined {
    if (HEALTH_PATHS.has(path))
      return textAnswer('ok', { headers: { 'content-type': 'text/plain' } });
    if (path === '/version') return jsonAnswer(serverVersion());
    if (path === '/apis') return this.#groups(accept);
    if (path === `/apis/${GROUP}`) return jsonAnswer(apiGroup());
    if (path === `/apis/${API_VERSION}`) return jsonAnswer(resourceList(this.#discovered));
    const document = this.#openApi.get(path);
    if (document === undefined) return undefined;
    requireJson(accept);
    return jsonAnswer(document);
  }

  #groups(accept: string): ApiAnswer {
    const version = aggregatedDiscovery(accept);
    if (version === undefined) return jsonAnswer(groupList());
    const type = `${JSON_TYPE};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    return jsonAnswer(aggregatedGroups(this.#discovered, version), { 'content-type': type });
  }
}
