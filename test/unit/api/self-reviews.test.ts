import { describe, expect, it } from 'vitest';
import type { RequestBody } from '#shared/api/api-request.ts';
import {
  NO_KUBERNETES_PROTOBUF,
  NO_RESOURCE_ATTRIBUTES,
  NO_RULES,
  NOT_PROTOBUF,
} from '#shared/api/query-messages.ts';
import { PROTOBUF_TYPE } from '#shared/api/review-protobuf.ts';
import { StatusError } from '#shared/api/status-error.ts';
import { at, stringifyJson } from '#shared/core/json.ts';
import { bodyOf, message, numbers } from '#test/unit/local/simulated-cluster/protobuf-body.ts';
import { AskedApi, jsonBody, REASON, ROOT, status, WEB } from './ask.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const ACCESS = `${AUTHORIZATION}/selfsubjectaccessreviews`;
const RULES = `${AUTHORIZATION}/selfsubjectrulesreviews`;
const ATTRIBUTES = {
  verb: 'list',
  group: 'status.starfold.dev',
  resource: 'wecstatuses',
  namespace: 'shop',
};

/** A body as clients in Go send it. */
function protobuf(raw: Uint8Array): RequestBody {
  const sent = bodyOf('authorization.k8s.io/v1', 'SelfSubjectAccessReview', raw);
  return { contentType: PROTOBUF_TYPE, bytes: async () => sent };
}

function review(asked: AskedApi, spec: object, path = ACCESS) {
  const object = { metadata: {}, spec: { ...spec } };
  return asked.ask(path, { method: 'POST', body: jsonBody(stringifyJson(object)) });
}

describe('what kubectl auth whoami asks', () => {
  const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

  it('is as whom the server knows the user', async () => {
    const asked = new AskedApi();
    const { code, body } = await asked.ask(WHO, { method: 'POST' });
    expect(code).toBe(201);
    expect(body).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: {},
      status: {
        userInfo: {
          username: 'alice',
          uid: 'u-1',
          groups: ['dev, ops'],
          extra: { scopes: ['a'] },
        },
      },
    });
    expect(asked.wds.asked).toEqual([]);
  });

  it('leaves out what is not known of the user', async () => {
    const user = { username: 'bob', uid: '', groups: [], extra: {} };
    const { body } = await new AskedApi().ask(WHO, { method: 'POST', user });
    expect(at(body, 'status', 'userInfo')).toEqual({ username: 'bob' });
  });

  it('is only created', async () => {
    expect((await new AskedApi().ask(WHO)).code).toBe(405);
  });
});

describe('what kubectl auth can-i asks', () => {
  it.each([true, false])('has the answer of the WDS about the same user: %s', async (allowed) => {
    const asked = new AskedApi();
    asked.wds.allows = () => allowed;
    const { code, body } = await review(asked, { resourceAttributes: ATTRIBUTES });
    expect(code).toBe(201);
    expect(body).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes: ATTRIBUTES },
      status: { allowed, reason: REASON },
    });
    expect(asked.wds.asked).toMatchObject([
      { spec: { user: 'alice', resourceAttributes: ATTRIBUTES } },
    ]);
  });

  it('is the review that a request of the same makes', async () => {
    const asked = new AskedApi();
    asked.source.put(status(WEB, 'east'));
    await review(asked, { resourceAttributes: ATTRIBUTES });
    const [reviewed] = asked.wds.reviews();
    await asked.ask(`${ROOT}/namespaces/shop/wecstatuses`);
    // The answer is still known.
    expect(asked.wds.reviews().filter((one) => one === reviewed)).toHaveLength(1);
  });

  it('may be a subresource of the WDS', async () => {
    const asked = new AskedApi();
    await review(asked, {
      resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log' },
    });
    expect(asked.wds.asked).toMatchObject([
      { spec: { resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log' } } },
    ]);
  });

  it('is 503 if the WDS does not answer', async () => {
    const asked = new AskedApi();
    asked.wds.failure = new StatusError({ code: 500, reason: 'InternalError' }, 'down');
    const { code } = await review(asked, { resourceAttributes: ATTRIBUTES });
    expect(code).toBe(503);
  });

  it('is 400 without a resource, and 405 if it is read', async () => {
    const asked = new AskedApi();
    const nonResource = { nonResourceAttributes: { verb: 'get', path: '/healthz' } };
    const { code, body } = await review(asked, nonResource);
    expect(code).toBe(400);
    expect(body).toMatchObject({ message: NO_RESOURCE_ATTRIBUTES });
    expect((await asked.ask(ACCESS)).code).toBe(405);
    expect(asked.wds.asked).toEqual([]);
  });

  it('is read as kubectl sends it, in protocol buffers', async () => {
    const asked = new AskedApi();
    const { verb, group, resource, namespace } = ATTRIBUTES;
    const attributes = message({ 1: namespace, 2: verb, 3: group, 5: resource });
    const sent = protobuf(message({ 2: message({ 1: attributes }) }));
    const { code, body } = await asked.ask(ACCESS, { method: 'POST', body: sent });
    expect(code).toBe(201);
    expect(body).toMatchObject({ spec: { resourceAttributes: ATTRIBUTES } });
    expect(asked.wds.reviews()).toEqual(['list wecstatuses.status.starfold.dev shop/']);
  });

  it.each([
    ['no magic number', Buffer.from('{}'), NO_KUBERNETES_PROTOBUF],
    ['half a message', Buffer.from('k8s\0\x12\x7f'), NOT_PROTOBUF],
  ])('is 400 for what is not in protocol buffers: %s', async (_what, bytes, message) => {
    const asked = new AskedApi();
    const sent = { contentType: PROTOBUF_TYPE, bytes: async () => bytes };
    const { code, body } = await asked.ask(ACCESS, { method: 'POST', body: sent });
    expect([code, at(body, 'message')]).toEqual([400, message]);
  });

  it('is 400 for a review in protocol buffers without a resource', async () => {
    const asked = new AskedApi();
    for (const raw of [message({}), message({ 2: numbers([9, 1]) })]) {
      const { code } = await asked.ask(ACCESS, { method: 'POST', body: protobuf(raw) });
      expect(code).toBe(400);
    }
  });

  it('of all rules is answered with where they are', async () => {
    const asked = new AskedApi();
    const { code, body } = await review(asked, { namespace: 'shop' }, RULES);
    expect(code).toBe(201);
    expect(body).toMatchObject({
      kind: 'SelfSubjectRulesReview',
      status: {
        ...{ resourceRules: [], nonResourceRules: [], incomplete: true },
        evaluationError: NO_RULES,
      },
    });
    expect(asked.wds.asked).toEqual([]);
  });
});
