import type { FleetMode } from '#shared/core/fleet-object.ts';
import { isSourceName } from '#shared/core/names.ts';
import { parseResourceName } from '#shared/core/resource-name.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import {
  CONSOLE_BESIDE_FLEET,
  givenAlone,
  givenTwice,
  httpGivenAlone,
  NO_WDS,
  NO_WEC,
  noContext,
  notAName,
  notAnAddress,
  notAResource,
  onlyForDemo,
  openFleetApi,
  ownWec,
} from './option-messages.ts';
import {
  type Address,
  type IntakePlan,
  isLoopback,
  parseAddress,
  planIntake,
} from './plan-intake.ts';
import { planDemoApi, planStatusApi, type StatusApiPlan } from './plan-status-api.ts';

/** The options of `starfold start` for Rancher Fleet. */
interface FleetOptions {
  readonly fleet?: string;
  readonly fleetMode?: FleetMode;
  readonly api?: string;
}

/** The options of `starfold start` on the command line. */
export interface StartOptions extends FleetOptions {
  readonly kubeconfig?: string;
  readonly wds?: string;
  readonly wec?: readonly string[];
  readonly selector?: string;
  readonly resource?: readonly string[];
  readonly resolveBindings?: boolean;
  readonly inventory?: string;
  readonly listen?: string;
  readonly tokens?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  /** Serves the page with the API of a WDS. */
  readonly console?: boolean;
  readonly notifications?: string;
  readonly metrics?: string;
  readonly port?: number;
  readonly speed?: number;
  readonly exit?: boolean;
}

/** A context of a kubeconfig, and the name of its cluster in Bindings and results. */
export interface ChosenContext {
  readonly name: string;
  readonly context: string;
}

/** A management cluster of Fleet, and what to do with its statuses. */
export interface FleetPlan {
  readonly cluster: ChosenContext;
  readonly mode: FleetMode;
  /** The address of the HTTP API with its state. If absent, the API is not served. */
  readonly api: Address | undefined;
}

/** What to run: the demo, or the stack on real clusters. */
export type StartPlan =
  | {
      readonly type: 'demo';
      /** The first of four ports. 0 means any free ports. */
      readonly port: number;
      readonly speed: number;
      readonly exit: boolean;
      /** Where the API of the WECs' statuses is served. If absent, nowhere. */
      readonly statusApi: StatusApiPlan | undefined;
      /** The file that says who is notified of what. If absent, nobody is. */
      readonly notifications: string | undefined;
      /** Where the metrics are served. If absent, nowhere. */
      readonly metrics: Address | undefined;
    }
  | {
      readonly type: 'clusters';
      readonly kubeconfig: string | undefined;
      /** If absent, only Fleet is handled. */
      readonly wds: ChosenContext | undefined;
      readonly wecs: readonly ChosenContext[];
      readonly selector: string | undefined;
      readonly resources: readonly Resource[] | undefined;
      /** Makes the Bindings follow the BindingPolicies. */
      readonly resolveBindings: boolean;
      /** The context of the cluster with the ManagedClusters. If absent, they are looked for in the WDS to resolve Bindings. */
      readonly inventory: ChosenContext | undefined;
      /** Where WECs report by HTTP. If absent, nowhere. */
      readonly intake: IntakePlan | undefined;
      /** Where the API of the WECs' statuses is served. If absent, nowhere. */
      readonly statusApi: StatusApiPlan | undefined;
      /** The file that says who is notified of what. If absent, nobody is. */
      readonly notifications: string | undefined;
      /** Where the metrics are served. If absent, nowhere. */
      readonly metrics: Address | undefined;
      /** If absent, Fleet is not handled. */
      readonly fleet: FleetPlan | undefined;
    };

export type Planning =
  | { readonly ok: true; readonly plan: StartPlan }
  | { readonly ok: false; readonly fault: string };

/** The recording of the demo is 94 s long, and then takes 24 s. */
const DEFAULT_SPEED = 4;

/** `NAME=CONTEXT`, or a context that is also the name. */
function chosen(text: string): ChosenContext {
  const equals = text.indexOf('=');
  if (equals <= 0) return { name: text, context: text };
  return { name: text.slice(0, equals), context: text.slice(equals + 1) };
}

function planApi(api: string): Address | string {
  const address = parseAddress(api);
  if (address === undefined)
    return notAnAddress('--api', api, { host: '127.0.0.1', ipv6: '::1', port: 8081 });
  return isLoopback(address.host) ? address : openFleetApi(api, address.port);
}

/** What to do with Fleet, or `undefined` for nothing. A text is an error in the options, with the remedy. */
function planFleet({ fleet, fleetMode, api }: FleetOptions): FleetPlan | undefined | string {
  if (fleet === undefined)
    return fleetMode === undefined ? undefined : givenAlone('--fleet-mode', '--fleet');
  const address = api === undefined ? undefined : planApi(api);
  if (typeof address === 'string') return address;
  return { cluster: chosen(fleet), mode: fleetMode ?? 'compare', api: address };
}

function repeated(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) !== index);
}

/** The given clusters. */
interface ChosenClusters {
  readonly wds: ChosenContext | undefined;
  readonly wecs: readonly ChosenContext[];
  readonly fleet: FleetPlan | undefined;
}

