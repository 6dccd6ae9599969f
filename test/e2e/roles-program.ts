import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { type Check, readiness } from '#functions/event-forwarder/program/checks.ts';
import { parseConfig } from '#functions/event-forwarder/program/config.ts';
import type { ProgramLog } from '#functions/event-forwarder/program/log.ts';
import { Program } from '#functions/event-forwarder/program/program.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import {
  applyObjects,
  type Grant,
  grantAccess,
  kubeconfigOfAccount,
  type Release,
} from './accounts.ts';
import type { Cluster } from './clusters.ts';
import { eventually } from './controls.ts';

/** The forwarder's program in this process, with the rights of an account; its queue takes everything. */
export interface RestrictedProgram {
  /** The checks of /readyz. */
  checks(): readonly Check[];
  /** The lines of its log, and the warnings among them. */
  readonly lines: readonly string[];
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

/**
 * Gives an account these roles, and waits until the API server goes by them.
 *
 * @param at a client with the rights of the account, and a namespace in which they are asked for
 * @param asked a verb that the account is to have then, or not
 */
export async function grantRoles(
  at: { readonly cluster: Cluster; readonly account: ObjectApi; readonly namespace: string },
  given: readonly JsonObject[],
  asked: Grant & { readonly allowed: boolean },
): Promise<void> {
  const { cluster, account, namespace } = at;
  const { verb, group, resource, allowed } = asked;
  await applyObjects(
    cluster,
    given.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role'),
  );
  const [plural = '', subresource = ''] = resource.split('/');
  // Some are limited to one name.
  const name = group === WRITER_LEASE.group ? { name: WRITER_LEASE.name } : {};
  const resourceAttributes = { verb, group, resource: plural, subresource, namespace, ...name };
  const review = {
    group: 'authorization.k8s.io',
    version: 'v1',
    resource: 'selfsubjectaccessreviews',
    namespace: '',
    name: '',
  };
  await eventually(async () => {
    const answer = await account.create(review, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    });
    return member(answer['status'], 'allowed');
  }, allowed);
}

function logInto(lines: string[], warnings: string[]): ProgramLog {
  return {
    info: (message) => void lines.push(message),
    warn: (message, fields) => {
      lines.push(message);
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
  const lines: string[] = [];
  const warnings: string[] = [];
  const program = new Program({
    config: {
      ...reading.config,
      leaderElection: { ...reading.config.leaderElection, ...ELECTION },
    },
    connections: { api, leaseApi: api, queue: { send: async () => undefined } },
    identity: account.name,
    log: logInto(lines, warnings),
    clock: Date.now,
    monotonic: () => performance.now(),
    random: () => 0.5,
    sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  });
  const stopping = new AbortController();
  const ended = program.run(stopping.signal);
  return {
    checks: () => readiness(program.status()),
    lines,
    warnings,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
