import { LRUCache } from 'lru-cache';
import { at, type JsonObject, textAt } from '#shared/core/json.ts';
import { messageOf } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { User } from './api-request.ts';
import { heldReviews } from './held-reviews.ts';
import { accessForbidden, noPermissionReview } from './messages.ts';
import { StatusError, unavailable } from './status-error.ts';

/** What somebody wants to do with a resource. `''` for a namespace or name that is not given. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Absent or `''` for the resource itself. */
  readonly subresource?: string;
  readonly namespace: string;
  readonly name: string;
}

/** How long an answer is kept, in milliseconds. */
const KEPT_MS = 10_000;
const MAX_KEPT = 10_000;

const REVIEWS = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  namespace: '',
  name: '',
} as const;

/** What the WDS decides. */
export interface Decision {
  readonly allowed: boolean;
  /** `''` if it gives none. */
  readonly reason: string;
}

function attributesOf(access: Access): JsonObject {
  // Kubernetes leaves out what is empty.
  return Object.fromEntries(Object.entries(access).filter(([, value]) => value !== ''));
}

function reviewOf({ username, uid, groups, extra }: User, access: Access): JsonObject {
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user: username,
      ...(uid === '' ? {} : { uid }),
      groups,
      extra: { ...extra },
      resourceAttributes: attributesOf(access),
    },
  };
}

function forbidden({ username }: User, access: Access, reason: string): StatusError {
  const { group, resource, name } = access;
  const details = {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  };
  return new StatusError(
    { code: 403, reason: 'Forbidden', details },
    accessForbidden(username, access, reason),
  );
}

/**
 * Asks the WDS who may do what, by SubjectAccessReviews. An answer is kept for 10 seconds, also for requests that come while it is
 * awaited. A review that fails is never taken for an answer. While the WDS is known to hang, reviews fail at once.
 */
export class Reviews {
  readonly #api: Pick<ObjectApi, 'create'>;
  readonly #kept: LRUCache<string, Promise<Decision>>;

  /**
   * @param now milliseconds that only grow
   */
  constructor(api: Pick<ObjectApi, 'create'>, now: () => number) {
    this.#api = heldReviews(api, now);
    this.#kept = new LRUCache({
      max: MAX_KEPT,
      ttl: KEPT_MS,
      ttlResolution: 0,
      // The cache takes a time of 0 for none.
      perf: { now: () => now() + 1 },
    });
  }

  /**
   * Whether somebody may do something.
   *
   * @throws StatusError 503 if the WDS does not answer
   */
  async allows(user: User, access: Access): Promise<boolean> {
    return (await this.decide(user, access)).allowed;
  }

  /** @throws StatusError 403 if somebody may not do something, 503 if the WDS does not answer */
  async require(user: User, access: Access): Promise<void> {
    const { allowed, reason } = await this.decide(user, access);
    if (!allowed) throw forbidden(user, access, reason);
  }

  /**
   * What the WDS decides about what somebody wants to do.
   *
   * @throws StatusError 503 if the WDS does not answer
   */
  decide(user: User, access: Access): Promise<Decision> {
    const key = JSON.stringify([user, access]);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const decision = this.#review(user, access);
    this.#kept.set(key, decision);
    decision.catch(() => {
      if (this.#kept.peek(key) === decision) this.#kept.delete(key);
    });
    return decision;
  }

  async #review(user: User, access: Access): Promise<Decision> {
    let answer: JsonObject;
    try {
      answer = await this.#api.create(REVIEWS, reviewOf(user, access));
    } catch (error) {
      throw unavailable(noPermissionReview(messageOf(error)), error);
    }
    return {
      allowed: at(answer, 'status', 'allowed') === true,
      reason: textAt(answer, 'status', 'reason'),
    };
  }
}
