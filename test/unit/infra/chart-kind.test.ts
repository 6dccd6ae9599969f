import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = 'infra/local/kind.sh';
const BASICS = ['bash', 'dirname', 'sed', 'grep', 'mkdir', 'cat', 'realpath', 'rm'];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-kind-'));
  for (const name of BASICS) {
    const { stdout } = spawnSync('bash', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(folder, name));
  }
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  it('plays no demo without its clusters', () => {
    programs({});
    const { status, stderr } = kind('demo');
    expect(status).toBe(1);
    expect(stderr).toContain('there is no cluster wds1: run infra/local/kind.sh up first');
  });
});
