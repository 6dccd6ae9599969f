import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { startApiServer } from '#local/stack/api-server.ts';
import { writePrivateFile } from '#local/start/private-files.ts';
import { openStateFolder } from '#local/start/state-folder.ts';
import { openFolder, othersFile, symbolicLink } from '#local/start/state-messages.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';

describe('the state of the embedded stack', () => {
  let home: string;
  let folder: string;
  let file: string;
  let umask: number;

  beforeEach(() => {
    umask = process.umask(0);
    home = mkdtempSync(join(tmpdir(), 'starfold-hostile-'));
    folder = join(home, '.starfold');
    file = join(folder, 'state.sqlite');
  });
  afterEach(() => {
    process.umask(umask);
    vi.restoreAllMocks();
    rmSync(home, { recursive: true });
  });

  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  /** The modes of everything in the folder while it is in use. */
  function modes(): Readonly<Record<string, number>> {
    const state = openStateFolder(file);
    writePrivateFile(state.kubeconfigFile, 'kubeconfig');
    const found = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);
    state.release();
    return Object.fromEntries(found);
  }

  it("is its user's alone, also with a umask that denies nothing", () => {
    const found = modes();
    expect(found).toMatchObject({
      'state.sqlite': 0o600,
      'starfold.log': 0o600,
      kubeconfig: 0o600,
    });
    expect(new Set(Object.values(found))).toEqual(new Set([0o600]));
    expect(modeOf(folder)).toBe(0o700);
  });

  it('is shut where a former version left it open', () => {
    mkdirSync(folder);
    const former = [
      'state.sqlite',
      'state.sqlite.lock',
      'starfold.log',
      'starfold.log.1',
      'kubeconfig',
    ];
    for (const name of former) writeFileSync(join(folder, name), '');
    expect(modeOf(join(folder, 'starfold.log'))).toBe(0o666);
    expect(new Set(Object.values(modes()))).toEqual(new Set([0o600]));
    expect(modeOf(folder)).toBe(0o700);
  });

  it('stays in a folder for other things, of which only its own files are shut', () => {
    mkdirSync(folder, 0o755);
    writeFileSync(join(folder, 'notes'), '');
    expect(modes()).toMatchObject({ notes: 0o666, 'state.sqlite': 0o600 });
    expect(modeOf(folder)).toBe(0o755);
  });

  it('is not put where other users may write beside other things', () => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, 'notes'), '');
    expect(() => openStateFolder(file)).toThrow(openFolder(folder));
  });

  it('is not put into a folder that a link leads to', () => {
    const target = join(home, 'target');
    mkdirSync(target, 0o755);
    symlinkSync(target, folder);
    expect(() => openStateFolder(file)).toThrow(symbolicLink(folder));
    expect(readdirSync(target)).toEqual([]);
    expect(modeOf(target)).toBe(0o755);
  });

  it.each([
    'state.sqlite',
    'state.sqlite-wal',
    'state.sqlite-shm',
    'state.sqlite-journal',
    'state.sqlite.lock',
    'starfold.log',
    'starfold.log.1',
  ])('is not written through a link in the place of %s', (name) => {
    mkdirSync(folder);
    const target = join(home, 'target');
    symlinkSync(target, join(folder, name));
    expect(() => openStateFolder(file)).toThrow(symbolicLink(join(folder, name)));
    expect(existsSync(target)).toBe(false);
  });

  it('has a kubeconfig that goes through no link, not even to nowhere', () => {
    const state = openStateFolder(file);
    const target = join(home, 'target');
    symlinkSync(target, state.kubeconfigFile);
    expect(() => writePrivateFile(state.kubeconfigFile, 'text')).toThrow(
      symbolicLink(state.kubeconfigFile),
    );
    expect(existsSync(target)).toBe(false);
    state.release();
  });

  it('has a kubeconfig that is made anew, whatever was left in its making', () => {
    const state = openStateFolder(file);
    const target = join(home, 'target');
    writeFileSync(target, 'precious');
    symlinkSync(target, `${state.kubeconfigFile}.new`);
    writePrivateFile(state.kubeconfigFile, 'text');
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(readFileSync(state.kubeconfigFile, 'utf8')).toBe('text');
    expect(lstatSync(state.kubeconfigFile).isSymbolicLink()).toBe(false);
    state.release();
  });

  /** To whom a path belongs: root can give it away; to anybody else, another user is who asks. */
  function giveAway(path: string): void {
    if (process.geteuid?.() === 0) chownSync(path, 12345, 12345);
    else vi.spyOn(process, 'geteuid').mockReturnValue(12345);
  }

  it('is not put into the folder of another user', () => {
    mkdirSync(folder);
    giveAway(folder);
    const { uid } = lstatSync(folder);
    expect(() => openStateFolder(file)).toThrow(othersFile(folder, uid));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not written into the file of another user', () => {
    openStateFolder(file).release();
    const log = join(folder, 'starfold.log');
    giveAway(log);
    // To anybody but root, the folder is another user's, too.
    expect(() => openStateFolder(file)).toThrow(othersFile('', lstatSync(log).uid));
  });
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** As a browser's or a program's own HTTP would send it: fetch() sets some of these headers itself. */
async function ask(url: string, { method = 'GET', path = '/', headers = {}, body }: Asked) {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  // Node frames no body of a DELETE by itself.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  request(`${url}${path}`, { method, headers: { ...length, ...headers } }, (response) => {
    const { statusCode: status } = response;
    text(response).then(
      (answer) => resolve({ status, headers: response.headers, body: JSON.parse(answer) }),
      reject,
    );
  })
    .on('error', reject)
    .end(body);
  return promise;
}

