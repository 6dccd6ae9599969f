import type { EventSource } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { removeWec } from '#shared/outbox/remove-wec.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import {
  EVERY_WEC,
  isEveryWec,
  listSenders,
  registerSender,
  type SenderRegistration,
  sendersOf,
  unregisterSender,
} from '#shared/state/senders.ts';
import { InputError, UsageError } from './cli-error.ts';
import type { Account } from './deployment/account.ts';
import { type Deployment, findDeployment } from './deployment/deployment.ts';
import { plain } from './deployment/lines.ts';
import type { DeploymentOptions } from './deployment/options.ts';
import { prettyJson } from './print.ts';
import type { Question } from './redrive-question.ts';
import {
  checkBreadth,
  checkPrincipalOptions,
  findPrincipal,
  type NamedPrincipal,
  type PrincipalOptions,
  principalText,
  sourceLine,
  sourcePronoun,
} from './register-source.ts';
import type { Terminal } from './terminal.ts';

/** The options of `starfold register`. */
export interface RegisterOptions extends DeploymentOptions, PrincipalOptions {
  readonly list?: boolean;
  readonly output: 'table' | 'json';
}

/** The options of `starfold unregister`. */
export interface UnregisterOptions extends DeploymentOptions, PrincipalOptions {
  readonly yes?: boolean;
}

/** The dependencies of `starfold unregister`. */
export interface UnregisterWorld extends RegisterWorld {
  readonly question: Question;
}

/** The dependencies of the commands. */
export interface RegisterWorld {
  readonly account: Account;
  readonly terminal: Terminal;
}

async function register(
  { store }: Deployment,
  source: EventSource,
  named: NamedPrincipal,
): Promise<string> {
  const before = await sendersOf(store, source);
  const known = before.find(({ principal }) => principal === named.principal);
  const isUnchanged = known !== undefined && (named.arn === undefined || known.arn === named.arn);
  if (isUnchanged) return `${principalText(known)} is registered already`;
  await registerSender(store, { source, ...named });
  const others = before.filter((one) => one !== known).map(principalText);
  const beside = others.length === 0 ? '' : `, beside ${others.join(', ')}`;
  return `${principalText(named)} may speak for ${sourcePronoun(source)} now${beside}`;
}

function listText(registrations: readonly SenderRegistration[], format: 'table' | 'json'): string {
  if (format === 'json')
    return `${prettyJson({
      registrations: registrations.map(
        ({ source, ...named }): JsonObject => ({ source: sourceText(source), ...named }),
      ),
    })}\n`;
  if (registrations.length === 0) return 'Nobody is registered.\n';
  const width = Math.max(...registrations.map(({ source }) => sourceText(source).length));
  return registrations
    .map(({ source, ...named }) =>
      plain(`${sourceText(source).padEnd(width)}  ${principalText(named)}`),
    )
    .map((line) => `${line}\n`)
    .join('');
}

async function readRegistrations({ store }: Deployment): Promise<readonly SenderRegistration[]> {
  const registrations: SenderRegistration[] = [];
  for await (const page of listSenders(store)) registrations.push(...page);
  return registrations;
}

function checkRegister(source: EventSource | undefined, options: RegisterOptions): void {
  if (options.list !== true && source === undefined)
    throw new UsageError("which source? give wec/NAME, wds/NAME, fleet/NAME or 'wec/*', or --list");
  if (options.list === true && source !== undefined)
    throw new UsageError('--list shows all sources: leave the source out');
  checkPrincipalOptions(options, options.list !== true);
  checkBreadth(options);
}

/**
 * Registers a principal for a source, or lists the registrations.
 *
 * @throws InputError, UsageError; what the account and the store throw
 */
export async function runRegister(
  source: EventSource | undefined,
  options: RegisterOptions,
  { account, terminal }: RegisterWorld,
): Promise<void> {
  checkRegister(source, options);
  const deployment = await findDeployment(account, options.stage);
  const named = await findPrincipal(account, options);
  if (source === undefined || named === undefined)
    return terminal.out(listText(await readRegistrations(deployment), options.output));
  terminal.out(sourceLine(source, await register(deployment, source, named)));
}

