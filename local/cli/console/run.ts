import { explainFault } from '#local/cli/deployment/fault.ts';
import { askJson } from '#local/cli/door/ask-json.ts';
import type { Door } from '#local/cli/door/door.ts';
import { credentialsRefused } from '#local/cli/door/messages.ts';
import { openDoor } from '#local/cli/door/open-door.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { clusterUpstream } from '#local/console/cluster-upstream.ts';
import { namedPage, type PageFiles } from '#local/console/page-files.ts';
import { isAboutCredentials, type Upstream } from '#local/console/upstream.ts';
import { unexpected } from '#local/start/messages.ts';
import { serveConsole } from '#local/start/serve-console.ts';
import { loadUserKubeConfig } from '#local/start/user-kube-config.ts';
import { API_VERSION } from '#shared/api/api-group.ts';
import { BUNDLE_DEPLOYMENT_STATUSES } from '#shared/api/bundle-deployments.ts';
import { unavailable } from '#shared/api/status-error.ts';
import { untilAborted } from '#shared/concurrency.ts';
import { at, isArray, type JsonObject, textAt } from '#shared/core/json.ts';
import { CONTROL_API_VERSION } from '#shared/core/kubestellar.ts';
import { ApiUnavailableError, messageOf } from '#shared/errors.ts';

import {
  credentialsUnusable,
  notAWds,
  PLACES,
  pageAt,
  readsFrom,
  SERVED_BY,
  serverOfFleet,
  silentWds,
  UNKNOWN_WDS,
} from './messages.ts';

/** The options of `starfold console`. */
export interface ConsoleOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly stage?: string;
  readonly region?: string;
  readonly wds?: string;
  readonly wdsContext?: string;
  /** The only namespace that the page reads. Absent for all. */
  readonly namespace?: string;
  /** 0 means any free port. */
  readonly port: number;
}

