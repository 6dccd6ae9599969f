/**
 * The embedded stack as a process of its own, so that the clusters and the load have another core.
 *
 * Arguments: folder with a kubeconfig `<cluster>.yaml` for each cluster and the state file, name of the WDS, names of the
 * WECs with commas between them. It tells its parent `ready`, answers each question with a number (the
 * microseconds of CPU that it has used), and ends in order with its parent or on SIGTERM.
 */
import { join } from 'node:path';
import { type StackCluster, startStack } from '#local/stack/stack.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { type Flood, floodOf } from './noisy-source.ts';

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

/** What the parent may ask; each is answered with a number. */
export type Question = { readonly type: 'cpu' | 'backlog' } | ({ readonly type: 'flood' } & Flood);

async function answer(question: Question): Promise<number> {
  if (question.type === 'backlog') return (await stack.backlog())['events'] ?? 0;
  if (question.type === 'flood') {
    const source = { type: 'wec', name: question.noisy } as const;
    for (const bodies of floodOf(question, wds)) await stack.takeEvents(source, bodies);
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
