import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { env, execPath } from 'node:process';
import { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { existingStages, noStack } from '#local/cli/deployment/messages.ts';
import { DoorUnavailableError } from '#local/cli/door/door.ts';
import {
  noAnswer,
  noWdsYet,
  ONLY_WITH_FILES,
  severalWdses,
  unknownWds,
  untrusted,
  wdsOfServer,
} from '#local/cli/door/messages.ts';
import { openDoor } from '#local/cli/door/open-door.ts';
import { addDoorOptions, type DoorOptions } from '#local/cli/door/options.ts';
import { openStageDoor } from '#local/cli/door/stage-door.ts';
import { WATCH_NEEDS_SERVER } from '#local/cli/get/messages.ts';
import { noState } from '#local/cli/state/messages.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import { notAnswering } from '#local/console/messages.ts';
import { givenAlone } from '#local/start/option-messages.ts';
import { NO_FILE } from '#shared/adapters/kubernetes/kube-config-messages.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { FILE_PROBLEMS, unusableFile } from '#shared/adapters/sqlite/messages.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from '#shared/adapters/sqlite/schema.ts';
import { leftOut } from '#shared/api/messages.ts';
import { at, isArray, type JsonObject } from '#shared/core/json.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { ALICE, AskedApi, KEYS, ROOT, status, TABLE, WEB } from '#test/unit/api/ask.ts';
import { ALL, file, STARFOLD, starfold } from '../command.ts';
import { createFakeAccount } from '../deployment/fake-account.ts';
import { KeptTerminal } from '../get/got.ts';
import { kubeconfigFor, Place, serve, stateFile, told } from './doors.ts';

const LIST = `${ROOT}/namespaces/shop/wecstatuses`;
const { terminal: TERMINAL } = new KeptTerminal();

/** The options that a command line gives. */
function optionsOf(...args: readonly string[]): DoorOptions {
  const command = addDoorOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr() {} });
  return command.parse(args, { from: 'user' }).opts();
}

function open(...args: readonly string[]) {
  return openDoor(optionsOf(...args), TERMINAL);
}

it('asks a server through a kubeconfig, and passes its answers on', async () => {
  await using place = new Place();
  const asked = new AskedApi();
  asked.source.put(status(WEB, 'east'));
  asked.source.put(status(KEYS, 'east'));
  asked.wds.allows = ({ resource }) => resource !== 'secrets';
  const { url } = await serve(place, asked);
  const cluster = { 'insecure-skip-tls-verify': true };
  const door = await open('--kubeconfig', kubeconfigFor(place, url, { cluster }));
  expect(door.name).toBe(url);
  const query = new URLSearchParams({ fieldSelector: 'wec=east' });
  const list = await told(door, LIST, { query, accept: TABLE });
  expect(list.code).toBe(200);
  expect(list.body).toMatchObject({ kind: 'Table', rows: [{}] });
  expect(list.headers['warning']).toContain(leftOut(['secrets']));
  const missing = await told(door, `${LIST}/deployments.apps:web:west`);
  expect(missing).toMatchObject({ code: 404, body: { kind: 'Status', reason: 'NotFound' } });
  await door.close();
});

it('shows its certificate to a server, whose certificate it checks', async () => {
  await using place = new Place();
  const asked = new AskedApi();
  const [pair, client] = [selfSigned(), selfSigned()];
  const files = {
    certFile: place.file('tls.crt', pair.cert),
    keyFile: place.file('tls.key', pair.key),
  };
  const { url } = await serve(place, asked, {
    type: 'tls',
    files,
    authorities: () => [client.cert],
    authenticate: async ({ socket }) => {
      const subject = Object(socket).getPeerCertificate().subject;
      return { ...ALICE, username: subject.CN };
    },
    onCertificateFault: () => undefined,
  });
  const data = (pem: string) => Buffer.from(pem).toString('base64');
  const user = {
    'client-certificate-data': data(client.cert),
    'client-key-data': data(client.key),
  };
  const trusting = { user, cluster: { 'certificate-authority-data': data(pair.cert) } };
  const door = await open('--kubeconfig', kubeconfigFor(place, url, trusting));
  expect((await told(door, LIST)).code).toBe(200);
  expect(at(asked.wds.asked[0], 'spec', 'user')).toBe('starfold test');
  const other = { user, cluster: { 'certificate-authority-data': data(client.cert) } };
  const kubeconfig = kubeconfigFor(place, url, other);
  const misled = await open('--kubeconfig', kubeconfig);
  const [begin = ''] = untrusted(url, 'self-signed', kubeconfig).split('self-signed');
  await expect(told(misled, LIST)).rejects.toThrow(`${begin}self-signed`);
});

