import type { Account } from '#local/cli/deployment/account.ts';
import { emptyOut, lookAt } from '#local/cli/deployment/dead-letters.ts';
import { type DeadMessage, explainMessage } from '#local/cli/deployment/dead-message.ts';
import {
  type Deployment,
  findDeployment,
  pairsOf,
  principalOfFunction,
  type QueuePair,
} from '#local/cli/deployment/deployment.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import type { Question } from '#local/cli/terminal/question.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { Redriver } from '#shared/messages/redrive.ts';
import { principalOf, registerRedriver } from '#shared/state/senders.ts';
import {
  deleteQuestion,
  MORE_MESSAGES,
  NO_DEAD_LETTERS,
  NO_TERMINAL,
  NOTHING_DONE,
  noQueue,
  notDeleted,
  redriveSummary,
  sendQuestion,
  unknownMessages,
} from './messages.ts';
import { actionOn, planFor, type RedriveOptions, type Work } from './redrive-plan.ts';
import { messageLines, type Outcome, redriveJson } from './redrive-report.ts';

/** The dependencies of the command. */
export interface RedriveWorld {
  readonly account: Account;
  readonly terminal: Terminal;
  readonly question: Question;
}

/** How many messages of each queue one command shows and sends back. */
const MAX_SHOWN = 1000;
/** How long the operator may send messages of other senders. */
const REDRIVER_MS = 60 * 60_000;

/** A run of the command, after the deployment was found. */
interface Run {
  readonly options: RedriveOptions;
  readonly world: RedriveWorld;
  readonly deployment: Deployment;
  readonly pairs: readonly QueuePair[];
  readonly redriver: Redriver;
  readonly startedMs: number;
}

async function redriverOf({ account }: RedriveWorld, deployment: Deployment): Promise<Redriver> {
  const principal = principalOf((await account.identity()).userId);
  const recorder = await principalOfFunction(account, deployment.name, 'record-events');
  return { principal, ...(recorder === undefined ? {} : { recorder }) };
}

/** @throws InputError if the deployment has no such queue */
function pairsFor({ queue, stage }: RedriveOptions, deployment: Deployment): readonly QueuePair[] {
  if (queue === undefined) return pairsOf(deployment);
  const pair = deployment.queues[queue];
  if (pair !== undefined) return [pair];
  throw new InputError(noQueue(stage, queue));
}

async function startRun(options: RedriveOptions, world: RedriveWorld): Promise<Run> {
  const deployment = await findDeployment(world.account, options.stage);
  return {
    options,
    world,
    deployment,
    pairs: pairsFor(options, deployment),
    redriver: await redriverOf(world, deployment),
    startedMs: world.terminal.clock(),
  };
}

async function lookAll({ pairs, redriver }: Run): Promise<readonly DeadMessage[]> {
  const found = await Promise.all(
    pairs.map(async ({ name, deadLetters }) =>
      (await lookAt(deadLetters, MAX_SHOWN)).map((message) =>
        explainMessage(name, message, redriver),
      ),
    ),
  );
  return found.flat();
}

/** The messages that were requested. */
function asked(messages: readonly DeadMessage[], run: Run): readonly DeadMessage[] {
  const ids = run.options.message;
  if (ids === undefined) return messages;
  const listed = new Set(messages.map(({ messageId }) => messageId));
  const unknown = ids.filter((id) => !listed.has(id));
  if (unknown.length > 0) throw new InputError(unknownMessages(unknown.join(', ')));
  return messages.filter(({ messageId }) => ids.includes(messageId));
}

/** Whether the operator has agreed. */
async function isAgreed(count: number, { options, world }: Run): Promise<boolean> {
  if (options.yes === true) return true;
  return world.question.ask(options.discard === true ? deleteQuestion(count) : sendQuestion(count));
}

/** Carries out the agreed work in each queue that it concerns. */
async function carryOut(run: Run, work: Work): Promise<void> {
  const queues = new Set(work.wanted.map(({ queue }) => queue));
  const plans = run.pairs
    .filter(({ name }) => queues.has(name))
    .map((pair) => ({ pair, plan: planFor(work, pair.name) }));
  await Promise.all(plans.map(({ pair, plan }) => emptyOut(pair, plan)));
  const isMore = plans.some(({ plan }) => plan.unseen > 0);
  if (isMore && run.options.message === undefined) run.world.terminal.notice(MORE_MESSAGES);
}

/** The final report to the operator. */
interface Report {
  readonly messages: readonly DeadMessage[];
  readonly wanted: readonly DeadMessage[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

function summary({ messages, wanted, outcomes }: Report): string {
  const number = (outcome: Outcome): number =>
    [...outcomes.values()].filter((one) => one === outcome).length;
  const gone = wanted.filter(({ messageId }) => !outcomes.has(messageId)).length;
  const left = messages.length - outcomes.size - gone;
  return `${redriveSummary({ sent: number('sent'), deleted: number('discarded'), left, gone })}\n`;
}

/** Reports letters that --discard leaves unless they are named. */
function reportSpared({ options, world }: Run, messages: readonly DeadMessage[]): void {
  const { discard, message } = options;
  const spared = messages.filter((one) => actionOn(one, options).type === 'leave').length;
  if (discard !== true || message !== undefined || spared === 0) return;
  world.terminal.notice(notDeleted(spared));
}

function checkOptions({ yes, dryRun }: RedriveOptions, { question }: RedriveWorld): void {
  if (yes !== true && dryRun !== true && !question.isPossible) throw new UsageError(NO_TERMINAL);
}

function show(messages: readonly DeadMessage[], { options, world }: Run): void {
  if (options.output === 'json') return;
  const { terminal } = world;
  const lines = messages.map((message) => messageLines(message, terminal.clock()));
  terminal.out(lines.length === 0 ? NO_DEAD_LETTERS : lines.join('\n'));
}

/**
 * Shows the messages of the dead-letter queues. If the operator agrees, sends them back to their queue or deletes them
 * permanently. The messages are visible to others while the operator decides.
 *
 * @throws InputError, UsageError; what the account, the queues and the store throw
 */
export async function runRedrive(options: RedriveOptions, world: RedriveWorld): Promise<void> {
  checkOptions(options, world);
  const run = await startRun(options, world);
  const { terminal } = world;
  const messages = new Map(
    asked(await lookAll(run), run).map((message) => [message.messageId, message]),
  );
  const shown = [...messages.values()];
  show(shown, run);
  const wanted = shown.filter((message) => actionOn(message, options).type !== 'leave');
  const isWanted = wanted.length > 0 && options.dryRun !== true;
  const isDone = isWanted && (await isAgreed(wanted.length, run));
  if (isDone && options.discard !== true && wanted.some(({ queue }) => queue === 'events')) {
    const { store } = run.deployment;
    await registerRedriver(store, run.redriver.principal, terminal.clock() + REDRIVER_MS);
  }
  const outcomes = new Map<string, Outcome>();
  const { redriver, startedMs } = run;
  if (isDone) await carryOut(run, { options, redriver, startedMs, messages, wanted, outcomes });
  const all = [...messages.values()];
  if (options.output === 'json') terminal.out(redriveJson(all, outcomes));
  else if (isDone) terminal.out(`\n${summary({ messages: all, wanted, outcomes })}`);
  if (!isDone) terminal.notice(NOTHING_DONE);
  reportSpared(run, all);
}
