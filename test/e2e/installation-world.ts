import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import type { JsonObject } from '#shared/core/json.ts';
import { tokenOf, writeTokens } from '#test/fakes/token-file.ts';
import {
  applyObjects,
  grantAccess,
  kubeconfigOfAccount,
  renderRelease,
  WRITER,
  writerObjects,
} from './accounts.ts';
import { type Cluster, clusters } from './clusters.ts';
import type { InstallationPlan } from './installation-plan.ts';
import { type ProgramChild, startProgram } from './program-child.ts';
import { end } from './stack-child.ts';

/** What the WDS is called. */
export const WDS = 'wds1';

/** A forwarder to be installed. */
export interface Installed {
  readonly cluster: Cluster;
  /** Values of the chart; its queue is the stack of the installation. */
  readonly values: { readonly source: JsonObject } & JsonObject;
}

/** The embedded stack in a process of its own, a forwarder of its WDS, and whatever forwarders a test installs. */
export interface Installation {
  /**
   * Installs a forwarder: the program, with the configuration of the chart and a kubeconfig of an account with exactly
   * the chart's roles.
   *
   * @param token whom it speaks for
   */
  install(token: string, forwarder: Installed): Promise<ProgramChild>;
  /** The forwarder of the WDS. */
  readonly ofWds: ProgramChild;
  /** What the stack has logged: warnings and errors. */
  log(): string;
  dispose(): Promise<void>;
}

/** How an installation is to be. */
export interface InstallationOptions {
  /** Whom there are tokens for, beside the WDS. */
  readonly sources: readonly string[];
  /** Resources of the tests' own that everybody may work with: `<resource>.<group>`. */
  readonly ownKinds?: readonly string[];
  readonly silence?: InstallationPlan['silence'];
}

/** Nothing pulls it: the program runs as a process. */
const IMAGE = { repository: 'registry.example/event-forwarder' };
const RBAC = 'rbac.authorization.k8s.io';

function rulesFor(ownKinds: readonly string[], verbs: readonly string[]): JsonObject[] {
  return ownKinds.map((name) => {
    const [resource = '', ...group] = name.split('.');
    return { apiGroups: [group.join('.')], resources: [resource], verbs };
  });
}

/** The writer's account; for kinds of the tests' own with the rules that infra/rbac/writer.yaml says to add. */
async function grantWriter(wds: Cluster, ownKinds: readonly string[]): Promise<void> {
  await applyObjects(wds, await writerObjects());
  if (ownKinds.length === 0) return;
  const name = 'starfold-writer-own-kinds';
  const statuses = ownKinds.map((kind) => kind.replace('.', '/status.'));
  const apiVersion = `${RBAC}/v1`;
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  const rules = [...rulesFor(ownKinds, ['get', 'patch']), ...rulesFor(statuses, ['patch'])];
  await applyObjects(wds, [
    { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef,
      subjects: [{ kind: 'ServiceAccount', ...WRITER }],
    },
  ]);
}

async function launch(plan: InstallationPlan, onLog: (text: string) => void) {
  const script = fileURLToPath(import.meta.resolve('./installation-process.ts'));
  const child: ChildProcess = spawn(process.execPath, [script, JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', onLog);
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof first !== 'string')
    throw new Error(`the stack does not start: it ended with ${first}`);
  return { child, url: first };
}

/** Files and address that the forwarders of an installation share. */
interface Place {
  readonly folder: string;
  readonly url: string;
  readonly ownKinds: readonly string[];
}

async function installAt(
  { folder, url, ownKinds }: Place,
  token: string,
  { cluster, values }: Installed,
): Promise<ProgramChild> {
  const name = `${values.source['type']}-${values.source['name']}`;
  const file = (suffix: string): string => join(folder, `${name}.${suffix}`);
  const extraRules = rulesFor(ownKinds, ['list', 'watch']);
  const queue = { http: { url, tokenSecret: { name: 'token' } } };
  await writeFile(
    file('values.yaml'),
    stringify({ rbac: { extraRules }, queue, image: IMAGE, ...values }),
  );
  const where = { namespace: 'forwarders', name };
  const release = await renderRelease(where, ['-f', file('values.yaml')]);
  await grantAccess(cluster, release);
  await writeFile(file('token'), tokenOf(token));
  await writeFile(file('kubeconfig'), await kubeconfigOfAccount(cluster, release.account, name));
  // As the chart says, but for what the pod would have: its account, its mounts, its port.
  const config = parse(release.config);
  return startProgram(file('config.yaml'), {
    ...config,
    queue: { http: { ...config.queue.http, tokenFile: file('token') } },
    kubernetes: { ...config.kubernetes, kubeconfig: file('kubeconfig') },
    server: { port: 0, host: '127.0.0.1' },
  });
}

/** Starts the stack and the forwarder of its WDS. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { sources, ownKinds = [], silence = {} } = options;
  const { wds } = clusters();
  const folder = await mkdtemp(join(tmpdir(), 'starfold-installation-'));
  const kubeconfig = join(folder, 'writer.kubeconfig');
  await grantWriter(wds, ownKinds);
  await writeFile(kubeconfig, await kubeconfigOfAccount(wds, WRITER, WDS));
  const tokens = writeTokens(join(folder, 'tokens.yaml'), [`wds/${WDS}`, ...sources]);
  let log = '';
  const file = join(folder, 'state.db');
  const plan = { kubeconfig, wds: WDS, file, tokens, silence };
  const { child, url } = await launch(plan, (text) => {
    log += text;
  });
  const place = { folder, url, ownKinds };
  const ofWds = await installAt(place, `wds/${WDS}`, {
    cluster: wds,
    values: { source: { type: 'wds', name: WDS }, batchMilliseconds: 0 },
  });
  const programs = [ofWds];
  return {
    install: async (token, forwarder) => {
      const program = await installAt(place, token, forwarder);
      programs.push(program);
      return program;
    },
    ofWds,
    log: () => log,
    dispose: async () => {
      // Each gives its Lease back: the forwarder of the WDS of the next test need not wait for it.
      for (const program of programs) program.kill('SIGTERM');
      await Promise.all(programs.map(({ ended }) => ended));
      await end(child, 'SIGTERM');
      await rm(folder, { recursive: true });
    },
  };
}
