import { StatusApi, type StatusApiOptions } from '#shared/api/api.ts';
import type { RequestBody, User } from '#shared/api/api-request.ts';
import { requestTooLarge } from '#shared/api/status-error.ts';
import {
  at,
  isArray,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '#shared/core/json.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';

export const ROOT = '/apis/status.starfold.dev/v1alpha1';
export const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
export const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

const QUIET_TURNS = 20;

export const ALICE: User = {
  username: 'alice',
  uid: 'u-1',
  groups: ['dev, ops'],
  extra: { scopes: ['a'] },
};

/** Another user, who may do the same. */
export function userOf(username: string): User {
  return { ...ALICE, username };
}

export const WEB: WorkloadName = {
  group: 'apps',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
};
export const KEYS: WorkloadName = {
  group: '',
  resource: 'secrets',
  namespace: 'shop',
  name: 'keys',
};

/** What a WEC reports of a workload object. */
export function status(
  workload: WorkloadName,
  wec: string,
  more: Partial<WecStatus> = {},
): WecStatus {
  return {
    workload,
    kind: workload.resource === 'deployments' ? 'Deployment' : 'Secret',
    wec,
    created: '2026-11-20T10:00:00Z',
    ownLabels: { app: workload.name },
    state: 'Reported',
    generation: { wec: 7, source: 12, observed: 7 },
    health: { status: 'Healthy' },
    ready: '3/3',
    bindings: ['bp'],
    status: { readyReplicas: 3 },
    ...more,
  };
}

/** The reason of every decision of a {@link ReviewingWds}. */
export const REASON = 'as the test says';

/** A WDS that answers SubjectAccessReviews by a rule. */
export class ReviewingWds implements Pick<ObjectApi, 'create'> {
  readonly asked: JsonObject[] = [];
  failure: Error | undefined;
  allows: (attributes: JsonObject) => boolean = () => true;

  async create(_ref: unknown, object: JsonObject): Promise<JsonObject> {
    this.asked.push(object);
    if (this.failure !== undefined) throw this.failure;
    const attributes = at(object, 'spec', 'resourceAttributes') as JsonObject;
    return { ...object, status: { allowed: this.allows(attributes), reason: REASON } };
  }

  /** The reviews so far, as `verb resource.group namespace/name`. */
  reviews(): readonly string[] {
    return this.asked.map((object) => {
      const {
        verb,
        resource,
        group = '',
        namespace = '',
        name = '',
      } = at(object, 'spec', 'resourceAttributes') as Record<string, string>;
      return `${verb} ${resource}.${group} ${namespace}/${name}`;
    });
  }
}

/** A whole answer. */
export interface Told {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: JsonValue;
}

interface AskOptions {
  readonly accept?: string;
  readonly method?: string;
  readonly signal?: AbortSignal;
  readonly body?: RequestBody;
  readonly user?: User;
}

/** The body of a request, with a text. */
export function jsonBody(text: string, contentType = 'application/json'): RequestBody {
  return {
    contentType,
    bytes: async (maxBytes) => {
      if (text.length > maxBytes) throw requestTooLarge(maxBytes);
      return Buffer.from(text);
    },
  };
}

/** The API over statuses in memory. */
export class AskedApi {
  readonly source = new FakeStatusSource();
  readonly wds = new ReviewingWds();
  readonly errors: unknown[] = [];
  nowMs = Date.parse('2026-11-25T10:00:00Z');
  readonly api: StatusApi;

  constructor(options: Partial<StatusApiOptions> = {}) {
    this.api = new StatusApi({
      source: this.source,
      wds: this.wds,
      now: () => this.nowMs,
      watch: true,
      onError: (error) => this.errors.push(error),
      ...options,
    });
  }

  #handle(
    url: string,
    {
      accept = 'application/json',
      method = 'GET',
      signal = new AbortController().signal,
      body,
      user = ALICE,
    }: AskOptions = {},
  ) {
    const [path = '', query = ''] = url.split('?');
    return this.api.handle({
      method,
      path,
      query: new URLSearchParams(query),
      accept,
      authenticate: async () => user,
      ...(body === undefined ? {} : { body }),
      signal,
    });
  }

  /** The whole answer to a request. */
  async ask(url: string, options: AskOptions = {}): Promise<Told> {
    const { code, headers, body } = await this.#handle(url, options);
    let text = '';
    for await (const piece of body) text += piece;
    return { code, headers, text, body: text.startsWith('{') ? parseJson(text) : text };
  }

  /** Resolves when nobody reads the source any more. An explanation takes some turns of the event loop after its reads. */
  async settled(): Promise<void> {
    for (let quiet = 0, before = -1; quiet < QUIET_TURNS; ) {
      const now = this.source.calls.length;
      quiet = now === before ? quiet + 1 : 0;
      before = now;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Begins a watch. */
  async watch(url: string, accept = 'application/json', user = ALICE): Promise<Watching> {
    const gone = new AbortController();
    const answer = await this.#handle(url, { accept, user, signal: gone.signal });
    return new Watching(answer.code, answer.body[Symbol.asyncIterator](), gone);
  }
}

/** The client of a watch. */
export class Watching {
  readonly code: number;
  readonly #pieces: AsyncIterator<string>;
  readonly #gone: AbortController;
  readonly #lines: string[] = [];

  constructor(code: number, pieces: AsyncIterator<string>, gone: AbortController) {
    this.code = code;
    this.#pieces = pieces;
    this.#gone = gone;
  }

  /** The next event. Undefined if the watch has ended. */
  async next(): Promise<JsonObject | undefined> {
    while (this.#lines.length === 0) {
      const piece = await this.#pieces.next();
      if (piece.done === true) return undefined;
      this.#lines.push(...piece.value.split('\n').filter((line) => line !== ''));
    }
    return parseJson(this.#lines.shift() ?? '') as JsonObject;
  }

  /** The next events as `TYPE name`, or `TYPE revision` for bookmarks and `TYPE code` for errors. */
  async take(count: number): Promise<readonly string[]> {
    const events: string[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) return [...events, 'END'];
      events.push(titleOf(event));
    }
    return events;
  }

  /** The client goes. */
  async leave(): Promise<void> {
    this.#gone.abort();
    await this.#pieces.return?.();
  }
}

function titleOf(event: JsonObject): string {
  const object = event['object'];
  const said =
    at(object, 'code') ??
    at(object, 'metadata', 'name') ??
    at(object, 'metadata', 'resourceVersion');
  return `${String(event['type'])} ${String(said)}`;
}

/** The names of the items of a list. */
export function names({ body }: Told): readonly JsonValue[] {
  const items = member(body, 'items');
  return isArray(items) ? items.map((item) => at(item, 'metadata', 'name') ?? '') : [];
}
