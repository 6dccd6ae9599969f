import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServeApiHandler } from '#functions/serve-api/lambda.ts';
import { localContext } from '#local/stack/poller.ts';
import { type JsonValue, parseJson } from '#shared/core/json.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';
import { httpEvent } from '#test/unit/serve-api/request.ts';
import { Deployment } from './deployment.ts';

const WECS = '/wds/wds1/apis/status.starfold.dev/v1alpha1/wecs';
const IAM = { authorizer: { iam: { userArn: 'arn:aws:iam::111122223333:role/reader' } } };

let wds: HttpApiServer;
let deployment: Deployment;
let handler: ServeApiHandler;

interface Told {
  readonly code: number | undefined;
  readonly body: JsonValue;
}

async function ask(url: string, headers: Record<string, string>, signer = {}): Promise<Told> {
  const event = httpEvent(url);
  const requestContext = { ...event.requestContext, ...signer };
  const context = localContext('serve-api', 'request');
  const answer = await handler({ ...event, headers, requestContext }, context);
  return { code: answer.statusCode, body: parseJson(answer.body ?? '') };
}

/** A WDS that knows one token, and whose user may list WECs. */
async function start(load: () => Promise<{ handler: ServeApiHandler }>): Promise<void> {
  wds = await startHttpApiServer();
  wds.answer = ({ line, body }, response) => {
    const { spec } = JSON.parse(body);
    if (line.startsWith('POST /apis/authentication.k8s.io/v1/tokenreviews')) {
      const user = { username: 'alice', groups: [] };
      return json(response, { status: { authenticated: spec.token === 't1', user } }, 201);
    }
    const allowed = spec.user === 'alice' && spec.resourceAttributes.verb === 'list';
    return json(response, { status: { allowed } }, 201);
  };
  deployment = await Deployment.start('serve-api', wds.kubeConfig().exportConfig());
  const source = { type: 'wec', name: 'edge' } as const;
  const item = heartbeatItem(source, { epoch: 1, sequence: 1 }, Date.now());
  await deployment.store.put([{ item }]);
  ({ handler } = await load());
}

async function stop(): Promise<void> {
  await deployment.close();
  await wds.close();
}

describe('serve-api, as it is put together, if IAM decides', () => {
  beforeAll(() => start(() => import('#functions/serve-api/handler.ts')));
  afterAll(stop);

  it('answers whom IAM lets in, from its table, and asks no WDS', async () => {
    const { code, body } = await ask(WECS, {}, IAM);
    expect(code).toBe(200);
    expect(body).toMatchObject({ items: [{ metadata: { name: 'edge' } }] });
    expect((await ask(WECS, { authorization: 'Bearer t1' })).code).toBe(401);
    expect(wds.requests).toEqual([]);
  });
});

describe('serve-api, as it is put together, if the WDS decides', () => {
  beforeAll(() => start(() => import('#functions/serve-api/reviewed/handler.ts')));
  afterAll(stop);

  it('answers the user of a token with what he may read there', async () => {
    const token = { authorization: 'Bearer t1' };
    const { code, body } = await ask(WECS, token);
    expect(code).toBe(200);
    expect(body).toMatchObject({ items: [{ metadata: { name: 'edge' } }] });
    expect((await ask(`${WECS}/edge`, token)).code).toBe(403);
    expect((await ask(WECS, { authorization: 'Bearer t2' }, IAM)).code).toBe(401);
  });

  it('answers 503 if its WDS does not answer', async () => {
    wds.answer = (_request, response) => json(response, {}, 500);
    expect((await ask(WECS, { authorization: 'Bearer t3' })).code).toBe(503);
  });
});
