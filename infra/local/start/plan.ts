import { parseResourceName } from '#shared/core/resource-name.ts';
import { isSourceName } from '#shared/events/names.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { type IntakePlan, planIntake } from './plan-intake.ts';

/** The options of `starfold start`, as the command line gives them. */
export interface StartOptions {
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
  readonly port?: number;
  readonly speed?: number;
  readonly exit?: boolean;
}

/** A cluster of a kubeconfig, and what Bindings and results call it. */
export interface ChosenContext {
  readonly name: string;
  readonly context: string;
}

/** What is to be run: the demo, or the stack on real clusters. */
export type StartPlan =
  | {
      readonly type: 'demo';
      /** First of four ports; 0: any free ones. */
      readonly port: number;
      readonly speed: number;
      readonly exit: boolean;
    }
  | {
      readonly type: 'clusters';
      readonly kubeconfig: string | undefined;
      readonly wds: ChosenContext;
      readonly wecs: readonly ChosenContext[];
      readonly selector: string | undefined;
      readonly resources: readonly Resource[] | undefined;
      /** Makes the Bindings follow the BindingPolicies. */
      readonly resolveBindings: boolean;
      /** Where the ManagedClusters are; absent: in the WDS. */
      readonly inventory: ChosenContext | undefined;
      /** Where WECs speak by HTTP; absent: nowhere. */
      readonly intake: IntakePlan | undefined;
    };

export type Planning =
  | { readonly ok: true; readonly plan: StartPlan }
  | { readonly ok: false; readonly fault: string };

/** The recording of the demo, 94 s long, then takes 24 s. */
const DEFAULT_SPEED = 4;

/** `NAME=CONTEXT`, or a context that is also the name. */
function chosen(text: string): ChosenContext {
  const equals = text.indexOf('=');
  if (equals <= 0) return { name: text, context: text };
  return { name: text.slice(0, equals), context: text.slice(equals + 1) };
}

function repeated(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) !== index);
}

function clusterFault(chosen: ChosenContext, wecs: readonly ChosenContext[]) {
  const { name: wds, context } = chosen;
  const empty = [context, ...wecs.map((wec) => wec.context)].includes('');
  if (empty) return 'a context has no name: write --wds CONTEXT, --wec CONTEXT or NAME=CONTEXT';
  if (wecs.some((wec) => wec.context === context))
    return `context ${context} is given as --wds and as --wec: a WDS cannot be its own WEC; give each cluster once`;
  const unfit = [chosen, ...wecs].find(({ name }) => !isSourceName(name));
  if (unfit !== undefined)
    return `${unfit.name} cannot be the name of a cluster (1 to 253 letters, digits and . _ : @ -): write NAME=${unfit.context}`;
  const twice =
    repeated(wecs.map((wec) => wec.context)) ?? repeated([wds, ...wecs.map(({ name }) => name)]);
  return twice === undefined ? undefined : `${twice} is given twice: give each cluster once`;
}

function parseResources(texts: readonly string[]): readonly Resource[] | string {
  const resources: Resource[] = [];
  for (const text of texts) {
    const resource = parseResourceName(text);
    if (resource === undefined)
      return `--resource ${text} is no resource: write it as deployments.apps/v1, or services/v1 for the core group`;
    resources.push(resource);
  }
  return resources;
}

function planResolution({ resolveBindings = false, inventory }: StartOptions) {
  if (inventory !== undefined && !resolveBindings)
    return '--inventory is for --resolve-bindings: give both, or leave both out where KubeStellar writes the Bindings';
  return {
    resolveBindings,
    inventory: inventory === undefined ? undefined : chosen(inventory),
  };
}

function planClusters(options: StartOptions): Planning {
  const { wds, wec = [], kubeconfig, selector } = options;
  if (wds === undefined)
    return { ok: false, fault: '--wds is missing: name the context of the WDS' };
  const intake = planIntake(options);
  if (typeof intake === 'string') return { ok: false, fault: intake };
  if (wec.length === 0 && intake === undefined)
    return {
      ok: false,
      fault:
        '--wec is missing: name the context of at least one WEC, or let WECs speak by HTTP with --listen',
    };
  const only = (['port', 'speed', 'exit'] as const).find((name) => options[name] !== undefined);
  if (only !== undefined)
    return { ok: false, fault: `--${only} is for the demo: leave it out with --wds and --wec` };
  const place = { wds: chosen(wds), wecs: wec.map(chosen) };
  const fault = clusterFault(place.wds, place.wecs);
  if (fault !== undefined) return { ok: false, fault };
  const resources = options.resource === undefined ? undefined : parseResources(options.resource);
  if (typeof resources === 'string') return { ok: false, fault: resources };
  const resolution = planResolution(options);
  if (typeof resolution === 'string') return { ok: false, fault: resolution };
  const plan = {
    type: 'clusters',
    kubeconfig,
    ...place,
    selector,
    resources,
    ...resolution,
    intake,
  } as const;
  return { ok: true, plan };
}

/** Decides from the options what is to be run. A fault says what to do. */
export function planStart(options: StartOptions): Planning {
  const real = (
    [
      ...['kubeconfig', 'wds', 'wec', 'selector', 'resource', 'resolveBindings', 'inventory'],
      ...['listen', 'tokens', 'tlsCert', 'tlsKey'],
    ] as (keyof StartOptions)[]
  ).filter((name) => options[name] !== undefined);
  if (real.length > 0) return planClusters(options);
  const { port = 0, speed = DEFAULT_SPEED, exit = false } = options;
  return { ok: true, plan: { type: 'demo', port, speed, exit } };
}
