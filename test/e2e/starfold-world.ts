import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { JsonObject } from '#shared/core/json.ts';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { accessAmong, grantAccess, kubeconfigOfAccount, renderRelease } from './accounts.ts';
import { clusters } from './clusters.ts';
import { clear } from './controls.ts';
import { killPrograms, startProgram } from './program-child.ts';
import { STARFOLD } from './starfold-chart-objects.ts';
import { makePod, type Pod } from './starfold-pod.ts';
import { type StarfoldProgram, startStarfold } from './starfold-program.ts';

/** The one WEC, as Bindings call it. */
export const WEC = 'cluster1';

/** A release of the chart of Starfold in the WDS: its account has its roles. */
export interface StarfoldWorld {
  /** Starts the process of a pod, by default of one with a new volume, and the forwarder of the WEC. */
  start(before?: Pod): Promise<{ readonly pod: Pod; readonly program: StarfoldProgram }>;
  /** Ends the processes, and takes the mark of the writer away. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

/** What the forwarder of the WEC selects: Deployments with this label. */
function forwarderValues(name: string, url: string): JsonObject {
  const select = { labelSelector: 'app=web', resources: ['deployments.apps/v1'] };
  return {
    source: { type: 'wec', name: WEC, wds: 'wds1', select },
    queue: { http: { url, tokenSecret: { name: 'token' }, ca: { secret: 'ca' } } },
    // A killed one has not given its Lease back.
    leaderElection: { name },
    image: { repository: 'registry.example.com/starfold/event-forwarder' },
  };
}

/**
 * Grants the roles of a release.
 *
 * @param namespace of the forwarders
 * @param objects what the chart renders
 */
export async function createStarfoldWorld(
  namespace: string,
  objects: readonly JsonObject[],
): Promise<StarfoldWorld> {
  const { wds, wec1 } = clusters();
  const folder = await mkdtemp(join(tmpdir(), `${namespace}-`));
  const programs: StarfoldProgram[] = [];
  let count = 0;

  /** Its chart's configuration and roles, and the token of its line. */
  const startForwarder = async (pod: Pod, program: StarfoldProgram): Promise<void> => {
    const name = `forwarder-${count}`;
    const file = (suffix: string): string => join(folder, `${name}.${suffix}`);
    await writeFile(file('values'), stringify(forwarderValues(name, await program.url('intake'))));
    const release = await renderRelease({ namespace, name }, ['-f', file('values')]);
    await grantAccess(wec1, release);
    await writeFile(file('token'), tokenOf(`wec/${WEC}`));
    await writeFile(file('kubeconfig'), await kubeconfigOfAccount(wec1, release.account, WEC));
    const config = parse(release.config);
    const files = { tokenFile: file('token'), caFile: pod.certFile };
    await startProgram(file('config'), {
      ...config,
      queue: { http: { ...config.queue.http, ...files } },
      kubernetes: { ...config.kubernetes, kubeconfig: file('kubeconfig') },
      server: { port: 0, host: '127.0.0.1' },
    });
  };

  const end = async (): Promise<void> => {
    await killPrograms();
    await Promise.all(programs.splice(0).map((program) => program.stop()));
    await clear(wds, [WRITER_LEASE]);
  };

  await clear(wds, [WRITER_LEASE]);
  await grantAccess(wds, { account: STARFOLD, access: accessAmong(objects) });
  return {
    start: async (before) => {
      count += 1;
      const own = join(folder, `pod-${count}`);
      const sources = [`wec/${WEC}`];
      const pod =
        before ?? (await makePod(objects, { folder: own, wds, account: STARFOLD, sources }));
      const program = startStarfold(pod);
      programs.push(program);
      await startForwarder(pod, program);
      return { pod, program };
    },
    clear: end,
    dispose: async () => {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
