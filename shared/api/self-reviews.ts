import { at, isObject, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { requireJson } from './accept.ts';
import { textAnswer } from './answers.ts';
import type { ApiAnswer, ApiRequest, User } from './api-request.ts';
import { jsonText } from './json-text.ts';
import { CREATE_REVIEW, NO_RESOURCE_ATTRIBUTES, NO_RULES } from './query-messages.ts';
import { bodyOf, MAX_QUERY_BYTES } from './query-request.ts';
import { mediaTypeOf } from './request-text.ts';
import { PROTOBUF_TYPE, reviewFromProtobuf } from './review-protobuf.ts';
import type { Reviews } from './reviews.ts';
import { badRequest, methodNotAllowed } from './status-error.ts';

/** A review that users create of themselves. */
export interface SelfReview {
  readonly apiVersion: string;
  readonly plural: string;
  readonly kind: string;
}

const AUTHORIZATION = 'authorization.k8s.io/v1';
const ACCESS: SelfReview = {
  apiVersion: AUTHORIZATION,
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
};
const RULES: SelfReview = {
  apiVersion: AUTHORIZATION,
  plural: 'selfsubjectrulesreviews',
  kind: 'SelfSubjectRulesReview',
};
const USER: SelfReview = {
  apiVersion: 'authentication.k8s.io/v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
};

/** The review whose collection a path identifies. Undefined if it is none. */
export function selfReviewOf(path: string): SelfReview | undefined {
  return [ACCESS, RULES, USER].find(
    ({ apiVersion, plural }) => path === `/apis/${apiVersion}/${plural}`,
  );
}

/** The rules are those of the WDS, and it names them to the user alone. */
const RULES_STATUS: JsonObject = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  evaluationError: NO_RULES,
};

async function accessStatus(
  reviews: Pick<Reviews, 'decide'>,
  user: User,
  spec: JsonValue,
): Promise<JsonObject> {
  const attributes = at(spec, 'resourceAttributes');
  if (!isObject(attributes)) throw badRequest(NO_RESOURCE_ATTRIBUTES);
  const text = (key: string): string => textAt(attributes, key);
  const subresource = text('subresource');
  const { allowed, reason } = await reviews.decide(user, {
    ...{ verb: text('verb'), group: text('group'), resource: text('resource') },
    ...{ namespace: text('namespace'), name: text('name') },
    ...(subresource === '' ? {} : { subresource }),
  });
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

/** A user as Kubernetes writes it: what is empty is left out. */
function userStatus({ username, uid, groups, extra }: User): JsonObject {
  return {
    userInfo: {
      username,
      ...(uid === '' ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups: [...groups] }),
      ...(Object.keys(extra).length === 0
        ? {}
        : {
            extra: Object.fromEntries(Object.entries(extra).map(([key, all]) => [key, [...all]])),
          }),
    },
  };
}

async function objectOf(request: ApiRequest): Promise<JsonObject> {
  const { body } = request;
  return body !== undefined && mediaTypeOf(body) === PROTOBUF_TYPE
    ? reviewFromProtobuf(await body.bytes(MAX_QUERY_BYTES))
    : (await bodyOf(request)).object;
}

/** Who asks, and who decides. */
interface Asked {
  readonly reviews: Pick<Reviews, 'decide'>;
  readonly user: User;
  readonly request: ApiRequest;
}

async function answered(review: SelfReview, asked: Asked): Promise<JsonObject> {
  const { apiVersion, kind } = review;
  const { reviews, user, request } = asked;
  if (review === USER) return { apiVersion, kind, metadata: {}, status: userStatus(user) };
  if (review === RULES) return { apiVersion, kind, metadata: {}, spec: {}, status: RULES_STATUS };
  const { metadata = {}, spec = {} } = await objectOf(request);
  return { apiVersion, kind, metadata, spec, status: await accessStatus(reviews, user, spec) };
}

/**
 * Answers what `kubectl auth can-i` asks (authorization.k8s.io/v1), as the WDS decides about the requests of the same user, and what
 * `kubectl auth whoami` asks (authentication.k8s.io/v1): as whom the server knows the user.
 *
 * @throws StatusError 400 without a resource, 405, 406, 408, 413, 415, or 503 if the WDS does not answer
 */
export async function answerSelfReview(review: SelfReview, asked: Asked): Promise<ApiAnswer> {
  const { request } = asked;
  if (request.method !== 'POST') throw methodNotAllowed(CREATE_REVIEW);
  requireJson(request.accept);
  return textAnswer(jsonText(await answered(review, asked)), { code: 201 });
}
