import { LRUCache } from 'lru-cache';
import { contentHash } from '#shared/content-hash.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  textAt,
} from '#shared/core/json.ts';
import { messageOf } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { User } from './api-request.ts';
import { heldReviews } from './held-reviews.ts';
import { noTokenReview } from './messages.ts';
import { noImpersonation, unauthorized, unavailable } from './status-error.ts';

/** How long an answer is kept, in milliseconds. */
const KEPT_MS = 10_000;
const MAX_KEPT = 1_000;
const BEARER = /^Bearer +(\S+) *$/i;

/** The token of a header `Authorization`. Undefined if it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

/**
 * Refuses a request whose user asks as somebody else (the headers `Impersonate-User`, `-Group`, `-Uid`, `-Extra-...`). To answer it as
 * for the user himself would show what that other one may not see.
 *
 * @param headers of the request, their names in lower case
 * @throws StatusError 400
 */
export function refuseImpersonation(headers: Readonly<Record<string, unknown>>): void {
  if (Object.keys(headers).some((name) => name.startsWith('impersonate-'))) throw noImpersonation();
}

const REVIEWS = {
  group: 'authentication.k8s.io',
  version: 'v1',
  resource: 'tokenreviews',
  namespace: '',
  name: '',
} as const;

function texts(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function extraOf(value: JsonValue | undefined): User['extra'] {
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(entries.map(([key, list]) => [key, texts(list)]));
}

function userOf(review: JsonObject): User {
  const username = textAt(review, 'status', 'user', 'username');
  if (at(review, 'status', 'authenticated') !== true || username === '') throw unauthorized();
  const user = at(review, 'status', 'user');
  return {
    username,
    uid: textAt(user, 'uid'),
    groups: texts(at(user, 'groups')),
    extra: extraOf(at(user, 'extra')),
  };
}

/**
 * Creates a function that finds the user of a bearer token by a TokenReview in the WDS. An answer is kept for 10 seconds. Tokens
 * themselves are not kept.
 *
 * @param now milliseconds that only grow, also while the process is frozen
 * @returns takes the header `Authorization`, `''` if there is none; throws StatusError 401 if it has no token or nobody has the
 * token, 503 if the WDS does not answer
 */
export function createTokenUsers(
  wds: Pick<ObjectApi, 'create'>,
  now: () => number,
): (authorization: string) => Promise<User> {
  const kept = new LRUCache<string, Promise<User>>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    ttlResolution: 0,
    // The cache takes a time of 0 for none.
    perf: { now: () => now() + 1 },
  });
  const api = heldReviews(wds, now);
  const review = async (token: string): Promise<User> => {
    const question = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token },
    };
    let answer: JsonObject;
    try {
      answer = await api.create(REVIEWS, question);
    } catch (error) {
      throw unavailable(noTokenReview(messageOf(error)), error);
    }
    return userOf(answer);
  };
  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) throw unauthorized();
    const key = contentHash(token);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const user = review(token);
    kept.set(key, user);
    user.catch(() => {
      if (kept.peek(key) === user) kept.delete(key);
    });
    return user;
  };
}