/** What the command uses besides its options. */
interface ConsoleParts {
  readonly terminal: Terminal;
  /** @throws PageNotBuiltError */
  readonly page: () => PageFiles;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const STATUS_ROOT = `/apis/${API_VERSION}`;
const CONTROL_ROOT = `/apis/${CONTROL_API_VERSION}`;
const COMBINED = `${CONTROL_ROOT}/combinedstatuses`;
const JSON_TYPE = 'application/json';
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;

/** What the user calls the place that is read. */
function placeOf({ context, stage }: ConsoleOptions): string {
  if (stage !== undefined) return PLACES.stage(stage);
  return context === undefined ? PLACES.current : PLACES.context(context);
}

/** What the page calls the WDS. */
function wdsName({ wds, wdsContext, stage, context }: ConsoleOptions, { name }: Door): string {
  const place = stage === undefined ? (context ?? name) : PLACES.stage(stage);
  return wds ?? wdsContext ?? place;
}

/** What the user is told about an error. Undefined for a bug of the program. */
function textOf(error: unknown): string | undefined {
  return error instanceof InputError ? error.message : explainFault(error);
}

/** An error with the context that the user has named. */
function placed(place: string, error: unknown): unknown {
  const text = textOf(error);
  return text === undefined ? error : new InputError(`${place}: ${text}`, { cause: error });
}

/** Where CombinedStatuses are read, if that is known, and what the user is told about it. */
interface Found {
  readonly wds?: Upstream;
  readonly said: string;
}

/** The place that is read, and what the user calls it. */
interface Reading {
  readonly door: Door;
  readonly place: string;
  readonly terminal: Pick<Terminal, 'notice'>;
}

/**
 * What the page asks, with errors that the page can show. A retry may help against each of them. What is wrong with the
 * credentials is for the terminal alone.
 */
function upstreamOf({ door, place, terminal }: Reading): Upstream {
  let noticed = '';
  const failure = (error: unknown): unknown => {
    const text = textOf(error);
    if (text === undefined) return error;
    if (!(error instanceof Error) || !isAboutCredentials(error.cause))
      return unavailable(`${place}: ${text}`, error);
    // The page asks again and again.
    if (noticed !== text) terminal.notice(`${place}: ${text}`);
    noticed = text;
    return unavailable(credentialsUnusable(place), error);
  };
  return {
    name: door.name,
    ask: (request) =>
      door.ask(request).catch((error: unknown) => {
        throw failure(error);
      }),
  };
}

/**
 * Whether a server has something at a path of KubeStellar's group.
 *
 * @throws InputError if it does not accept the credentials; what the server throws if it does not answer
 */
async function has({ name, ask }: Upstream, path: string, signal: AbortSignal): Promise<boolean> {
  const query = new URLSearchParams(path === COMBINED ? { limit: '1' } : {});
  const { code, body } = await ask({ method: 'GET', path, query, accept: JSON_TYPE, signal });
  for await (const _piece of body) break;
  if (code === UNAUTHORIZED) throw new InputError(credentialsRefused(name));
  // Who may not read it is answered 403.
  return code !== NOT_FOUND;
}

/** The WDS that the user has named, after it has answered. */
async function chosenWds(
  context: string,
  kubeconfig: string | undefined,
  signal: AbortSignal,
): Promise<Upstream> {
  const place = `--wds-context ${context}`;
  const upstream = clusterUpstream(loadUserKubeConfig(kubeconfig, context));
  const isKnown = await has(upstream, COMBINED, signal).catch((error: unknown) => {
    if (!(error instanceof ApiUnavailableError)) throw placed(place, error);
    const silent = silentWds(upstream.name, error.reason);
    throw new InputError(`${place}: ${silent}`, { cause: error });
  });
  if (!isKnown) throw new InputError(`${place}: ${notAWds(upstream.name)}`);
  return upstream;
}

/** Finds out what the door leads to. */
async function ownWds(reading: Reading, signal: AbortSignal): Promise<Found> {
  const { door } = reading;
  const own: Upstream = { name: door.name, ask: (request) => door.ask(request) };
  const wds = upstreamOf(reading);
  if (await has(own, CONTROL_ROOT, signal)) return { wds, said: SERVED_BY.wds };
  if (await has(own, COMBINED, signal)) return { wds, said: SERVED_BY.starfold };
  return { said: `${SERVED_BY.starfold}; ${UNKNOWN_WDS}` };
}

/** Whether the resources of an API are those of a management cluster of Fleet. */
function isOfFleet(served: JsonObject): boolean {
  const resources = at(served, 'resources');
  const { plural } = BUNDLE_DEPLOYMENT_STATUSES;
  return isArray(resources) && resources.some((one) => textAt(one, 'name') === plural);
}

/** Finds out whether the door serves the API, and where CombinedStatuses are read. */
async function findWds(
  options: ConsoleOptions,
  reading: Reading,
  signal: AbortSignal,
): Promise<Found> {
  const { wdsContext, kubeconfig, stage } = options;
  const { door, place } = reading;
  const rethrow = (error: unknown): never => {
    throw placed(place, error);
  };
  const ignored = (): void => undefined;
  const root = { method: 'GET', path: STATUS_ROOT, signal } as const;
  const served = await askJson(door, root, ignored).catch(rethrow);
  if (isOfFleet(served)) throw new InputError(`${place}: ${serverOfFleet(door.name)}`);
  if (wdsContext !== undefined) {
    const wds = await chosenWds(wdsContext, kubeconfig, signal);
    return { wds, said: SERVED_BY.named(wds.name, wdsContext) };
  }
  if (stage !== undefined) return { said: UNKNOWN_WDS };
  return ownWds(reading, signal).catch(rethrow);
}

/**
 * Serves the page over a door until the signal aborts.
 *
 * @throws InputError that names context, server and remedy; ConsoleError; PageNotBuiltError
 */
export async function serveDoor(
  door: Door,
  options: ConsoleOptions,
  { terminal, page, signal }: ConsoleParts,
): Promise<void> {
  const place = placeOf(options);
  const reading = { door, place, terminal };
  const { wds, said } = await findWds(options, reading, signal);
  const onError = (error: unknown): void => terminal.notice(unexpected(messageOf(error)));
  const server = await serveConsole({
    port: options.port,
    page: namedPage(page(), wdsName(options, door)),
    statuses: upstreamOf(reading),
    ...(wds && { wds }),
    onError,
  });
  terminal.out(`${readsFrom(door.name, place, said)}\n`);
  const { namespace } = options;
  const search = namespace === undefined ? '' : `/?${new URLSearchParams({ namespace })}`;
  terminal.out(`${pageAt(`${server.url}${search}`)}\n`);
  await untilAborted(signal);
  await server.stop();
}

/**
 * Opens the door that the options name, and serves the page over it until the signal aborts.
 *
 * @throws like {@link serveDoor}; what AWS throws
 */
export async function runConsole(options: ConsoleOptions, parts: ConsoleParts): Promise<void> {
  const { port: _ofPage, namespace: _alsoOfPage, wdsContext: _ofWds, ...where } = options;
  const door = await openDoor({ ...where, others: '--stage' }, parts.terminal);
  try {
    await serveDoor(door, options, parts);
  } catch (error) {
    // Ended before the page was there.
    if (!parts.signal.aborted) throw error;
  } finally {
    await door.close();
  }
}