it('says what to do if a server does not answer', async () => {
  await using place = new Place();
  const { url, stop } = await serve(place, new AskedApi());
  await stop();
  const cluster = { 'insecure-skip-tls-verify': true };
  const kubeconfig = kubeconfigFor(place, url, { cluster });
  const door = await open('--kubeconfig', kubeconfig);
  const answer = told(door, LIST);
  const reason = `connect ECONNREFUSED ${new URL(url).host}`;
  const others = '--state, --stage, -f';
  await expect(answer).rejects.toThrow(
    new DoorUnavailableError(noAnswer(url, reason, { file: kubeconfig, others })),
  );
});

it('says that an answer was cut off', async () => {
  await using place = new Place();
  const asked = new AskedApi();
  for (let number = 0; number < 1_000; number += 1) asked.source.put(status(WEB, `wec-${number}`));
  const { url } = await serve(place, asked);
  const page = asked.source.wecStatuses.bind(asked.source);
  asked.source.wecStatuses = (request) => {
    if (request.after !== undefined) throw new Error('gone');
    return page(request);
  };
  const cluster = { 'insecure-skip-tls-verify': true };
  const door = await open('--kubeconfig', kubeconfigFor(place, url, { cluster }));
  await expect(told(door, LIST)).rejects.toThrow(notAnswering(url, 'aborted'));
});

it.each([
  [['--kubeconfig', '/nowhere/config'], NO_FILE.path],
  [['--state', '/nowhere/state.sqlite'], noState(unusableFile('/nowhere/state.sqlite', 'missing'))],
])('%j is an error with its remedy', async (args, message) => {
  await expect(open(...args)).rejects.toThrow(message);
});

it('reads a state file while it is open for writing', async () => {
  await using place = new Place();
  const { file, world } = await stateFile(place);
  const door = await open('--state', file);
  const all = await told(door, LIST);
  expect(all.code).toBe(200);
  const items = at(all.body, 'items');
  expect(isArray(items) && items.length).toBe(world.expected({ namespace: 'shop' }).length);
  const name = 'deployments.apps:web:edge';
  expect((await told(door, `${LIST}/${name}`)).body).toMatchObject({ state: 'Reported' });
  await world.play([{ type: 'report', object: 0, wec: 1, ready: undefined }, { type: 'settle' }]);
  expect((await told(door, `${LIST}/${name}`)).body).toMatchObject({ state: 'Missing' });
  const watch = await told(door, LIST, { query: new URLSearchParams({ watch: 'true' }) });
  expect(watch).toMatchObject({ code: 405, body: { reason: 'MethodNotAllowed' } });
  await door.close();
});

it('reads the WDS of a state file that is asked for', async () => {
  await using place = new Place();
  const { file } = await stateFile(place, ['wds1', 'wds2']);
  const names = ['wds1', 'wds2'];
  await expect(open('--state', file)).rejects.toThrow(severalWdses(file, names));
  await expect(open('--state', file, '--wds', 'wds3')).rejects.toThrow(
    unknownWds(file, 'wds3', { names, near: 'wds1' }),
  );
  const door = await open('--state', file, '--wds', 'wds2');
  expect((await told(door, LIST)).body).toMatchObject({ items: [] });
  await door.close();
});

