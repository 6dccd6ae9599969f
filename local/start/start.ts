import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Stack, startStack } from '#local/stack/stack.ts';
import type { StackOptions } from '#local/stack/stack-options.ts';
import packageJson from '#package.json' with { type: 'json' };
import { sleep, untilAborted } from '#shared/concurrency.ts';
import { plainText } from '#shared/core/plain-text.ts';
import { AppError, messageOf } from '#shared/errors.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { apiKubeconfig, portIn, userOf } from './api-kubeconfig.ts';
import { connectClusters, type OpenClusters, startDemoClusters } from './clusters.ts';
import { runDemo } from './demo-run.ts';
import { startFleetWatch } from './fleet-watch.ts';
import { showOnce } from './lasting-errors.ts';
import { type Listening, startListening } from './listening.ts';
import { openLogStream } from './log-stream.ts';
import {
  CONNECTED,
  FOLLOW_POLICIES,
  metricsFault,
  metricsServed,
  pageForProxy,
  servesApi,
  THIS_WRITES,
  unexpected,
  waitsFor,
} from './messages.ts';
import { serveMetrics } from './metrics.ts';
import { Monitor } from './monitor.ts';
import { readNotifications } from './notifications.ts';
import { Observation, type ObservationOptions } from './observation.ts';
import { lineOutput, type Output, terminalOutput } from './output.ts';
import type { StartPlan } from './plan.ts';
import { writePrivateFile } from './private-files.ts';
import { type DemoRunning, type Ending, EXIT, type Running } from './running.ts';
import { openStateFolder, type StateFolder } from './state-folder.ts';
import { serveStatusApiAgain } from './status-api.ts';
import { apiHint, hintsOf, titleOf } from './title.ts';
import type { View } from './view.ts';
import { writerIdentity } from './writer-identity.ts';

/** A person reads these numbers, and each look counts the messages of all queues. */
const BACKLOG_MS = 1_000;
/** After this time, work in progress ends with the process. The state is consistent at any point. */
const STOP_MS = 800;

function openClusters(plan: StartPlan): Promise<OpenClusters> | OpenClusters {
  return plan.type === 'demo'
    ? startDemoClusters(plan.port)
    : connectClusters(plan.kubeconfig, plan);
}

async function watchBacklog({
  stack,
  observation,
  monitor,
  output,
  signal,
}: Running): Promise<void> {
  while (!signal.aborted) {
    monitor.backlog = await stack.backlog();
    monitor.lettersLeftOut = await stack.lettersLeftOut();
    observation.silent(await stack.silentSince());
    for (const { cluster, problem } of monitor.deadLetters()) output.say(cluster, problem);
    await sleep(BACKLOG_MS, signal);
  }
}

/** Closes resources in the reverse order. If one fails, the others are still closed. */
async function closeAll(closers: readonly (() => unknown)[]): Promise<void> {
  for (const close of [...closers].reverse())
    try {
      await close();
    } catch {
      // Everything is ending, and acknowledged data is on disk.
    }
}

/** The opened resources, and what else `run` needs. */
interface Opening {
  readonly plan: StartPlan;
  /** The name of this installation in the clusters that it writes. */
  readonly identity: string;
  readonly folder: StateFolder;
  readonly signal: AbortSignal;
  /** Called in the reverse order. */
  readonly closers: (() => unknown)[];
}

function openOutput(): Output {
  const { stdout } = process;
  return stdout.isTTY ? terminalOutput(stdout) : lineOutput(stdout, () => new Date());
}

/** The display for the user, and the servers that provide it by HTTP. */
interface Shown extends Pick<Running, 'monitor' | 'output'> {
  readonly listening: Listening | undefined;
}

/** Runs before anything is shown on a terminal, because an error in address, tokens or certificate ends the command. */
async function openListening(
  plan: StartPlan,
  shown: Pick<Running, 'monitor' | 'output'>,
): Promise<Listening | undefined> {
  if (plan.type === 'demo' || plan.intake === undefined) return undefined;
  return startListening(plan.intake, plan.wds?.name ?? '', shown);
}

/** Whether the Bindings follow the BindingPolicies. The user is shown what the resolver is waiting for. */
function resolution(
  { plan, signal }: Opening,
  { monitor, output, listening }: Shown,
): Pick<StackOptions, 'resolveBindings'> {
  if (plan.type === 'demo' || !plan.resolveBindings) return {};
  const onState = (awaited: string | undefined): void => {
    if (signal.aborted) return;
    const problem = awaited && waitsFor(awaited);
    monitor.problem('Bindings', problem);
    output.say('Bindings', problem ?? FOLLOW_POLICIES);
  };
  return { resolveBindings: { onState, otherWecs: listening?.wecs ?? [] } };
}

