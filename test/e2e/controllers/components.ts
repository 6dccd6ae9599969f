import { join } from 'node:path';
import type { Program } from './supervisor.ts';

/** Folders with executables. */
export interface Binaries {
  /** kube-apiserver and etcd */
  readonly servers: string;
  /** kube-controller-manager and kube-scheduler */
  readonly controllers: string;
  /** kwok and its stages */
  readonly kwok: string;
}

/** What the scenarios need; the others would only take time. */
const CONTROLLERS = [
  ...['deployment', 'replicaset', 'statefulset', 'daemonset', 'job', 'cronjob', 'disruption'],
  ...['garbage-collector', 'node-lifecycle'],
].map((name) => `${name}-controller`);

/** How long a simulated node is alive without a sign of it. */
const LEASE_SECONDS = 40;

/**
 * The controllers, the scheduler and the simulated kubelets of one WEC. None of them listens on a port.
 *
 * @param files paths of a kubeconfig and of kwok's configuration
 */
export function componentsOf(
  binaries: Binaries,
  files: { readonly kubeconfig: string; readonly stages: string },
): readonly Program[] {
  const kubeconfig = `--kubeconfig=${files.kubeconfig}`;
  const alone = ['--leader-elect=false', '--secure-port=0'];
  const rate = ['--kube-api-qps=200', '--kube-api-burst=400'];
  return [
    {
      name: 'kube-controller-manager',
      command: join(binaries.controllers, 'kube-controller-manager'),
      args: [kubeconfig, ...alone, ...rate, `--controllers=${CONTROLLERS.join(',')}`],
    },
    {
      name: 'kube-scheduler',
      command: join(binaries.controllers, 'kube-scheduler'),
      args: [kubeconfig, ...alone, ...rate],
    },
    {
      name: 'kwok',
      command: join(binaries.kwok, 'kwok'),
      args: [
        kubeconfig,
        `--config=${files.stages}`,
        '--manage-all-nodes',
        `--node-lease-duration-seconds=${LEASE_SECONDS}`,
      ],
    },
  ];
}
