import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { InputError, UsageError } from '#local/cli/cli-error.ts';
import { DoorUnavailableError } from '#local/cli/door/door.ts';
import { openDoor } from '#local/cli/door/open-door.ts';
import { addDoorOptions, type DoorOptions } from '#local/cli/door/options.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from '#shared/adapters/sqlite/schema.ts';
import { at, isArray } from '#shared/core/json.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { ALICE, AskedApi, KEYS, ROOT, status, TABLE, WEB } from '#test/unit/api/ask.ts';
import { kubeconfigFor, Place, serve, stateFile, told } from './doors.ts';

const LIST = `${ROOT}/namespaces/shop/wecstatuses`;
const TERMINAL = { clock: () => Date.parse('2026-11-25T10:00:00Z') };

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
  expect(list.headers['warning']).toContain('objects of secrets are left out');
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
  const misled = await open('--kubeconfig', kubeconfigFor(place, url, other));
  await expect(told(misled, LIST)).rejects.toThrow(/certificate that is not trusted \(self-signed/);
});

it('says what to do if a server does not answer', async () => {
  await using place = new Place();
  const { url, stop } = await serve(place, new AskedApi());
  await stop();
  const cluster = { 'insecure-skip-tls-verify': true };
  const kubeconfig = kubeconfigFor(place, url, { cluster });
  const door = await open('--kubeconfig', kubeconfig);
  const answer = told(door, LIST);
  await expect(answer).rejects.toThrow(DoorUnavailableError);
  await expect(answer).rejects.toThrow(
    new RegExp(
      `^${url} does not answer \\(connect ECONNREFUSED .*\\): check that it runs .* and that ${kubeconfig} names it, or read without it \\(--state, --stage, -f\\)$`,
    ),
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
  await expect(told(door, LIST)).rejects.toThrow(/does not answer \(aborted\)/);
});

it.each([
  [['--kubeconfig', '/nowhere/config'], /there is no such file/],
  [['--state', '/nowhere/state.sqlite'], /there is no such file: name the file that starfold/],
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
  await expect(open('--state', file)).rejects.toThrow(
    `${file} has several WDSes: give --wds, one of: wds1, wds2`,
  );
  await expect(open('--state', file, '--wds', 'wds3')).rejects.toThrow(/did you mean wds\d\?/);
  const door = await open('--state', file, '--wds', 'wds2');
  expect((await told(door, LIST)).body).toMatchObject({ items: [] });
  await door.close();
});

it.each([
  ['of no database', () => undefined, /not a SQLite database/],
  ['of another program', (file: string) => pragma(file, 7, 1), /database of another program/],
  [
    'of a newer release',
    (file: string) => pragma(file, APPLICATION_ID, SCHEMA_VERSION + 1),
    /a newer Starfold wrote it/,
  ],
  ['without a WDS', (file: string) => openSqliteDatabase(file).close(), /knows no WDS yet/],
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
  await expect(open('--wds', 'wds1')).rejects.toThrow(UsageError);
});