async function unregisterOne(
  { store }: Deployment,
  source: EventSource,
  named: NamedPrincipal,
): Promise<string> {
  const before = await sendersOf(store, source);
  const known = before.find(({ principal }) => principal === named.principal);
  if (known === undefined) return `${principalText(named)} is not registered for it`;
  await unregisterSender(store, known);
  const left = before.length - 1;
  const rest = left === 0 ? 'nobody else may' : `${left} other${left === 1 ? '' : 's'} still may`;
  return `${principalText(known)} may no longer speak for ${sourcePronoun(source)}, after a minute at most; ${rest}`;
}

/**
 * Which principals may still report a source whose registrations were all removed: for a WEC, those that may report
 * every WEC.
 */
async function leftText({ store }: Deployment, source: EventSource): Promise<string> {
  const left = source.type === 'wec' ? await sendersOf(store, EVERY_WEC) : [];
  if (left.length === 0) return 'now nobody may speak for it, after a minute at most';
  return `${left.map(principalText).join(', ')} still may speak for it, as for every WEC: unless its ITS has it no longer, it comes back`;
}

/** Removes all registrations of a source and its reports. */
async function removeSource(
  deployment: Deployment,
  source: EventSource,
  registrations: readonly SenderRegistration[],
): Promise<string> {
  const { store, queues } = deployment;
  const principals = registrations.map(principalText).join(', ') || 'nobody';
  const text = `${principals} was registered; ${await leftText(deployment, source)}`;
  if (source.type !== 'wec') {
    for (const registration of registrations) await unregisterSender(store, registration);
    await store.delete([{ key: heartbeatKey(source) }]);
    return text;
  }
  const { until } = await removeWec({ store, dirty: queues.dirty.queue }, source.name, Date.now());
  return until === undefined ? text : `${text}; what it has said is being removed`;
}

/**
 * Removes a known source if the operator agrees.
 * @throws InputError if the source is not known
 */
async function removeIfAgreed(
  deployment: Deployment,
  source: EventSource,
  { options, world }: { readonly options: UnregisterOptions; readonly world: UnregisterWorld },
): Promise<void> {
  const { store } = deployment;
  const name = plain(sourceText(source));
  const registrations = await sendersOf(store, source);
  const [heartbeat] = await store.get([heartbeatKey(source)]);
  if (registrations.length === 0 && heartbeat === undefined)
    throw new InputError(
      `${name} is not known: nobody is registered for it, and it has not spoken; starfold register --list shows who is registered`,
    );
  const what =
    source.type === 'wec'
      ? 'its registrations and all that it has said'
      : 'all of its registrations';
  const isAgreed =
    options.yes === true || (await world.question.ask(`Remove ${name} for good, with ${what}?`));
  if (!isAgreed) return world.terminal.notice('nothing was removed');
  world.terminal.out(sourceLine(source, await removeSource(deployment, source, registrations)));
}

function checkUnregister(
  source: EventSource,
  options: UnregisterOptions,
  { question }: UnregisterWorld,
): void {
  checkPrincipalOptions(options, false);
  const { role, principal, yes } = options;
  const isWhole = role === undefined && principal === undefined;
  if (isWhole && isEveryWec(source))
    throw new UsageError(
      'wec/* is no source that could be removed: give --role ARN or --principal ID to take its registration back (starfold register --list shows it), or wec/NAME to remove one WEC',
    );
  if (isWhole && yes !== true && !question.isPossible)
    throw new UsageError(
      'without --role and --principal the source is removed for good, and there is no terminal to ask at: give --yes',
    );
}

/**
 * Removes a registration. Without a principal, the whole source is removed permanently after a question: it is no
 * longer silent, and what a WEC has reported is deleted.
 *
 * @throws InputError, UsageError; what the account, the store and the queue throw
 */
export async function runUnregister(
  source: EventSource,
  options: UnregisterOptions,
  world: UnregisterWorld,
): Promise<void> {
  checkUnregister(source, options, world);
  const { account, terminal } = world;
  const deployment = await findDeployment(account, options.stage);
  const named = await findPrincipal(account, options);
  if (named === undefined) return removeIfAgreed(deployment, source, { options, world });
  terminal.out(sourceLine(source, await unregisterOne(deployment, source, named)));
}