function clusterFault({ wds, wecs, fleet }: ChosenClusters): string | undefined {
  const others = [
    ...(wds === undefined ? [] : [wds]),
    ...(fleet === undefined ? [] : [fleet.cluster]),
  ];
  const all = [...others, ...wecs];
  if (all.some(({ context }) => context === '')) return noContext({ fleet: fleet !== undefined });
  const own = wecs.find(({ context }) => context === wds?.context);
  if (own !== undefined) return ownWec(own.context);
  const unfit = all.find(({ name }) => !isSourceName(name));
  if (unfit !== undefined) return notAName(unfit.name, unfit.context);
  const twice =
    repeated(wecs.map((wec) => wec.context)) ??
    repeated([...others, ...wecs].map(({ name }) => name));
  return twice === undefined ? undefined : givenTwice(twice);
}

function parseResources(texts: readonly string[]): readonly Resource[] | string {
  const resources: Resource[] = [];
  for (const text of texts) {
    const resource = parseResourceName(text);
    if (resource === undefined) return notAResource(text);
    resources.push(resource);
  }
  return resources;
}

function planResolution({ resolveBindings = false, inventory }: StartOptions) {
  return {
    resolveBindings,
    inventory: chosenOrNone(inventory),
  };
}

/** The options that only apply to a WDS. */
const OF_WDS = {
  wec: '--wec',
  selector: '--selector',
  resource: '--resource',
  resolveBindings: '--resolve-bindings',
  inventory: '--inventory',
  notifications: '--notifications',
  listen: '--listen',
  tokens: '--tokens',
  tlsCert: '--tls-cert',
  tlsKey: '--tls-key',
  console: '--console',
} as const;

const OF_HTTP: ReadonlySet<string> = new Set(['listen', 'tokens', 'tlsCert', 'tlsKey']);

/** The error in the options that depends on whether there is a WDS. */
function wdsFault(
  options: StartOptions,
  others: Pick<ChosenClusters, 'fleet'> & { readonly intake: unknown },
) {
  const { wds, wec = [] } = options;
  if (wds === undefined) {
    if (others.fleet === undefined) return NO_WDS;
    const names = Object.keys(OF_WDS) as (keyof typeof OF_WDS)[];
    const lonely = names.find((name) => options[name] !== undefined);
    if (lonely === undefined) return undefined;
    const fault = OF_HTTP.has(lonely) ? httpGivenAlone : givenAlone;
    return fault(OF_WDS[lonely], '--wds');
  }
  return wec.length > 0 || others.intake !== undefined ? undefined : NO_WEC;
}

function demoFault(options: StartOptions): string | undefined {
  const only = (['port', 'speed', 'exit'] as const).find((name) => options[name] !== undefined);
  if (only === undefined) return undefined;
  const real = options.wds === undefined ? '--fleet' : '--wds and --wec';
  return onlyForDemo(`--${only}`, real);
}

/** With Fleet, the address is that of what is known about Fleet. */
function planApiOfWds(options: StartOptions): StatusApiPlan | undefined | string {
  if (options.fleet === undefined) return planStatusApi(options);
  return options.console === true ? CONSOLE_BESIDE_FLEET : undefined;
}

function chosenOrNone(text: string | undefined): ChosenContext | undefined {
  return text === undefined ? undefined : chosen(text);
}

/** Where the metrics are served, or `undefined` for nowhere. A text is an error in the options, with the remedy. */
function planMetrics({ metrics }: Pick<StartOptions, 'metrics'>): Address | undefined | string {
  if (metrics === undefined) return undefined;
  return (
    parseAddress(metrics) ??
    notAnAddress('--metrics', metrics, { host: '127.0.0.1', ipv6: '::', port: 9090 })
  );
}

function planClusters(options: StartOptions, metrics: Address | undefined): Planning {
  const fault = (text: string): Planning => ({ ok: false, fault: text });
  const { wds, wec = [], kubeconfig, selector } = options;
  const fleet = planFleet(options);
  if (typeof fleet === 'string') return fault(fleet);
  const intake = wds === undefined ? undefined : planIntake(options);
  if (typeof intake === 'string') return fault(intake);
  const clusters = { wds: chosenOrNone(wds), wecs: wec.map(chosen), fleet };
  const amiss =
    wdsFault(options, { fleet, intake }) ?? demoFault(options) ?? clusterFault(clusters);
  if (amiss !== undefined) return fault(amiss);
  const resources = options.resource === undefined ? undefined : parseResources(options.resource);
  if (typeof resources === 'string') return fault(resources);
  const statusApi = planApiOfWds(options);
  if (typeof statusApi === 'string') return fault(statusApi);
  const resolution = planResolution(options);
  const { notifications } = options;
  const served = { intake, statusApi, notifications, metrics };
  const found = { kubeconfig, ...clusters, selector, resources, ...resolution, ...served };
  return { ok: true, plan: { type: 'clusters', ...found } };
}

/** Decides from the options what to run. An error contains the remedy. */
export function planStart(options: StartOptions): Planning {
  const metrics = planMetrics(options);
  if (typeof metrics === 'string') return { ok: false, fault: metrics };
  const real = (
    [
      ...['kubeconfig', 'wds', 'wec', 'selector', 'resource', 'resolveBindings', 'inventory'],
      ...['listen', 'tokens', 'tlsCert', 'tlsKey', 'console', 'fleet', 'fleetMode'],
    ] as (keyof StartOptions)[]
  ).filter((name) => options[name] !== undefined);
  if (real.length > 0) return planClusters(options, metrics);
  const { port = 0, speed = DEFAULT_SPEED, exit = false, notifications } = options;
  const statusApi = planDemoApi(options.api, { exit });
  if (typeof statusApi === 'string') return { ok: false, fault: statusApi };
  const shown = { statusApi, notifications, metrics };
  return { ok: true, plan: { type: 'demo', port, speed, exit, ...shown } };
}
