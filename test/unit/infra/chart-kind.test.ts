import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = 'infra/local/kind.sh';
const BASICS = [
  'bash',
  'dirname',
  'sed',
  'grep',
  'mkdir',
  'cat',
  'realpath',
  'rm',
  'rmdir',
  'sleep',
];
/** Where this machine has them. */
const PLACES = new Map(
  BASICS.map((name) => {
    const { stdout } = spawnSync('bash', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    return [name, stdout.trim()];
  }),
);
let folder: string;
let children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-kind-'));
  for (const [name, place] of PLACES) symlinkSync(place, join(folder, name));
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

/** A program that notes how it was called and does what the lines of shell say; `$*` are its arguments. */
function program(name: string, body = ''): void {
  const file = join(folder, name);
  const note = `echo "${name} $*" >>${folder}/calls`;
  writeFileSync(file, `#!${join(folder, 'bash')}\n${note}\n${body}\n`);
  chmodSync(file, 0o755);
}

function calls(): readonly string[] {
  return readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
}

/** Every tool is there; what is not given does nothing, with success. */
function programs(bodies: Readonly<Record<string, string>>): void {
  for (const name of ['docker', 'kind', 'kubectl', 'openssl', 'curl', 'npm', 'helm'])
    program(name, bodies[name]);
}

function kind(...args: readonly string[]) {
  const env = {
    PATH: folder,
    HOME: folder,
    STATE: join(folder, 'state'),
    FORWARDER_IMAGE: 'local/forwarder:1',
  };
  return spawnSync(join(folder, 'bash'), [SCRIPT, ...args], { env, encoding: 'utf8' });
}

/** Writes a file of the folder STATE. */
function stateFile(name: string, text = ''): void {
  mkdirSync(join(folder, 'state'), { recursive: true });
  writeFileSync(join(folder, 'state', name), text);
}

/** What lets `up` come to its end: the clusters are there, and have an address for the stack. */
const RUNNING = {
  docker: `case "$*" in "network inspect"*) echo 172.18.0.1 ;; esac`,
  kind: `case "$*" in "get clusters") printf 'starfold-%s\\n' wds1 wec1 wec2 ;; esac`,
};

/** A process that takes 300 ms to end when it is told to; the arguments make it a stack or another program. */
async function running(...args: readonly string[]): Promise<ChildProcess> {
  const script = `process.on('SIGTERM', () => setTimeout(() => process.exit(7), 300));
    setInterval(() => {}, 1000); console.log('ready')`;
  const child = spawn(process.execPath, ['-e', script, ...args]);
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

const NO_IMAGE = `case "$*" in
  "image inspect"*) exit 1 ;;
  pull*) echo 'Error response from daemon: no such host' >&2; exit 1 ;;
esac`;

describe('kind.sh', () => {
  it.each([[[]], [['sideways']], [['up', 'down']]])(
    'says how it is used when called with %j',
    (args) => {
      const { status, stderr } = kind(...args);
      expect(status).toBe(2);
      expect(stderr).toContain('infra/local/kind.sh up');
    },
  );

  it('names every tool that is missing', () => {
    program('docker');
    program('curl');
    const { status, stderr } = kind('up');
    expect(status).toBe(1);
    expect(stderr).toContain('not installed: kind kubectl openssl npm.');
  });

  it('says when no Docker engine answers', () => {
    programs({ docker: 'exit 1' });
    const { status, stderr } = kind('up');
    expect(status).toBe(1);
    expect(stderr).toContain('no Docker engine answers');
  });

  it('names an image that cannot be pulled, with the reason, before any cluster is made', () => {
    programs({ docker: NO_IMAGE });
    const { status, stderr } = kind('up');
    expect(status).toBe(1);
    expect(stderr).toMatch(/the image kindest\/node:\S+ cannot be pulled: .*no such host/);
    expect(calls().filter((call) => call.startsWith('kind '))).toEqual([]);
  });

  it('removes the clusters that it has made when it fails, and no other', () => {
    programs({
      kind: `case "$*" in
  "get clusters") echo starfold-wds1 ;;
  "create cluster --name starfold-wec2"*) exit 1 ;;
esac`,
    });
    expect(kind('up').status).not.toBe(0);
    expect(calls().filter((call) => call.startsWith('kind delete'))).toEqual([
      'kind delete cluster --name starfold-wec1',
      'kind delete cluster --name starfold-wec2',
    ]);
  });

  it.each([
    { case: 'keeps one that serves', ends: 0, match: 'does match', made: 0 },
    { case: 'replaces one that ends within a day', ends: 1, match: 'does match', made: 1 },
    { case: 'replaces one of another address', ends: 0, match: 'does NOT match', made: 1 },
  ])('of the certificates of an earlier time, $case', ({ ends, match, made }) => {
    const openssl = `case "$*" in
  *"-checkend 86400"*) exit ${ends} ;;
  *"-checkip 172.18.0.1"*) echo "IP 172.18.0.1 ${match} certificate" ;;
esac`;
    programs({ ...RUNNING, openssl });
    expect(kind('up').status).toBe(0);
    const requests = calls().filter((call) => call.startsWith('openssl req'));
    expect(requests).toHaveLength(made);
    for (const request of requests) expect(request).toContain('subjectAltName=IP:172.18.0.1');
  });

  it('starts no second stack beside one that answers no more: it waits until that has ended', async () => {
    const old = await running('local/cli/starfold.ts');
    const ended = once(old, 'exit');
    stateFile('stack.pid', `${old.pid}\n`);
    programs({ ...RUNNING, curl: `grep '^started' ${folder}/calls` });
    const look = `grep -z starfold /proc/${old.pid}/cmdline && echo 'a second' >>${folder}/calls`;
    program('nohup', `${look}\necho started >>${folder}/calls\nsleep 2`);
    expect(kind('up').status).toBe(0);
    expect(await ended).toEqual([7, null]);
    expect(calls().filter((call) => /^(?:started|a second)$/.test(call))).toEqual(['started']);
    expect(readFileSync(join(folder, 'state/stack.pid'), 'utf8')).not.toBe(`${old.pid}\n`);
  });

  it('leaves alone a process that has the number of a stack that is gone', async () => {
    const other = await running('another program');
    stateFile('stack.pid', `${other.pid}\n`);
    programs({});
    expect(kind('down').status).toBe(0);
    expect(other.kill('SIGKILL')).toBe(true);
    expect(await once(other, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('removes its folder when all is taken down', () => {
    const names = ['kubeconfig', 'tls.key', 'tls.crt', 'tokens.yaml', 'stack.log', 'stack.pid'];
    for (const name of [...names, 'state.sqlite', 'state.sqlite-wal']) stateFile(name);
    programs({});
    expect(kind('down').status).toBe(0);
    expect(existsSync(join(folder, 'state'))).toBe(false);
    expect(calls()).toContain('kind delete cluster --name starfold-wds1');
    expect(kind('down').status).toBe(0);
  });

  it('removes nothing of the folder but what it has made', () => {
    for (const name of ['letter.txt', '.profile', 'state.sqlite.backup', 'tokens.yaml'])
      stateFile(name);
    programs({});
    const { status, stderr } = kind('down');
    expect(status).toBe(0);
    expect(stderr).toContain('has other files, which are left');
    const left = ['.profile', 'letter.txt', 'state.sqlite.backup'];
    expect(readdirSync(join(folder, 'state')).sort()).toEqual(left);
  });

  it('plays no demo without its clusters', () => {
    programs({});
    const { status, stderr } = kind('demo');
    expect(status).toBe(1);
    expect(stderr).toContain('there is no cluster wds1: run infra/local/kind.sh up first');
  });
});
