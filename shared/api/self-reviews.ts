import { at, isObject, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { requireJson } from './accept.ts';
import { textAnswer } from './answers.ts';
import type { ApiAnswer, ApiRequest, User } from './api-request.ts';
import { jsonText } from './json-text.ts';
import { bodyOf, MAX_QUERY_BYTES } from './query-request.ts';
import { mediaTypeOf } from './request-text.ts';
import { PROTOBUF_TYPE, reviewFromProtobuf } from './review-protobuf.ts';
import type { Reviews } from './reviews.ts';
import { badRequest, methodNotAllowed } from './status-error.ts';

const API_VERSION = 'authorization.k8s.io/v1';
const ACCESS = {
  path: `/apis/${API_VERSION}/selfsubjectaccessreviews`,
  kind: 'SelfSubjectAccessReview',
};
const RULES = {
  path: `/apis/${API_VERSION}/selfsubjectrulesreviews`,
  kind: 'SelfSubjectRulesReview',
};

/** A review that users create of themselves. */
export type SelfReview = typeof ACCESS | typeof RULES;

/** The review whose collection a path identifies. Undefined if it is none. */
export function selfReviewOf(path: string): SelfReview | undefined {
  return [ACCESS, RULES].find((one) => one.path === path);
}

/** The rules are those of the WDS, and it names them to the user alone. */
const RULES_STATUS: JsonObject = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  evaluationError:
    'this server knows no rules: ask the WDS, or ask here about one verb and resource',
};

async function accessStatus(
  reviews: Pick<Reviews, 'decide'>,
  user: User,
  spec: JsonValue,
): Promise<JsonObject> {
  const attributes = at(spec, 'resourceAttributes');
  if (!isObject(attributes))
    throw badRequest(
      'spec.resourceAttributes: Required value: name a verb and a resource; what has no resource is open to everybody here',
    );
  const text = (key: string): string => textAt(attributes, key);
  const subresource = text('subresource');
  const { allowed, reason } = await reviews.decide(user, {
    ...{ verb: text('verb'), group: text('group'), resource: text('resource') },
    ...{ namespace: text('namespace'), name: text('name') },
    ...(subresource === '' ? {} : { subresource }),
  });
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

async function objectOf(request: ApiRequest): Promise<JsonObject> {
  const { body } = request;
  return body !== undefined && mediaTypeOf(body) === PROTOBUF_TYPE
    ? reviewFromProtobuf(await body.bytes(MAX_QUERY_BYTES))
    : bodyOf(request);
}

/**
 * Answers what `kubectl auth can-i` asks (authorization.k8s.io/v1), as the WDS decides about the requests of the same user.
 *
 * @throws StatusError 400 without a resource, 405, 406, 408, 413, 415, or 503 if the WDS does not answer
 */
export async function answerSelfReview(
  { kind }: SelfReview,
  {
    reviews,
    user,
    request,
  }: {
    readonly reviews: Pick<Reviews, 'decide'>;
    readonly user: User;
    readonly request: ApiRequest;
  },
): Promise<ApiAnswer> {
  if (request.method !== 'POST') throw methodNotAllowed('a review is only created: use POST');
  requireJson(request.accept);
  const isOfRules = kind === RULES.kind;
  const { metadata = {}, spec = {} } = isOfRules ? {} : await objectOf(request);
  const status = isOfRules ? RULES_STATUS : await accessStatus(reviews, user, spec);
  return textAnswer(jsonText({ apiVersion: API_VERSION, kind, metadata, spec, status }), {
    code: 201,
  });
}