it.each([
  ['of no database', () => undefined, FILE_PROBLEMS['not-a-database']],
  ['of another program', (file: string) => pragma(file, 7, 1), FILE_PROBLEMS.foreign],
  [
    'of a newer release',
    (file: string) => pragma(file, APPLICATION_ID, SCHEMA_VERSION + 1),
    FILE_PROBLEMS['newer-schema'],
  ],
  ['without a WDS', (file: string) => openSqliteDatabase(file).close(), noWdsYet('')],
])('rejects the file %s', async (what, make, message) => {
  await using place = new Place();
  const file = place.file('x.sqlite');
  if (what === 'of no database') writeFileSync(file, 'x'.repeat(10_000));
  make(file);
  const opened = open('--state', file);
  await expect(opened).rejects.toThrow(InputError);
  await expect(opened).rejects.toThrow(message);
});

function pragma(file: string, applicationId: number, version: number): void {
  const database = openSqliteDatabase(file);
  database.prepare(`PRAGMA application_id = ${applicationId}`).run();
  database.prepare(`PRAGMA user_version = ${version}`).run();
  database.close();
}

it('throws what its own API cannot answer', async () => {
  await using place = new Place();
  const { file, database } = await stateFile(place);
  const door = await open('--state', file);
  database.prepare('DROP TABLE items').run();
  await expect(told(door, LIST)).rejects.toThrow(/item store unavailable: .*no such table/);
  await door.close();
});

it('refuses options of different doors', async () => {
  expect(() => optionsOf('--state', 's', '--context', 'c')).toThrow(/cannot be used with option/);
  expect(() => optionsOf('--stage', 's', '-f', 'c')).toThrow(/cannot be used with option/);
  const later = '2026-11-25T10:00:00Z';
  for (const [option, value, message] of [
    ['--wds', 'wds1', wdsOfServer('--state, --stage and -f')],
    ['--region', 'eu-west-1', givenAlone('--region', '--stage')],
    ['--wec', 'a=b', ONLY_WITH_FILES],
    ['--now', later, ONLY_WITH_FILES],
  ] as const)
    await expect(open(option, value)).rejects.toThrow(new UsageError(message));
});

it('reads the table of a deployment', async () => {
  await using place = new Place();
  const { database, world } = await stateFile(place);
  const account = { ...createFakeAccount(), itemStore: () => createSqliteItemStore(database) };
  const clock = (): number => 0;
  const door = await openStageDoor({ stage: 'prod', account, clock });
  expect(door.name).toBe('starfold-prod');
  const items = at((await told(door, LIST)).body, 'items');
  expect(isArray(items) && items.length).toBe(world.expected({ namespace: 'shop' }).length);
  const none = openStageDoor({ stage: 'test', account, clock });
  await expect(none).rejects.toThrow(
    noStack('starfold-test', 'eu-west-1', existingStages(['prod'])),
  );
  await door.close();
});

