import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { clusters } from './clusters.ts';
import { eventually } from './controls.ts';
import { end } from './stack-child.ts';

export const STARFOLD = join(import.meta.dirname, '..', '..', 'local/cli/starfold.js');

/** What a program has printed. */
export interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

/** `starfold start --api` of the WDS, in a process of its own. */
export interface ApiChild {
  /** A folder for files of the test. It is removed with the state. */
  readonly folder: string;
  /** The kubeconfig that Starfold has written. */
  readonly config: string;
  /** Runs kubectl with the kubeconfig that Starfold has written, or another one. */
  kubectl(args: readonly string[], config?: string): Promise<Said>;
  /** What the process has printed. */
  log(): string;
  /** Ends the process in order. */
  stop(): Promise<void>;
  /** Ends the process in order, and removes its state. */
  dispose(): Promise<void>;
}

function argumentsOf(folder: string): readonly string[] {
  const { kubeconfigPath } = clusters();
  const tls = ['--tls-cert', join(folder, 'tls.crt'), '--tls-key', join(folder, 'tls.key')];
  return [
    ...['start', '--kubeconfig', kubeconfigPath, '--wds', 'wds', '--wec', 'wec1', '--wec', 'wec2'],
    ...['--api', '127.0.0.1:0', ...tls, '--state', join(folder, 'state', 'state.db')],
    // The identity of every stack here: only one installation writes a WDS.
    ...['--identity', 'test'],
  ];
}

function spawned(folder: string, onText: (text: string) => void): ChildProcess {
  const args = [STARFOLD, ...argumentsOf(folder)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onText);
  return child;
}

/** Starts the server, and waits until it has written its kubeconfig. */
export async function startApiChild(): Promise<ApiChild> {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-api-'));
  const { cert, key } = selfSigned();
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  let log = '';
  const child = spawned(folder, (text) => {
    log += text;
  });
  const own = join(folder, 'state', 'api-kubeconfig');
  await eventually(async () => existsSync(own) || log, true);
  const stop = () => end(child, 'SIGTERM');
  return {
    ...{ folder, config: own, stop },
    kubectl: (args, config = own) => {
      const options = ['--kubeconfig', config, '--cache-dir', join(folder, 'cache')];
      return promisify(execFile)(clusters().kubectlPath, [...options, ...args]);
    },
    log: () => log,
    dispose: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
