import type { Account, QueueCounts } from '#local/cli/deployment/account.ts';
import { lookAt } from '#local/cli/deployment/dead-letters.ts';
import { type DeadMessage, explainMessage } from '#local/cli/deployment/dead-message.ts';
import {
  type Deployment,
  pairsOf,
  principalOfFunction,
  type QueuePair,
} from '#local/cli/deployment/deployment.ts';
import { explainFault } from '#local/cli/deployment/fault.ts';
import { spanText } from '#local/cli/deployment/lines.ts';
import type { Redriver } from '#shared/messages/redrive.ts';
import { principalOf } from '#shared/state/senders.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import {
  agesNotKnown,
  letterReport,
  moreLetters,
  noDeadLetters,
  queueReport,
  slowQueue,
} from './queue-messages.ts';

/** The limit of the alarms `*-age`. */
const MAX_AGE_SECONDS = 300;
const AGE_PERIOD_MS = 5 * 60_000;
const MAX_LOOKED_AT = 10;
const NO_MESSAGES: QueueCounts = { waiting: 0, inFlight: 0 };

const HANDLERS = {
  events: 'record-events',
  dirty: 'aggregate-workload',
  hints: 'write-results',
  notifications: 'send-notifications',
} as const;

function checkQueue(
  { name }: QueuePair,
  counts: QueueCounts,
  ageSeconds: number | undefined,
): Finding {
  const age = ageSeconds === undefined ? undefined : spanText(ageSeconds * 1000);
  const message = queueReport(name, counts, age);
  if (ageSeconds === undefined || ageSeconds <= MAX_AGE_SECONDS) return ok('queues', message);
  return problem('queues', { message, remedy: slowQueue(name, HANDLERS[name]) });
}

/** How long the oldest message of each queue has waited, in seconds, or why CloudWatch has no answer. */
async function oldestMessages(
  account: Account,
  queueNames: readonly string[],
  nowMs: number,
): Promise<readonly (number | undefined)[] | string> {
  try {
    const period = { fromMs: nowMs - AGE_PERIOD_MS, toMs: nowMs };
    return await account.oldestMessageSeconds(queueNames, period);
  } catch (error) {
    const text = explainFault(error);
    if (text === undefined) throw error;
    return text;
  }
}

/** The number of waiting messages of each queue, and how long they have waited. */
export async function checkQueues(
  account: Account,
  deployment: Deployment,
  nowMs: number,
): Promise<readonly Finding[]> {
  const pairs = pairsOf(deployment);
  const names = pairs.map(({ queueUrl }) => queueUrl.split('/').at(-1) ?? '');
  const [ages, counts] = await Promise.all([
    oldestMessages(account, names, nowMs),
    Promise.all(pairs.map(({ queueUrl }) => account.queueCounts(queueUrl))),
  ]);
  const areKnown = typeof ages !== 'string';
  const findings = pairs.map((pair, index) =>
    checkQueue(pair, counts[index] ?? NO_MESSAGES, areKnown ? ages[index] : undefined),
  );
  if (areKnown) return findings;
  return [...findings, { check: 'queues', level: 'warning', message: agesNotKnown(ages) }];
}

function findingOf(message: DeadMessage, nowMs: number): Finding {
  const { sentAt, kind, remedy } = message;
  const advice = { message: letterReport(message, spanText(nowMs - sentAt)), remedy };
  return kind === 'failed' ? warning('dead letters', advice) : problem('dead letters', advice);
}

/** The first dead letters of one queue. */
interface Look {
  readonly redriver: Redriver;
  readonly nowMs: number;
}

async function checkDeadLetters(
  account: Account,
  { name, deadLetters, deadLettersUrl }: QueuePair,
  { redriver, nowMs }: Look,
): Promise<readonly Finding[]> {
  const { waiting, inFlight } = await account.queueCounts(deadLettersUrl);
  const total = waiting + inFlight;
  if (total === 0) return [ok('dead letters', noDeadLetters(name))];
  const messages = await lookAt(deadLetters, MAX_LOOKED_AT);
  const findings = messages.map((message) =>
    findingOf(explainMessage(name, message, redriver), nowMs),
  );
  const others = total - messages.length;
  return others <= 0 ? findings : [...findings, warning('dead letters', moreLetters(name, others))];
}

/** The content of the dead-letter queues, with the reasons. */
export async function checkAllDeadLetters(
  account: Account,
  deployment: Deployment,
  nowMs: number,
): Promise<readonly Finding[]> {
  const principal = principalOf((await account.identity()).userId);
  const recorder = await principalOfFunction(account, deployment.name, 'record-events');
  const redriver = { principal, ...(recorder === undefined ? {} : { recorder }) };
  const found = await Promise.all(
    pairsOf(deployment).map((pair) => checkDeadLetters(account, pair, { redriver, nowMs })),
  );
  return found.flat();
}
