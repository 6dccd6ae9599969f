import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { startStatusServer } from '#local/api/status-server.ts';
import {
  credentialsUnusable,
  notAWds,
  PLACES,
  pageAt,
  portForm,
  readsFrom,
  SERVED_BY,
  serverOfFleet,
  silentWds,
  UNKNOWN_WDS,
} from '#local/cli/console/messages.ts';
import { runConsole, serveDoor } from '#local/cli/console/run.ts';
import type { Door } from '#local/cli/door/door.ts';
import { openLiveDoor } from '#local/cli/door/live-door.ts';
import {
  credentialsRefused,
  errorFromServer,
  noAnswer,
  noApi,
  wdsOfServer,
} from '#local/cli/door/messages.ts';
import { openStageDoor } from '#local/cli/door/stage-door.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { emptyValue } from '#local/cli/terminal/option-messages.ts';
import type { PageFiles } from '#local/console/page-files.ts';
import { startSimulatedCluster } from '#local/simulated-cluster/simulated-cluster.ts';
import { NO_WDS_CONTEXT } from '#local/start/messages.ts';
import { givenAlone } from '#local/start/option-messages.ts';
import { unknownContext } from '#shared/adapters/kubernetes/kube-config-messages.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { bundleDeploymentStatuses } from '#shared/api/bundle-deployments.ts';
import { ANYBODY } from '#shared/api/open-wds.ts';
import { any } from '#shared/api/resources.ts';
import { at, textAt } from '#shared/core/json.ts';
import { ApiForbiddenError } from '#shared/errors.ts';
import { createFleetSource } from '#shared/state/fleet/fleet-source.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { AskedApi, ROOT, status, WEB } from '#test/unit/api/ask.ts';
import { send } from '#test/unit/local/simulated-cluster/http-client.ts';
import { STARFOLD, starfold } from './command.ts';
import { createFakeAccount } from './deployment/fake-account.ts';
import { kubeconfigFor, Place, serve, stateFile } from './door/doors.ts';
import { KeptTerminal } from './get/got.ts';

const CONTROL = '/apis/control.kubestellar.io/v1alpha1';
const COMBINED = `${CONTROL}/namespaces/shop/combinedstatuses`;
const PAGE: PageFiles = new Map([
  [
    '/',
    {
      headers: { 'content-type': 'text/html', etag: '"1"' },
      content: new TextEncoder().encode('<meta name="wds" content="">'),
    },
  ],
]);
const PLAIN = { cluster: { 'insecure-skip-tls-verify': true } };

const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

/** A server that notes what it is asked, and answers every path alike. */
async function noting(code: number, body: object, headers: Record<string, string> = {}) {
  const asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: `${request.method} ${request.url}`, headers: request.headers });
    request.resume();
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(() => server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

type Options = Omit<Parameters<typeof runConsole>[0], 'port'>;

/** Runs the command until it has said where the page is, over a door of its own or over that of a test. */
async function opened(options: Options, door?: Door) {
  const kept = new KeptTerminal();
  const stopping = new AbortController();
  const { terminal } = kept;
  const parts = { terminal, page: () => PAGE, signal: stopping.signal };
  const all = { port: 0, ...options };
  const done = door === undefined ? runConsole(all, parts) : serveDoor(door, all, parts);
  await Promise.race([done, kept.until(({ out }) => out.includes(pageAt('')))]);
  const end = async (): Promise<void> => {
    stopping.abort();
    await done;
  };
  ending.push(end);
  return { kept, url: kept.out.split('\n').at(-2)?.replace(pageAt(''), '') ?? '', end };
}

async function direct(place: Place) {
  const asked = new AskedApi();
  asked.source.put(status(WEB, 'east'));
  const server = await serve(place, asked);
  return { asked, server, kubeconfig: kubeconfigFor(place, server.url, PLAIN) };
}

/** A kubeconfig with the contexts `api` and `wds1`. */
function bothIn(place: Place, server: string, wds: string): string {
  const cluster = (name: string, url: string) => ({
    name,
    cluster: { server: url, 'insecure-skip-tls-verify': true },
  });
  const context = (name: string) => ({ name, context: { cluster: name, user: 'me' } });
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [cluster('api', server), cluster('wds1', wds)],
    users: [{ name: 'me', user: {} }],
    contexts: [context('api'), context('wds1')],
    'current-context': 'api',
  });
  return place.file('both', text);
}

