import { expect, vi } from 'vitest';
import { type ProgramChild, startProgram } from '#test/e2e/program-child.ts';
import { eventuallyReady } from '#test/e2e/program-world.ts';
import { startTcpProxy, type TcpProxy } from '#test/e2e/tcp-proxy.ts';
import { RESOURCES } from './objects.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };
const CLOCK = import.meta.resolve('./shifted-clock.ts');

/** A forwarder's process, with a way of its own to the queue. */
export interface Replica extends ProgramChild {
  readonly way: TcpProxy;
  /** Waits until it stands by, or leads and is well. */
  ready(): Promise<void>;
  /** Waits until it leads, has told of everything, and the queue takes what it sends. */
  leads(): Promise<void>;
  /** Waits until another one leads, and it knows. */
  standsBy(): Promise<void>;
  /** Ends it with this signal, and waits for that. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** What a replica is made of. */
export interface ReplicaPlan {
  readonly wec: string;
  readonly namespace: string;
  readonly names: readonly string[];
  readonly kubeconfig: string;
  readonly intake: string;
  readonly tokenFile: string;
  /** The file for its configuration. */
  readonly file: string;
  /** Whether it takes part in the election; by default it does. */
  readonly elected?: boolean;
  /** How far its clock is off, in milliseconds; 0 by default. */
  readonly clockShiftMs?: number;
}

function configOf(plan: ReplicaPlan, url: string): object {
  const { wec, namespace, names, kubeconfig, tokenFile, elected = true } = plan;
  const labelSelector = `app in (${names.join(', ')})`;
  return {
    source: { type: 'wec', name: wec, wds: 'wds', select: { labelSelector, resources: RESOURCES } },
    queue: { http: { url, tokenFile } },
    leaderElection: {
      enabled: elected,
      namespace,
      name: wec,
      leaseDurationSeconds: 3,
      renewDeadlineSeconds: 2,
      retryPeriodSeconds: 1,
    },
    kubernetes: { kubeconfig, context: wec, qps: 100, burst: 200 },
    batchMilliseconds: 20,
    server: { port: 0, host: '127.0.0.1' },
  };
}

/** Starts a replica; the process may take a while before it takes part. */
export async function startReplica(plan: ReplicaPlan): Promise<Replica> {
  const way = await startTcpProxy(plan.intake);
  const { clockShiftMs = 0 } = plan;
  const program = await startProgram(plan.file, configOf(plan, way.server), {
    imports: clockShiftMs === 0 ? [] : [CLOCK],
    env: { STARFOLD_TEST_CLOCK_SHIFT_MS: String(clockShiftMs) },
  });
  const says = async (leader: 0 | 1): Promise<void> => {
    expect(await program.ask('/readyz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await program.metric('leader')).toBe(leader);
  };
  return {
    ...program,
    way,
    ready: () => eventuallyReady(program),
    leads: () => vi.waitFor(() => says(1), PATIENCE),
    standsBy: () =>
      vi.waitFor(async () => {
        await says(0);
        expect((await program.ask('/readyz?verbose')).text).toMatch(/standby, \S+ leads/);
      }, PATIENCE),
    end: async (signal) => {
      program.kill(signal);
      await program.ended;
    },
  };
}
