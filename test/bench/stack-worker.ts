/**
 * The embedded stack as a process of its own, so that the clusters and the load have another core.
 *
 * Arguments: folder with a kubeconfig `<cluster>.yaml` for each cluster and the state file, name of the WDS, names of the
 * WECs with commas between them. It tells its parent `ready`, answers each question with a number,
 * and ends in order with its parent or on SIGTERM.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startStack } from '#local/stack/stack.ts';
import type { StackCluster } from '#local/stack/stack-options.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { QueueFullError } from '#shared/errors.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { type Flood, floodOf, type Storm, snapshotOf, stormName } from './noisy-source.ts';

/** The pause of the noisy sender while its queue is full, as that of a forwarder. */
const RETRY_MS = 1_000;

const [folder = '', wds = '', wecs = ''] = process.argv.slice(2);

function cluster(name: string): StackCluster {
  const kubeConfig = loadKubeConfig(join(folder, `${name}.yaml`), name);
  const options = { context: name, requestTimeoutMs: 5_000, fieldManager: 'starfold' };
  return { name, api: createKubernetesApi(kubeConfig, options) };
}

const stack = await startStack({
  file: join(folder, 'state.db'),
  wds: cluster(wds),
  wecs: wecs.split(',').map(cluster),
  writer: { identity: 'test', runsAs: 'a test' },
  observability: createObservability({
    service: 'starfold',
    logLevel: 'WARN',
    stream: process.stderr,
    metrics: 'off',
  }),
});

async function end(): Promise<void> {
  await stack.stop();
  process.exit();
}

/**
 * What the parent may ask; each is answered with a number: microseconds of CPU, bytes of memory, messages of events or of all queues
 * that wait.
 */
export type Question =
  | { readonly type: 'cpu' | 'memory' | 'backlog' | 'all' }
  | ({ readonly type: 'flood' } & Flood)
  | ({ readonly type: 'storm' } & Storm);

/** Accepts the messages of all sources of a storm at once, as the intake does. They are made before. */
async function strike(storm: Storm): Promise<void> {
  const bodies = Array.from({ length: storm.sources }, (_body, index) =>
    snapshotOf(storm, wds, index),
  );
  const sent = bodies.map((body, index) =>
    stack.takeEvents({ type: 'wec', name: stormName(index) }, [body]),
  );
  await Promise.all(sent);
}

/**
 * Sends a flood as fast as the queue accepts it. `onFull` is called when it accepts no more for now, and at the end. All messages
 * are made before: a forwarder makes them in a process of its own.
 */
async function push(flood: Flood, onFull: () => void): Promise<void> {
  const source = { type: 'wec', name: flood.noisy } as const;
  for (const bodies of [...floodOf(flood, wds)])
    for (let isSent = false; !isSent; )
      try {
        await stack.takeEvents(source, bodies);
        isSent = true;
      } catch (error) {
        if (!(error instanceof QueueFullError)) throw error;
        onFull();
        await setTimeout(RETRY_MS);
      }
  onFull();
}

async function answer(question: Question): Promise<number> {
  if (question.type === 'backlog') return (await stack.backlog())['events'] ?? 0;
  if (question.type === 'memory') return process.memoryUsage.rss();
  if (question.type === 'all')
    return Object.values(await stack.backlog()).reduce((sum, count) => sum + count, 0);
  if (question.type === 'storm') {
    await strike(question);
    return 0;
  }
  if (question.type === 'flood') {
    await new Promise<void>((resolve, reject) => {
      push(question, resolve).catch(reject);
    });
    return 0;
  }
  const { user, system } = process.cpuUsage();
  return user + system;
}

process.on('message', (question: Question) => {
  void answer(question).then((number) => process.send?.(number));
});
process.on('disconnect', end);
process.on('SIGTERM', end);
process.send?.('ready');