describe('the door to files', () => {
  const files = [
    ...ALL,
    '--wec',
    `wec3=${file('wec3.yaml', '{apiVersion: v1, kind: List, items: []}')}`,
  ];
  const names = (body: unknown) =>
    (at(body as JsonObject, 'items') as readonly JsonObject[]).map((one) =>
      at(one, 'metadata', 'name'),
    );

  it('says what each WEC reports about the given objects', async () => {
    const door = await open(...files);
    const list = await told(door, LIST);
    expect(names(list.body)).toContain('deployments.apps:web:wec2');
    const one = await told(door, `${LIST}/deployments.apps:web:wec2`);
    expect(one.body).toMatchObject({
      state: 'Reported',
      health: { status: 'Degraded' },
      status: { availableReplicas: 1 },
    });
    const { out } = starfold(['get', 'deploy/web', '-n', 'shop', ...files]);
    const [head, first, second] = out.split('\n');
    expect(head).toMatch(/^OBJECT +WEC/);
    expect(first).toMatch(/^deployments.apps\/web +wec1 +\S+ +Healthy +Reported/);
    expect(second).toMatch(/wec2 +\S+ +Degraded/);
    await door.close();
  });

  it('knows the WECs that are given, and those to which a Binding sends something', async () => {
    const cluster = file(
      'cluster.yaml',
      `{ apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: { name: wec2, labels: { tier: gold } },
         status: { conditions: [{ type: ManagedClusterConditionAvailable, status: Unknown,
           lastTransitionTime: "2026-11-21T11:00:00Z" }] } }`,
    );
    const door = await open(...files, '-f', cluster);
    const { body } = await told(door, `${ROOT}/wecs`);
    expect(body).toMatchObject({
      items: [
        { metadata: { name: 'wec1' }, objects: 1, unhealthyObjects: 0 },
        { metadata: { name: 'wec2' }, objects: 1, unhealthyObjects: 1 },
        { metadata: { name: 'wec3' }, objects: 0, unhealthyObjects: 0 },
      ],
    });
    expect((await told(door, `${ROOT}/wecs/wec2`)).body).toMatchObject({
      silentSince: '2026-11-21T11:00:00Z',
      metadata: { labels: { tier: 'gold' } },
    });
    const silent = await told(door, `${LIST}/deployments.apps:web:wec2`);
    expect(silent.body).toMatchObject({ state: 'Silent' });
  });

  it('gives pages and no watch', async () => {
    const door = await open(...files);
    const pages: unknown[] = [];
    let token = '';
    do {
      const query = new URLSearchParams({
        limit: '1',
        ...(token === '' ? {} : { continue: token }),
      });
      const { body } = await told(door, `${ROOT}/wecs`, { query });
      pages.push(...names(body));
      token = String(at(body, 'metadata', 'continue') ?? '');
    } while (token !== '');
    expect(pages).toEqual(['wec1', 'wec2', 'wec3']);
    const watch = await told(door, LIST, { query: new URLSearchParams({ watch: 'true' }) });
    expect(watch.code).toBe(405);
    expect(starfold(['get', '-w', ...files])).toMatchObject({ code: 2 });
  });
});

describe('in the folder of a starfold start, without an option', () => {
  const place = new Place();
  afterAll(() => place[Symbol.asyncDispose]());

  function run(...args: readonly string[]) {
    const {
      stdout,
      stderr,
      status: code,
    } = spawnSync(execPath, [STARFOLD, ...args], {
      cwd: place.folder,
      env: { ...env, KUBECONFIG: place.file('none') },
      encoding: 'utf8',
    });
    return { code, stdout, stderr };
  }

  it('reads the state file', async () => {
    mkdirSync(place.file('.starfold'));
    const { file } = await stateFile(place, ['wds1', 'wds2']);
    // The state is open, and so is its write-ahead log.
    for (const suffix of ['', '-wal', '-shm'])
      copyFileSync(`${file}${suffix}`, place.file(`.starfold/state.sqlite${suffix}`));
    const got = run('get', 'wecst', '-A', '--wds', 'wds1', '-o', 'name');
    expect(got.stderr).toBe('');
    expect(got).toMatchObject({ code: 0, stdout: expect.stringMatching(/^wecstatus/) });
    expect(run('get', 'wecs').stderr).toContain(
      severalWdses('.starfold/state.sqlite', ['wds1', 'wds2']),
    );
    expect(run('query', '-A', '--count', 'all', '--wds', 'wds1')).toMatchObject({ code: 0 });
    expect(run('explain', 'deployment/web', '--wds', 'wds3').stderr).toContain('wds3');
  });

  it('says that a watch needs --api', () => {
    expect(run('get', 'wecs', '-w')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(WATCH_NEEDS_SERVER),
    });
  });

  it('asks the server if there is one, or what the user names', () => {
    const named = kubeconfigFor(place, 'https://127.0.0.1:9');
    const silent = notAnswering('https://127.0.0.1:9', 'connect ECONNREFUSED 127.0.0.1:9');
    expect(run('get', 'wecs', '--kubeconfig', named).stderr).toContain(silent);
    copyFileSync(named, place.file('.starfold/api-kubeconfig'));
    expect(run('get', 'wecs').stderr).toContain(silent);
  });
});
