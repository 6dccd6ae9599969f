import { relative } from 'node:path';
import {
  clustersTitle,
  DEMO_TITLE,
  fleetTitle,
  HINTS,
  HTTP_WECS,
  wdsTitle,
} from './display-messages.ts';
import type { Listening } from './listening.ts';
import type { StartPlan } from './plan.ts';
import type { StateFolder } from './state-folder.ts';

function shellPath(file: string): string {
  const short = relative(process.cwd(), file);
  return short.startsWith('..') ? file : short;
}

/** How the API of the WECs' statuses is read. */
export function apiHint({ apiKubeconfigFile }: Pick<StateFolder, 'apiKubeconfigFile'>): string {
  return HINTS.statuses(shellPath(apiKubeconfigFile));
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
    ...(page === undefined ? [] : [HINTS.page(page)]),
    HINTS.kubeconfig(shellPath(folder.kubeconfigFile)),
    HINTS.watch,
    ...(statuses ? [apiHint(folder)] : []),
    HINTS.end,
  ];
}

/** What is running, in a line. */
export function titleOf(plan: StartPlan): string {
  if (plan.type === 'demo') return DEMO_TITLE;
  const { wds, fleet } = plan;
  const wecs = plan.wecs.map(({ name }) => name);
  const all = plan.intake === undefined ? wecs : [...wecs, HTTP_WECS];
  const parts = [
    ...(wds === undefined ? [] : [wdsTitle(wds.name, all)]),
    ...(fleet === undefined ? [] : [fleetTitle(fleet.cluster.name)]),
  ];
  return clustersTitle(parts);
}

/** What a user may want to do next, as lines. */
export function hintsOf(plan: StartPlan, folder: StateFolder, offered: Offered): readonly string[] {
  if (plan.type === 'demo') return demoHints(folder, offered);
  const { listening, api, statuses } = offered;
  return [
    ...(listening === undefined ? [] : [HINTS.events(listening.url)]),
    ...(api === undefined ? [] : [HINTS.api(api)]),
    ...(statuses ? [apiHint(folder)] : []),
    ...(plan.fleet === undefined ? [] : [HINTS.fleet(shellPath(folder.file))]),
    HINTS.log(shellPath(folder.logFile)),
  ];
}
