import { relative } from 'node:path';
import type { Listening } from './listening.ts';
import type { StartPlan } from './plan.ts';
import type { StateFolder } from './state-folder.ts';

function shellPath(file: string): string {
  const short = relative(process.cwd(), file);
  return short.startsWith('..') ? file : short;
}

/** How the API of the WECs' statuses is read. */
export function apiHint({ apiKubeconfigFile }: Pick<StateFolder, 'apiKubeconfigFile'>): string {
  return `kubectl --kubeconfig ${shellPath(apiKubeconfigFile)} get wecst -A`;
}

/** A service that is offered by HTTP. */
interface Offered {
  readonly listening: Pick<Listening, 'url'> | undefined;
  readonly api?: string;
  /** The address of the page of the demo. */
  readonly page?: string;
  /** Whether the API of the WECs' statuses is served. */
  readonly statuses: boolean;
}

function demoHints(folder: StateFolder, { statuses, page }: Offered): readonly string[] {
  return [
    ...(page === undefined ? [] : [`${page}   the page: what each WEC says, and why`]),
    `export KUBECONFIG=${shellPath(folder.kubeconfigFile)}   contexts wds1, wec1, wec2, wec3`,
    'kubectl -n rollout get deployment web -w   or with --context wec1',
    ...(statuses ? [apiHint(folder)] : []),
    'Ctrl-C ends it',
  ];
}

/** What is running, in a line. */
export function titleOf(plan: StartPlan): string {
  if (plan.type === 'demo') return 'Starfold demo: simulated WDS and WECs';
  const { wds, fleet } = plan;
  const wecs = plan.wecs.map(({ name }) => name);
  const all = plan.intake === undefined ? wecs : [...wecs, 'those that report by HTTP'];
  const parts = [
    ...(wds === undefined ? [] : [`WDS ${wds.name}, WECs ${all.join(', ')}`]),
    ...(fleet === undefined ? [] : [`Fleet ${fleet.cluster.name}`]),
  ];
  return `Starfold: ${parts.join('; ')}`;
}

/** What a user may want to do next, as lines. */
export function hintsOf(plan: StartPlan, folder: StateFolder, offered: Offered): readonly string[] {
  if (plan.type === 'demo') return demoHints(folder, offered);
  const { listening, api, statuses } = offered;
  const log = `log: ${shellPath(folder.logFile)}     Ctrl-C ends it`;
  return [
    ...(listening === undefined ? [] : [`events: ${listening.url}`]),
    ...(api === undefined ? [] : [`API: ${api}`]),
    ...(statuses ? [apiHint(folder)] : []),
    ...(plan.fleet === undefined ? [] : [`starfold fleet diff --state ${shellPath(folder.file)}`]),
    log,
  ];
}
