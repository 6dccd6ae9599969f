import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { type Check, readiness } from '#functions/event-forwarder/program/checks.ts';
import { parseConfig } from '#functions/event-forwarder/program/config.ts';
import type { ProgramLog } from '#functions/event-forwarder/program/log.ts';
import { Program } from '#functions/event-forwarder/program/program.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { grantAccess, kubeconfigOfAccount, type Release } from './accounts.ts';
import type { Cluster } from './clusters.ts';

/** The forwarder's program in this process, with the rights of an account; its queue takes everything. */
export interface RestrictedProgram {
  /** The checks of /readyz. */
  checks(): readonly Check[];
  /** The warnings of its log. */
  readonly warnings: readonly string[];
  stop(): Promise<void>;
}

/** Times of a Lease that is renewed each second. */
const ELECTION = { leaseDurationSeconds: 4, renewDeadlineSeconds: 3, retryPeriodSeconds: 1 };

/** A client of a cluster with the rights of an account. */
export async function clientOf(cluster: Cluster, account: Release['account']) {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(await kubeconfigOfAccount(cluster, account, 'restricted'));
  return createKubernetesApi(kubeConfig, { requestTimeoutMs: 10_000, fieldManager: 'starfold' });
}

function logInto(warnings: string[]): ProgramLog {
  return {
    info: () => undefined,
    warn: (message, fields) => {
      warnings.push(`${message} ${JSON.stringify(fields)}`);
    },
    error: () => undefined,
    setEpoch: () => undefined,
  };
}

/** Gives the account its rights and starts the program of a release. */
export async function startRestricted(
  cluster: Cluster,
  { account, access, config }: Omit<Release, 'access'> & { readonly access: readonly JsonObject[] },
): Promise<RestrictedProgram> {
  await grantAccess(cluster, { account, access });
  const reading = parseConfig('chart', config);
  if (!reading.ok) throw new Error(reading.faults.join('\n'));
  const api = await clientOf(cluster, account);
  const warnings: string[] = [];
  const program = new Program({
    config: {
      ...reading.config,
      leaderElection: { ...reading.config.leaderElection, ...ELECTION },
    },
    connections: { api, leaseApi: api, queue: { send: async () => undefined } },
    identity: account.name,
    log: logInto(warnings),
    clock: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  });
  const stopping = new AbortController();
  const ended = program.run(stopping.signal);
  return {
    checks: () => readiness(program.status()),
    warnings,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
