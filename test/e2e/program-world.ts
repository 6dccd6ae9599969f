import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { at, type JsonValue } from '#shared/core/json.ts';
import { apply, clusters, createNamespace, setStatus } from './clusters.ts';
import { type EventSink, startEventSink } from './event-sink.ts';
import { killPrograms, type ProgramChild, startProgram } from './program-child.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment } from './workloads.ts';

/** How long something may take to come true; a test that fails waits for so long. */
export const PATIENCE = { timeout: 30_000, interval: 50 };

/** The token of the programs. */
export const TOKEN = 't'.repeat(40);

/** A namespace of WEC 1, a receiver of events, and programs that tell it of Deployments in that namespace. */
export interface ProgramWorld {
  readonly sink: EventSink;
  /** For files; it goes with the world. */
  readonly folder: string;
  /**
   * Starts the program on the Deployments with this name; processes of one name share a Lease.
   *
   * @param change sections of the configuration that are to be otherwise
   */
  start(name: string, change?: object): Promise<ProgramChild>;
  /** Creates a Deployment; what is returned sets how many replicas its status counts. */
  create(name: string): Promise<(replicas: number) => Promise<void>>;
  /** The replicas of the newest status that the sink has of the Deployment: what a receiver goes by. */
  replicasOf(name: string): JsonValue | undefined;
  /** Waits until they are so many. */
  eventuallyReplicas(name: string, replicas: number): Promise<void>;
  /** Ends what a test has left. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

function configOf(place: { name: string; namespace: string; folder: string; url: string }): object {
  const { name, namespace, folder, url } = place;
  return {
    source: {
      type: 'wec',
      name,
      wds: 'wds1',
      select: { labelSelector: `app=${name}`, resources: ['deployments.apps/v1'] },
    },
    queue: { http: { url, tokenFile: join(folder, 'token') } },
    leaderElection: {
      namespace,
      leaseDurationSeconds: 4,
      renewDeadlineSeconds: 3,
      retryPeriodSeconds: 1,
    },
    kubernetes: { kubeconfig: clusters().kubeconfigPath, context: 'wec1' },
    batchMilliseconds: 20,
    server: { port: 0, host: '127.0.0.1' },
  };
}

/** Starts a world; the namespace is its own. */
export async function startProgramWorld(namespace: string): Promise<ProgramWorld> {
  const { wec1 } = clusters();
  await createNamespace(wec1, namespace);
  const folder = await mkdtemp(join(tmpdir(), 'starfold-program-'));
  await writeFile(join(folder, 'token'), TOKEN);
  const sink = await startEventSink();
  let files = 0;
  const replicasOf = (name: string): JsonValue | undefined => {
    const own = sink.events.filter(
      ({ content }) => content.type === 'wec-object' && content.subject.name === name,
    );
    own.sort(
      (a, b) => a.version.epoch - b.version.epoch || a.version.sequence - b.version.sequence,
    );
    const content = own.at(-1)?.content;
    return content?.type === 'wec-object' ? at(content.returned?.status, 'replicas') : undefined;
  };
  return {
    sink,
    folder,
    start: (name, change = {}) => {
      files += 1;
      const config = configOf({ name, namespace, folder, url: sink.url });
      return startProgram(join(folder, `config-${files}.yaml`), { ...config, ...change });
    },
    create: async (name) => {
      const { ref, object } = deployment({ namespace, name });
      await apply(wec1, ref, object);
      return async (replicas) => {
        await setStatus(wec1, ref, rolledOut(1, replicas, minute(0)));
      };
    },
    replicasOf,
    eventuallyReplicas: (name, replicas) =>
      vi.waitFor(() => expect(replicasOf(name)).toBe(replicas), PATIENCE),
    clear: async () => {
      await killPrograms();
      sink.delay(0);
      await sink.up();
    },
    dispose: async () => {
      await sink.down();
      await rm(folder, { recursive: true });
    },
  };
}

/** Waits until the program is ready. */
export async function eventuallyReady(program: ProgramChild): Promise<void> {
  await vi.waitFor(
    async () => expect(await program.ask('/readyz')).toEqual({ status: 200, text: 'ok\n' }),
    PATIENCE,
  );
}

/** Waits until an endpoint of the program says something. */
export async function eventuallySays(
  program: ProgramChild,
  path: string,
  says: RegExp,
): Promise<void> {
  await vi.waitFor(async () => expect((await program.ask(path)).text).toMatch(says), PATIENCE);
}