/** What tells a page of the web from a program; in each `PORT` is the server's. */
const OF_A_PAGE: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['under a name of its own that leads here', { host: 'rebound.example:PORT' }],
  ['under a name that begins like an own one', { host: 'localhost.evil.example:PORT' }],
  ['under an address that begins like an own one', { host: '127.0.0.1.evil.example:PORT' }],
  ['under all addresses', { host: '0.0.0.0:PORT' }],
  ['of another site', { origin: 'https://evil.example' }],
  ['of a file or a frame in a sandbox', { origin: 'null' }],
  ['of another server of this machine', { origin: 'http://localhost:3000' }],
  ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['that the browser calls of the same site', { 'sec-fetch-site': 'same-site' }],
];

function withPort(
  headers: Readonly<Record<string, string>>,
  url: string,
): Readonly<Record<string, string>> {
  const { port } = new URL(url);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', port)]),
  );
}

describe('a simulated API server', () => {
  let cluster: SimulatedCluster;
  beforeAll(async () => {
    cluster = await startSimulatedCluster({ name: 'wds1' });
  });
  afterAll(() => cluster.close());

  const NAMESPACES = '/api/v1/namespaces';
  const JSON_BODY = { 'content-type': 'application/json' };
  let names = 0;
  function creation(headers: Readonly<Record<string, string>>): { name: string; asked: Asked } {
    names += 1;
    const name = `page-${names}`;
    const body = JSON.stringify({ metadata: { name } });
    return { name, asked: { method: 'POST', path: NAMESPACES, headers, body } };
  }
  const stands = async (name: string): Promise<boolean> =>
    (await ask(cluster.url, { path: `${NAMESPACES}/${name}` })).status === 200;

  it.each(OF_A_PAGE)('takes no write of a page %s', async (_what, page) => {
    const { name, asked } = creation({ ...JSON_BODY, ...withPort(page, cluster.url) });
    const { status, body } = await ask(cluster.url, asked);
    expect(status).toBe(403);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'Forbidden',
      code: 403,
    });
    expect(await stands(name)).toBe(false);
  });

  it.each(OF_A_PAGE)('answers no question of a page %s', async (_what, page) => {
    const headers = withPort(page, cluster.url);
    const { status, body } = await ask(cluster.url, { path: NAMESPACES, headers });
    expect([status, body['kind']]).toEqual([403, 'Status']);
  });

  it.each(['127.0.0.1:1', 'localhost'])(
    'answers a program that asks through a tunnel, as %s',
    async (host) => {
      const { status } = await ask(cluster.url, { path: NAMESPACES, headers: { host } });
      expect(status).toBe(200);
    },
  );

  it('allows no page what it asks to be allowed first', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' };
    const asked = { method: 'OPTIONS', path: NAMESPACES, headers };
    const answered = await ask(cluster.url, asked);
    expect(answered.status).toBe(403);
    expect(Object.keys(answered.headers)).not.toContain('access-control-allow-origin');
  });

  it.each([
    ['text/plain'],
    ['text/plain; charset=application/json'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['text/json'],
    ['application/json-seq'],
    [''],
  ])('takes no body of the type %j, which a page may send', async (type) => {
    const { name, asked } = creation(type === '' ? {} : { 'content-type': type });
    const { status, body } = await ask(cluster.url, asked);
    expect(status).toBe(415);
    expect(body).toMatchObject({ kind: 'Status', reason: 'UnsupportedMediaType', code: 415 });
    expect(body['message']).toContain('application/json');
    expect(await stands(name)).toBe(false);
  });

  it('takes no options of a deletion in another type', async () => {
    const { name, asked } = creation(JSON_BODY);
    await ask(cluster.url, asked);
    const path = `${NAMESPACES}/${name}`;
    const headers = { 'content-type': 'text/plain' };
    const refused = await ask(cluster.url, { method: 'DELETE', path, headers, body: '{}' });
    expect(refused.status).toBe(415);
    expect(await stands(name)).toBe(true);
    expect((await ask(cluster.url, { method: 'DELETE', path })).status).toBe(200);
  });

  it.each([
    ['kubectl and curl send', JSON_BODY],
    ['another client spells otherwise', { 'content-type': 'Application/JSON; charset=utf-8' }],
    ['a user of a browser sends by hand', { ...JSON_BODY, 'sec-fetch-site': 'none' }],
  ])('takes what %s', async (_what, headers) => {
    const { name, asked } = creation(headers);
    const answered = await ask(cluster.url, asked);
    expect(answered.status).toBe(201);
    expect(answered.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    expect(await stands(name)).toBe(true);
  });
});

describe('the API of the embedded stack', () => {
  it.each(OF_A_PAGE)('answers no page %s', async (_what, page) => {
    let asked = 0;
    const server = await startApiServer({
      host: '127.0.0.1',
      port: 0,
      handler: async () => {
        asked += 1;
        return { statusCode: 200, body: '{}' };
      },
      onError: () => undefined,
    });
    const answered = await ask(server.url, { headers: withPort(page, server.url) });
    expect(answered.status).toBe(403);
    expect(answered.headers).toMatchObject(SECURITY_HEADERS);
    expect((await ask(server.url, {})).status).toBe(200);
    expect(asked).toBe(1);
    await server.stop();
  });
});