describe('starfold console', () => {
  it('serves the page, what each WEC reports, and queries about it', async () => {
    await using place = new Place();
    const { kubeconfig, server } = await direct(place);
    const { url, kept } = await opened({ kubeconfig });
    const said = `${SERVED_BY.starfold}; ${UNKNOWN_WDS}`;
    expect(kept.out).toContain(`${readsFrom(server.url, PLACES.current, said)}\n`);
    const named = `<meta name="wds" content="${server.url}">`;
    expect(await (await fetch(`${url}/`)).text()).toBe(named);
    const list = await send(`${url}${ROOT}/namespaces/shop/wecstatuses`, 'GET');
    expect(list).toMatchObject({ code: 200, body: { items: [{ wec: 'east' }] } });
    const query = await send(`${url}${ROOT}/namespaces/shop/statusqueries`, 'POST', {
      body: {
        apiVersion: 'status.starfold.dev/v1alpha1',
        kind: 'StatusQuery',
        spec: { workloads: {}, select: [{ name: 'n', def: 'inventory.name' }] },
      },
    });
    expect(query.code).toBe(201);
    const combined = await send(`${url}${COMBINED}`, 'GET');
    expect(combined.code).toBe(404);
    expect(textAt(combined.body, 'message')).toBe(NO_WDS_CONTEXT);
  });

  it('gives the page the only namespace that is to be read', async () => {
    await using place = new Place();
    const { kubeconfig } = await direct(place);
    const { url } = await opened({ kubeconfig, namespace: 'shop' });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?namespace=shop$/);
    expect((await fetch(url)).status).toBe(200);
  });

  it('proposes no option that it does not have', async () => {
    await using place = new Place();
    const other = await noting(404, { kind: 'Status', code: 404, reason: 'NotFound' });
    const away = 'http://127.0.0.1:1';
    const reason = 'connect ECONNREFUSED 127.0.0.1:1';
    for (const url of [other.url, away]) {
      const kubeconfig = kubeconfigFor(place, url, PLAIN);
      const ways = { file: kubeconfig, others: '--stage' };
      const fault = url === away ? noAnswer(url, reason, ways) : noApi(url, '--stage');
      await expect(opened({ kubeconfig })).rejects.toThrow(
        new InputError(`${PLACES.current}: ${fault}`),
      );
    }
  });

  it('watches until it ends', async () => {
    await using place = new Place();
    const { kubeconfig, asked } = await direct(place);
    const { url, end } = await opened({ kubeconfig });
    const watch = await fetch(`${url}${ROOT}/namespaces/shop/wecstatuses?watch=true`);
    const pieces = watch.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await pieces?.read())?.value).toContain('"east"');
    asked.source.put(status(WEB, 'west'));
    expect((await pieces?.read())?.value).toContain('"west"');
    await end();
    expect((await pieces?.read())?.done).toBe(true);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('reads CombinedStatuses of the WDS that is named', async () => {
    await using place = new Place();
    const wds = await startSimulatedCluster({ name: 'wds1' });
    place.later(() => wds.close());
    const { server } = await direct(place);
    const kubeconfig = bothIn(place, server.url, wds.url);
    const { url, kept } = await opened({ kubeconfig, wdsContext: 'wds1' });
    expect(kept.out).toContain(SERVED_BY.named(wds.url, 'wds1'));
    expect((await send(`${url}${COMBINED}`, 'GET')).body).toMatchObject({
      kind: 'CombinedStatusList',
    });
    const { body } = await send(`${url}/openapi/v3`, 'GET');
    expect(at(body, 'paths', 'apis/apps/v1')).toBeDefined();
    expect(at(body, 'paths', 'apis/status.starfold.dev/v1alpha1')).toBeDefined();
  });

  it('finds a WDS that serves the API itself, and asks nothing of it but what the page needs', async () => {
    await using place = new Place();
    const { url: server, asked } = await noting(200, { kind: 'List', items: [] });
    const kubeconfig = kubeconfigFor(place, server, { ...PLAIN, user: { token: 'mine' } });
    const { url, kept } = await opened({ kubeconfig, context: 'api' });
    expect(kept.out).toContain(readsFrom(server, PLACES.context('api'), SERVED_BY.wds));
    asked.length = 0;
    for (const [method, path] of [
      ['GET', '/api/v1/namespaces/shop/secrets'],
      ['GET', `${CONTROL}/bindings`],
      ['GET', `${ROOT}/%2e%2e/%2e%2e/%2e%2e/api/v1/secrets`],
      ['GET', `${COMBINED}/..%2f..%2fbindings`],
      ['POST', `${ROOT}/namespaces/shop/wecstatuses`],
      ['DELETE', `${COMBINED}/one`],
      ['PATCH', `${ROOT}/namespaces/shop/statusqueries`],
    ] as const)
      expect((await send(`${url}${path}`, method)).code).toSatisfy(
        (code: number) => code === 404 || code === 405,
      );
    expect(asked).toEqual([]);
  });

  it('looks for a context in your kubeconfig, not in that of a server in this folder', async () => {
    await using place = new Place();
    mkdirSync(join(place.folder, '.starfold'));
    const ofServer = kubeconfigFor(place, 'http://127.0.0.1:9', PLAIN);
    copyFileSync(ofServer, join(place.folder, '.starfold', 'api-kubeconfig'));
    const KUBECONFIG = bothIn(place, 'http://127.0.0.1:9', 'http://127.0.0.1:9');
    const { status: code, stderr } = spawnSync(
      execPath,
      [STARFOLD, 'console', '--context', 'other'],
      { cwd: place.folder, env: { ...env, KUBECONFIG }, encoding: 'utf8' },
    );
    expect(stderr).toContain(unknownContext('other', ['api', 'wds1']));
    expect(code).toBe(1);
  });

  it('sends the credentials of the kubeconfig, and nothing of the browser', async () => {
    await using place = new Place();
    const { url: server, asked } = await noting(
      200,
      { kind: 'List', items: [] },
      { 'set-cookie': 'a=b', 'www-authenticate': 'Basic', 'x-other': '1' },
    );
    const kubeconfig = kubeconfigFor(place, server, { ...PLAIN, user: { token: 'mine' } });
    const { url } = await opened({ kubeconfig });
    const answer = await fetch(`${url}${COMBINED}?limit=5`, {
      headers: { authorization: 'Bearer of-the-browser', cookie: 'a=b', 'x-own': '1' },
    });
    expect(answer.status).toBe(200);
    const { url: target, headers } = asked.at(-1) ?? { url: '', headers: {} };
    expect(target).toBe(`GET ${COMBINED}?limit=5`);
    expect(headers.authorization).toBe('Bearer mine');
    expect(headers.cookie).toBeUndefined();
    expect(headers['x-own']).toBeUndefined();
    for (const name of ['set-cookie', 'www-authenticate', 'x-other'])
      expect(answer.headers.get(name)).toBeNull();
  });

  it.each([
    { origin: 'https://example.com', 'sec-fetch-site': 'cross-site' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
  ])('lets no other page ask: %s', async (headers: Record<string, string>) => {
    await using place = new Place();
    const { url: server, asked } = await noting(200, { kind: 'List', items: [] });
    const { url } = await opened({ kubeconfig: kubeconfigFor(place, server, PLAIN) });
    asked.length = 0;
    for (const path of [COMBINED, `${ROOT}/wecs`])
      expect((await send(`${url}${path}`, 'GET', { headers })).code).toBe(403);
    expect(asked).toEqual([]);
  });

  it('says that a server has gone, and goes on when it is back', async () => {
    await using place = new Place();
    const { server, kubeconfig, asked } = await direct(place);
    const { url } = await opened({ kubeconfig, context: 'api' });
    await server.stop();
    const gone = await send(`${url}${ROOT}/wecs`, 'GET');
    expect(gone).toMatchObject({
      code: 503,
      body: { kind: 'Status', reason: 'ServiceUnavailable' },
    });
    const reason = /\((.*?)\)/.exec(textAt(gone.body, 'message'))?.[1] ?? '';
    const fault = noAnswer(server.url, reason, { file: kubeconfig, others: '--stage' });
    expect(textAt(gone.body, 'message')).toBe(`${PLACES.context('api')}: ${fault}`);
    const port = Number(new URL(server.url).port);
    const back = await startStatusServer({
      ...{ host: '127.0.0.1', port, api: asked.api, onError: () => undefined },
      protection: { type: 'own-machine', user: ANYBODY },
    });
    place.later(() => back.stop());
    expect((await send(`${url}${ROOT}/wecs`, 'GET')).code).toBe(200);
  });

  it('keeps from the page what a program of the kubeconfig writes', async () => {
    await using place = new Place();
    const { kubeconfig } = await direct(place);
    const live = openLiveDoor({ kubeconfig });
    let isBroken = false;
    const door: Door = {
      name: live.name,
      ask: async (request) => {
        if (!isBroken) return live.ask(request);
        const cause = new ApiForbiddenError('GET', 'credentials of user u: refresh_token=abc', {
          unauthenticated: true,
        });
        throw new InputError(cause.message, { cause });
      },
      close: () => live.close(),
    };
    ending.push(() => door.close());
    const { url, kept } = await opened({ kubeconfig }, door);
    isBroken = true;
    for (const path of [`${ROOT}/wecs`, `${ROOT}/wecs`, `${ROOT}/explanations`]) {
      const { code, body } = await send(`${url}${path}`, 'GET');
      expect(code).toBe(503);
      expect(textAt(body, 'message')).toContain(credentialsUnusable(PLACES.current));
      expect(JSON.stringify(body)).not.toContain('abc');
    }
    expect(kept.err.split('refresh_token=abc')).toHaveLength(2);
  });

  it('serves no page for what does not serve the API, and says why', async () => {
    await using place = new Place();
    const wds = await startSimulatedCluster({ name: 'wds1' });
    place.later(() => wds.close());
    const { server } = await direct(place);
    const kubeconfig = bothIn(place, server.url, wds.url);
    const notServed = opened({ kubeconfig, context: 'wds1' });
    await expect(notServed).rejects.toThrow(
      `${PLACES.context('wds1')}: ${noApi(wds.url, '--stage')}`,
    );
    const noWds = opened({ kubeconfig, context: 'api', wdsContext: 'api' });
    await expect(noWds).rejects.toThrow(`--wds-context api: ${notAWds(server.url)}`);
    await expect(opened({ kubeconfig, context: 'other' })).rejects.toThrow(
      unknownContext('other', ['api', 'wds1']),
    );
    await wds.close();
    const reason = `connect ECONNREFUSED ${new URL(wds.url).host}`;
    const ways = { file: kubeconfig, others: '--stage' };
    await expect(opened({ kubeconfig, context: 'wds1' })).rejects.toThrow(
      `${PLACES.context('wds1')}: ${noAnswer(wds.url, reason, ways)}`,
    );
    await expect(opened({ kubeconfig, wdsContext: 'wds1' })).rejects.toThrow(
      `--wds-context wds1: ${silentWds(wds.url, reason)}`,
    );
  });

  it('serves no page for a management cluster of Fleet, about which WECs report nothing', async () => {
    await using place = new Place();
    const store = createMemoryItemStore();
    const source = createFleetSource({ store, upstream: 'rancher1', clock: Date.now });
    const resources = [any(bundleDeploymentStatuses(source))];
    const { url } = await serve(place, new AskedApi({ source, resources }));
    await expect(opened({ kubeconfig: kubeconfigFor(place, url, PLAIN) })).rejects.toThrow(
      `${PLACES.current}: ${serverOfFleet(url)}`,
    );
  });

  it('refuses credentials that the server does not accept', async () => {
    await using place = new Place();
    const { url } = await noting(401, { kind: 'Status', message: 'Unauthorized' });
    const kubeconfig = kubeconfigFor(place, url, PLAIN);
    const answer = errorFromServer('', 'Unauthorized');
    await expect(opened({ kubeconfig, context: 'api' })).rejects.toThrow(
      `${PLACES.context('api')}: ${credentialsRefused(url, answer)}`,
    );
  });

  it('reads a deployment on AWS, where there is no watch', async () => {
    await using place = new Place();
    const { database } = await stateFile(place);
    const account = { ...createFakeAccount(), itemStore: () => createSqliteItemStore(database) };
    const door = await openStageDoor({ stage: 'prod', account, clock: () => 0 });
    const { url, kept } = await opened({ stage: 'prod' }, door);
    expect(kept.out).toContain(readsFrom('starfold-prod', PLACES.stage('prod'), UNKNOWN_WDS));
    const list = `${url}${ROOT}/namespaces/shop/wecstatuses`;
    expect(await send(list, 'GET')).toMatchObject({ code: 200, body: { kind: 'WECStatusList' } });
    expect((await send(`${list}?watch=true`, 'GET')).code).toBe(405);
  });

  it.each([
    [['--port', '65536'], portForm(65_535)],
    [['-n', ''], emptyValue('-n, --namespace <namespace>')],
    [['--wds', 'wds1'], wdsOfServer('--stage')],
    [['--region', 'us-east-1'], givenAlone('--region', '--stage')],
    [['--stage', 'prod', '--context', 'wds1'], 'cannot be used with option'],
  ])('has no other options: %s', (args, text) => {
    const { code, err } = starfold(['console', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(text);
  });
});
