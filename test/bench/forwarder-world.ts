import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { ForwarderProgram } from '#test/soak/forwarder-program.ts';
import type { Usage } from '#test/soak/process.ts';
import { bundledForwarder } from './as-installed.ts';
import {
  type EventDrain,
  type LazyApiServer,
  type ServedResource,
  startEventDrain,
  startLazyApiServer,
} from './forwarder-server.ts';

/** A forwarder's program as a process, on a server that makes its objects when they are asked for. */
export interface ForwarderWorld {
  readonly server: LazyApiServer;
  readonly drain: EventDrain;
  readonly program: ForwarderProgram;
  /** The most that its heap was seen to hold until everything was listed and sent; bytes. */
  readonly peakHeap: number;
  /** When everything was listed and sent. */
  readonly listed: Usage;
  stop(): Promise<void>;
}

const PATIENCE_MS = 180_000;
const LOOK_MS = 25;

/**
 * Waits until something holds.
 *
 * @param what for the error
 * @throws Error after three minutes.
 */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await holds()); await sleep(LOOK_MS))
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
}

async function writeConfig(
  folder: string,
  { source, api, queue }: { readonly source: object; readonly api: string; readonly queue: string },
): Promise<string> {
  const [config, token, kubeconfig] = ['config.yaml', 'token', 'kubeconfig.yaml'].map((name) =>
    join(folder, name),
  ) as [string, string, string]; // As many as names.
  await writeFile(token, 't'.repeat(40));
  await writeFile(
    kubeconfig,
    stringify({
      clusters: [{ name: 'bench', cluster: { server: api, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'bench', user: {} }],
      contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
      'current-context': 'bench',
    }),
  );
  const settings = {
    source,
    queue: { http: { url: queue, tokenFile: token } },
    leaderElection: { enabled: false },
    kubernetes: { kubeconfig },
    server: { port: 0, host: '127.0.0.1' },
  };
  await writeFile(config, stringify(settings));
  return config;
}

/** A forwarder, and what it watches. */
export interface WorldOptions {
  /** `source` of its configuration. */
  readonly source: object;
  readonly resources: readonly ServedResource[];
  readonly nodeOptions: readonly string[];
}

/**
 * Starts a forwarder and waits until it has listed everything, and everything was sent.
 *
 * @throws Error when that does not happen within three minutes.
 */
export async function startForwarderWorld(options: WorldOptions): Promise<ForwarderWorld> {
  const { source, resources, nodeOptions } = options;
  const folder = await mkdtemp(join(tmpdir(), 'starfold-bench-'));
  const [server, drain] = [await startLazyApiServer(resources), await startEventDrain()];
  const config = await writeConfig(folder, { source, api: server.url, queue: drain.url });
  const file = await bundledForwarder(folder);
  const program = new ForwarderProgram('forwarder', config, { file, nodeOptions });
  const stop = async (): Promise<void> => {
    await program.process.end('SIGTERM');
    await Promise.all([server.close(), drain.close(), rm(folder, { recursive: true })]);
  };
  // Of the resources of a source, the largest is the one that is told of.
  const most = Math.max(...resources.map(({ count }) => count));
  let peakHeap = 0;
  try {
    await program.started();
    await eventually('everything is listed and sent', async () => {
      peakHeap = Math.max(peakHeap, (await program.process.usage()).heapUsed);
      if ((await program.metric('snapshots_total')) === 0) return false;
      const isWhole = (await program.metric('objects')) === most;
      return isWhole && (await program.metric('unsent_events')) === 0;
    });
    return { server, drain, program, peakHeap, listed: await program.process.usage(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
