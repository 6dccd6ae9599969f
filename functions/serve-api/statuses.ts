import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { StatusApi } from '#shared/api/api.ts';
import { GROUP } from '#shared/api/api-group.ts';
import type { ApiRequest, User } from '#shared/api/api-request.ts';
import { BUNDLE_DEPLOYMENT_STATUSES } from '#shared/api/bundle-deployments.ts';
import { createFailure } from '#shared/api/failure.ts';
import type { AnswerBounds } from '#shared/api/list.ts';
import { OPEN_WDS } from '#shared/api/open-wds.ts';
import { StatusError, unauthorized, unknownResource } from '#shared/api/status-error.ts';
import { createTokenUsers, refuseImpersonation } from '#shared/api/token-users.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { RevisionClock } from '#shared/state/status-source/revision-clock.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { bodyOf } from './event-body.ts';
import { onlyAboutFleet, unknownWds } from './messages.ts';
import { errorAnswer, lambdaAnswer, MAX_LIST_BYTES } from './status-answer.ts';

/** What the API `status.starfold.dev` needs on AWS. It writes nothing. */
export interface StatusesDeps {
  readonly store: ItemStore;
  /** The names of the WDSes that are served. */
  readonly wdses: ReadonlySet<string>;
  /**
   * Returns the WDS whose API server says who sends a request and what that user may read. Absent if IAM has decided that before
   * the function was called.
   */
  readonly wds?: (name: string) => Pick<ObjectApi, 'create'>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Called with errors that the client did not cause. */
  readonly onError: (error: unknown) => void;
  /** Default: what fits into an answer of Lambda, within the time that API Gateway waits. */
  readonly bounds?: AnswerBounds;
}

/** A request's event of an HTTP API, with what IAM says of its sender. */
interface HttpEvent extends APIGatewayProxyEventV2 {
  readonly requestContext: APIGatewayProxyEventV2['requestContext'] & {
    readonly authorizer?: { readonly iam?: { readonly userArn?: string } };
  };
}

/** The API of one WDS. */
interface Door {
  readonly api: StatusApi;
  /** @throws StatusError 401 */
  readonly authenticate: (event: HttpEvent) => Promise<User>;
}

/** API Gateway waits for 30 seconds. The last page may take a while. */
const BOUNDS: AnswerBounds = { maxBytes: MAX_LIST_BYTES, maxMs: 15_000 };
const PATH = /^\/wds\/([^/]+)(\/.*)$/;
/** API Gateway has decoded the path. What is still written so is in no name, and would be another path for IAM than for the API. */
const ENCODED = /%(?:2f|25)/i;

/** Who has signed a request. The function is behind an authorizer, so whoever comes without one has not come through the API. */
async function signer({ requestContext: { authorizer } }: HttpEvent): Promise<User> {
  const username = authorizer?.iam?.userArn ?? '';
  if (username === '') throw unauthorized();
  return { username, uid: '', groups: [], extra: {} };
}

function notFound(message: string): StatusError {
  return new StatusError({ code: 404, reason: 'NotFound' }, message);
}

/** A path of the resource that `starfold start --fleet` serves. */
const DEPLOYMENTS = new RegExp(
  `^/apis/${GROUP}/[^/]+/(namespaces/[^/]+/)?${BUNDLE_DEPLOYMENT_STATUSES.plural}(/|$)`,
);

/** The API `status.starfold.dev` of the WDSes in a DynamoDB table, by events of an HTTP API. */
export class Statuses {
  readonly #deps: StatusesDeps;
  readonly #doors = new Map<string, Door>();
  readonly #revisions: RevisionClock;

  constructor(deps: StatusesDeps) {
    this.#deps = deps;
    this.#revisions = new RevisionClock(deps.clock);
  }

  /** Answers a request. Errors are answers, too. */
  async handle(event: HttpEvent): Promise<APIGatewayProxyStructuredResultV2> {
    try {
      return await this.#answer(event);
    } catch (error) {
      return errorAnswer(createFailure(this.#deps.onError)(error));
    }
  }

  async #answer(event: HttpEvent): Promise<APIGatewayProxyStructuredResultV2> {
    const [, wds, path] = PATH.exec(event.rawPath) ?? [];
    if (wds === undefined || path === undefined || ENCODED.test(path)) throw unknownResource();
    const { api, authenticate } = this.#door(wds);
    if (DEPLOYMENTS.test(path)) throw notFound(onlyAboutFleet(BUNDLE_DEPLOYMENT_STATUSES.plural));
    const { rawQueryString, headers, requestContext } = event;
    const query = new URLSearchParams(rawQueryString);
    // What is no revision is refused by the API.
    this.#revisions.note(Number(query.get('resourceVersion') ?? 0) || 0);
    const request: ApiRequest = {
      method: requestContext.http.method,
      path,
      query,
      accept: headers['accept'] ?? '',
      authenticate: () => authenticate(event),
      ...bodyOf(event),
      signal: new AbortController().signal,
    };
    return lambdaAnswer(await api.handle(request), headers['accept-encoding'] ?? '');
  }

  #door(wds: string): Door {
    if (!this.#deps.wdses.has(wds)) throw notFound(unknownWds(wds));
    const door = this.#doors.get(wds) ?? this.#open(wds);
    this.#doors.set(wds, door);
    return door;
  }

  #open(wds: string): Door {
    const { store, wds: connect, clock, onError, bounds = BOUNDS } = this.#deps;
    const revision = (): number => this.#revisions.now();
    const source = createStatusSource({ store, wds, clock, revision });
    const common = { source, now: clock, watch: false, bounds, onError } as const;
    if (connect === undefined)
      return { api: new StatusApi({ ...common, wds: OPEN_WDS }), authenticate: signer };
    const connection = connect(wds);
    const userOf = createTokenUsers(connection, clock);
    return {
      api: new StatusApi({ ...common, wds: connection }),
      authenticate: async ({ headers }) => {
        const user = await userOf(headers['authorization'] ?? '');
        refuseImpersonation(headers);
        return user;
      },
    };
  }
}