/** The clusters of the plan, in the form of the stack's options. */
function chosenClusters(
  plan: StartPlan,
  { wds, wecs, inventory, fleet }: OpenClusters,
): Pick<StackOptions, 'wds' | 'wecs' | 'inventory' | 'fleet'> {
  const mode = plan.type === 'clusters' ? plan.fleet?.mode : undefined;
  return {
    ...(wds === undefined ? {} : { wds }),
    wecs,
    ...(inventory === undefined ? {} : { inventory }),
    ...(fleet === undefined || mode === undefined ? {} : { fleet: { cluster: fleet, mode } }),
  };
}

/** Which objects of the WECs the stack follows. */
function chosenObjects(plan: StartPlan): Pick<StackOptions, 'labelSelector' | 'resources'> {
  if (plan.type === 'demo') return {};
  const { selector, resources } = plan;
  return {
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(resources === undefined ? {} : { resources }),
  };
}

/** The clusters that are read in addition to the pipeline: the WDS as the stack reads it, and the WECs. */
function observedClusters(
  plan: StartPlan,
  { wds, wecs }: OpenClusters,
  { wdsReads }: Stack,
): Pick<ObservationOptions, 'wds' | 'wecs' | 'selection'> {
  const { labelSelector } = chosenObjects(plan);
  return {
    ...(wds === undefined || wdsReads === undefined
      ? {}
      : { wds: { name: wds.name, api: wdsReads } }),
    wecs,
    selection: labelSelector === undefined ? {} : { labelSelector },
  };
}

/** Serves what each WEC reports, and writes the kubeconfig by which it is read. Returns the address of the page, if there is one. */
async function openStatusApi(
  { plan, folder, closers }: Opening,
  {
    clusters: { wds, wdsConfig },
    stack,
    monitor,
    output,
  }: Pick<Running, 'clusters' | 'stack' | 'monitor' | 'output'>,
): Promise<string | undefined> {
  const { statusApi } = plan;
  // The commands would ask the server of an earlier start. The next demo serves at its port.
  if (statusApi === undefined && plan.type !== 'demo')
    rmSync(folder.apiKubeconfigFile, { force: true });
  if (statusApi === undefined || wds === undefined || wdsConfig === undefined) return undefined;
  const parts = {
    ...{ source: stack.statusSource(wds.name), queries: stack.queryRunner(wds.name) },
    ...{ wds, wdsConfig, monitor, output },
  };
  const server = await serveStatusApiAgain(statusApi, portIn(folder.apiKubeconfigFile), parts);
  closers.push(() => server.stop());
  const context = plan.type === 'demo' ? undefined : plan.wds?.context;
  const user =
    plan.type === 'demo' || context === undefined ? undefined : userOf(plan.kubeconfig, context);
  writePrivateFile(folder.apiKubeconfigFile, apiKubeconfig(server.url, statusApi, user));
  output.say('API', servesApi(server.url, apiHint(folder)));
  if (statusApi.page === true) output.say('page', pageForProxy(server.url));
  if (!server.hasPage) return undefined;
  output.say('page', server.url);
  return server.url;
}

/** Serves the metrics of the stack. */
async function openMetrics(
  { plan, closers }: Opening,
  {
    clusters: { wds },
    stack,
    monitor,
    output,
  }: Pick<Running, 'clusters' | 'stack' | 'monitor' | 'output'>,
): Promise<void> {
  if (plan.metrics === undefined) return;
  const onError = (text: string): void => monitor.message(metricsFault(text));
  const parts = { wds: wds?.name, stack, onError, clock: Date.now };
  const server = await serveMetrics(plan.metrics, parts);
  closers.push(() => server.stop());
  output.say('metrics', metricsServed(server.url));
}

