import type { Account } from '#local/cli/deployment/account.ts';
import { type Deployment, findDeployment } from '#local/cli/deployment/deployment.ts';
import type { DeploymentOptions } from '#local/cli/deployment/options.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import { prettyJson } from '#local/cli/terminal/print.ts';
import type { Question } from '#local/cli/terminal/question.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { alignedLines, widthsOf } from '#local/tables/text-table.ts';
import type { EventSource } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { plainText } from '#shared/core/plain-text.ts';
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
import {
  BEING_REMOVED,
  EVERY_WEC_STAYS,
  LIST_OF_ALL,
  NO_REGISTRATION,
  NO_SOURCE,
  NO_TERMINAL,
  NOTHING_REMOVED,
  notRegisteredFor,
  registered,
  registeredAlready,
  removed,
  removeQuestion,
  unknownSource,
  unregistered,
} from './messages.ts';
import {
  checkBreadth,
  checkPrincipalOptions,
  findPrincipal,
  type NamedPrincipal,
  type PrincipalOptions,
  principalText,
  sourceLine,
} from './register-source.ts';

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
  const registration = before.find(({ principal }) => principal === named.principal);
  const isUnchanged =
    registration !== undefined && (named.arn === undefined || registration.arn === named.arn);
  if (isUnchanged) return registeredAlready(principalText(registration));
  await registerSender(store, { source, ...named });
  const others = before.filter((one) => one !== registration).map(principalText);
  return registered(source, principalText(named), others.join(', '));
}

function listText(registrations: readonly SenderRegistration[], format: 'table' | 'json'): string {
  if (format === 'json')
    return `${prettyJson({
      registrations: registrations.map(
        ({ source, ...named }): JsonObject => ({ source: sourceText(source), ...named }),
      ),
    })}\n`;
  if (registrations.length === 0) return NO_REGISTRATION;
  const rows = registrations.map(({ source, ...named }) => [
    plainText(sourceText(source)),
    plainText(principalText(named)),
  ]);
  return alignedLines(rows, widthsOf(rows), '  ')
    .map((line) => `${line}\n`)
    .join('');
}

async function readRegistrations({ store }: Deployment): Promise<readonly SenderRegistration[]> {
  const registrations: SenderRegistration[] = [];
  for await (const page of listSenders(store)) registrations.push(...page);
  return registrations;
}

function checkRegister(source: EventSource | undefined, options: RegisterOptions): void {
  if (options.list !== true && source === undefined) throw new UsageError(NO_SOURCE);
  if (options.list === true && source !== undefined) throw new UsageError(LIST_OF_ALL);
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
  const registration = before.find(({ principal }) => principal === named.principal);
  if (registration === undefined) return notRegisteredFor(principalText(named));
  await unregisterSender(store, registration);
  return unregistered(source, principalText(registration), before.length - 1);
}

/** Removes all registrations of a source and its reports. */
async function removeSource(
  deployment: Deployment,
  source: EventSource,
  registrations: readonly SenderRegistration[],
): Promise<string> {
  const { store, queues } = deployment;
  // A WEC may still be reported by those that may report every WEC.
  const everyWec = source.type === 'wec' ? await sendersOf(store, EVERY_WEC) : [];
  const [principals, others] = [registrations, everyWec].map((list) =>
    list.map(principalText).join(', '),
  );
  const text = removed(principals ?? '', others);
  if (source.type !== 'wec') {
    for (const registration of registrations) await unregisterSender(store, registration);
    await store.delete([{ key: heartbeatKey(source) }]);
    return text;
  }
  const { until } = await removeWec({ store, dirty: queues.dirty.queue }, source.name, Date.now());
  return until === undefined ? text : `${text}${BEING_REMOVED}`;
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
  const name = plainText(sourceText(source));
  const registrations = await sendersOf(store, source);
  const [heartbeat] = await store.get([heartbeatKey(source)]);
  if (registrations.length === 0 && heartbeat === undefined)
    throw new InputError(unknownSource(name));
  const isAgreed = options.yes === true || (await world.question.ask(removeQuestion(source, name)));
  if (!isAgreed) return world.terminal.notice(NOTHING_REMOVED);
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
  if (isWhole && isEveryWec(source)) throw new UsageError(EVERY_WEC_STAYS);
  if (isWhole && yes !== true && !question.isPossible) throw new UsageError(NO_TERMINAL);
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
