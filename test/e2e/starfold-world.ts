import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '#shared/core/json.ts';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import { accessAmong, grantAccess } from './accounts.ts';
import { startChartForwarder } from './chart-forwarder.ts';
import { clusters } from './clusters.ts';
import { clear } from './controls.ts';
import { killPrograms } from './program-child.ts';
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

  const startForwarder = async (pod: Pod, program: StarfoldProgram): Promise<void> => {
    await startChartForwarder({
      ...{ wec: WEC, cluster: wec1, namespace, folder, labelSelector: 'app=web' },
      // A killed one has not given its Lease back.
      name: `forwarder-${count}`,
      url: await program.url('intake'),
      caFile: pod.certFile,
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