async function open(opening: Opening): Promise<Running> {
  const { plan, identity, folder, signal, closers } = opening;
  const fleet = plan.type === 'clusters' ? plan.fleet : undefined;
  const monitor = new Monitor(Date.now);
  if (fleet !== undefined) monitor.fleet({ name: fleet.cluster.name, mode: fleet.mode });
  const clusters = await openClusters(plan);
  closers.push(clusters.close);
  if (plan.type === 'demo') writePrivateFile(folder.kubeconfigFile, clusters.kubeconfig);
  const notified = readNotifications(plan.notifications);
  const output = openOutput();
  const listening = await openListening(plan, { monitor, output });
  const statuses = plan.statusApi !== undefined;
  const hints = (more: { readonly api?: string; readonly page?: string }): readonly string[] =>
    hintsOf(plan, folder, { listening, statuses, ...more });
  const status: Running['status'] = { progress: () => '', hints: hints({}) };
  const title = titleOf(plan);
  const showError = (message: string): void => {
    monitor.message(message);
    output.say('starfold error', message);
  };
  const log = openLogStream(folder.logFile, showOnce(showError, Date.now));
  closers.push(log.close);
  const observability = createObservability({
    service: 'starfold',
    logLevel: 'INFO',
    stream: log.stream,
  });
  const stack = await startStack({
    file: folder.file,
    ...chosenClusters(plan, clusters),
    ...chosenObjects(plan),
    ...resolution(opening, { monitor, output, listening }),
    watchable: statuses,
    fleetWatchable: fleet?.api !== undefined,
    ...notified,
    observability,
    writer: { identity, runsAs: `starfold start ${packageJson.version}` },
    onWriter: (cluster, problem) => {
      if (signal.aborted) return;
      const thing = `${cluster} writer`;
      if (monitor.problem(thing, problem)) output.say(thing, problem ?? THIS_WRITES);
    },
    onForwarder: (key, state) => {
      if (signal.aborted) return;
      const [type, name] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
      // The cluster with the ManagedClusters may also be the WDS.
      const cluster = type === 'inventory' ? `${name} inventory` : name;
      const problem = monitor.forwarder(cluster, state);
      if (problem !== undefined) output.say(`${cluster} forwarder`, problem);
      else if (state.connected) output.say(`${cluster} forwarder`, CONNECTED);
    },
  });
  closers.push(() => stack.stop());
  const observation = new Observation({
    ...observedClusters(plan, clusters, stack),
    sleep,
    random: Math.random,
    clock: () => new Date(),
    onChange: (change) => {
      const errors = monitor.objectErrors(observation, change);
      if (errors !== undefined) output.say(errors.cluster, errors.problem);
      if (monitor.changed(observation, change)) output.changed(view);
    },
    onSight: () => output.changed(view),
  });
  closers.push(() => observation.stop());
  const view = (): View =>
    monitor.view(observation, { title, progress: status.progress(), hints: status.hints });
  output.changed(view);
  listening?.serve(stack);
  closers.push(() => listening?.stop());
  const page = await openStatusApi(opening, { clusters, stack, monitor, output });
  await openMetrics(opening, { clusters, stack, monitor, output });
  if (page !== undefined) status.hints = hints({ page });
  if (fleet !== undefined) {
    const { file } = folder;
    const source = stack.fleetSource(fleet.cluster.name);
    const watch = await startFleetWatch(fleet, { file, source, observability, monitor, output });
    closers.push(() => watch.stop());
    if (watch.url !== undefined) {
      writePrivateFile(folder.apiKubeconfigFile, apiKubeconfig(watch.url, {}, undefined));
      status.hints = hints({ api: watch.url });
    }
  }
  // Closed first, so that the terminal is released even if something else hangs.
  closers.push(() => output.end(view));
  return { plan, clusters, stack, observation, monitor, output, view, status, signal };
}

/** The demo has a WDS. */
function demoOf(running: Running): DemoRunning {
  const { clusters } = running;
  const { wds } = clusters;
  if (wds === undefined) throw new Error('the demo has no WDS');
  return { ...running, clusters: { ...clusters, wds } };
}

async function run(opening: Opening): Promise<Ending> {
  const { plan, signal } = opening;
  const running = await open(opening);
  void watchBacklog(running).catch(() => undefined);
  if (plan.type === 'demo') return runDemo(demoOf(running), plan);
  await untilAborted(signal);
  return 'interrupted';
}

function exitCodeOf(ending: Ending, plan: StartPlan): number {
  if (ending !== 'interrupted') return ending.exitCode;
  return plan.type === 'demo' && plan.exit ? EXIT.interrupted : EXIT.done;
}

/** The first signal aborts. The second one ends the process. */
function abortOnSignals(stopping: AbortController): void {
  const onSignal = (): void => {
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    stopping.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  // The reader of the lines has ended.
  process.stdout.on('error', () => stopping.abort());
}

function refused(error: unknown): number {
  const text = error instanceof AppError ? error.message : unexpected(messageOf(error));
  process.stderr.write(`starfold: ${plainText(text)}\n`);
  return EXIT.failed;
}

/** The location of the stack's state, and its name. */
export interface Place {
  /** Path of the state file. */
  readonly state: string;
  /** The name of the stack in the clusters that it writes. If absent, user, machine and path of the state. */
  readonly identity?: string;
}

/**
 * Runs the embedded stack (docs/architecture.md, section 1) until a signal ends it or, with `exit`, until the demo's rollout
 * is done.
 *
 * @returns the exit code: 0 if a signal ended it, or if the content of the WDS is correct; 1 if the input is invalid,
 *   or the content of the WDS is wrong; 130 if a signal ended it before the end for which `exit` waits
 */
export async function runStart(
  plan: StartPlan,
  { state, identity = writerIdentity(state) }: Place,
): Promise<number> {
  const stopping = new AbortController();
  abortOnSignals(stopping);
  const closers: (() => unknown)[] = [];
  try {
    const folder = openStateFolder(state);
    closers.push(folder.release);
    const ending = await run({ plan, identity, folder, signal: stopping.signal, closers });
    return exitCodeOf(ending, plan);
  } catch (error) {
    return refused(error);
  } finally {
    stopping.abort();
    await Promise.race([closeAll(closers), delay(STOP_MS)]);
  }
}
