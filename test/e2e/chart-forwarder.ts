import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { JsonObject } from '#shared/core/json.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { grantAccess, kubeconfigOfAccount, renderRelease } from './accounts.ts';
import type { Cluster } from './clusters.ts';
import { type ProgramChild, startProgram } from './program-child.ts';

/** The forwarder of a WEC, which its chart configures. */
export interface ChartForwarder {
  /** The WEC, as Bindings call it. */
  readonly wec: string;
  readonly cluster: Cluster;
  /** Of the release; processes of one release share a Lease. */
  readonly namespace: string;
  readonly name: string;
  /** For the files of this process; made if need be. */
  readonly folder: string;
  /** Of the intake. */
  readonly url: string;
  /** The authority of the intake. */
  readonly caFile: string;
  /** The Deployments that it reports. */
  readonly labelSelector: string;
  /** The file of the program. Default: that of the sources. */
  readonly main?: string;
}

function valuesOf({ wec, name, url, labelSelector }: ChartForwarder): JsonObject {
  const select = { labelSelector, resources: ['deployments.apps/v1'] };
  return {
    source: { type: 'wec', name: wec, wds: 'wds1', select },
    queue: { http: { url, tokenSecret: { name: 'token' }, ca: { secret: 'ca' } } },
    leaderElection: { name },
    image: { repository: 'registry.example.com/starfold/event-forwarder' },
  };
}

/** Starts it as a process, with the configuration and the roles of its chart, and with the token of its line. */
export async function startChartForwarder(forwarder: ChartForwarder): Promise<ProgramChild> {
  const { wec, cluster, namespace, name, folder, caFile, main } = forwarder;
  const file = (suffix: string): string => join(folder, `${name}.${suffix}`);
  await mkdir(folder, { recursive: true });
  await writeFile(file('values'), stringify(valuesOf(forwarder)));
  const release = await renderRelease({ namespace, name }, ['-f', file('values')]);
  await grantAccess(cluster, release);
  await writeFile(file('token'), tokenOf(`wec/${wec}`));
  await writeFile(file('kubeconfig'), await kubeconfigOfAccount(cluster, release.account, wec));
  const config = parse(release.config);
  const placed = {
    ...config,
    queue: { http: { ...config.queue.http, tokenFile: file('token'), caFile } },
    kubernetes: { ...config.kubernetes, kubeconfig: file('kubeconfig') },
    server: { port: 0, host: '127.0.0.1' },
  };
  return startProgram(file('config'), placed, { imports: [], env: {}, main });
}
