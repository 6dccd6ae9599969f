import type { Decision, Plan } from '#local/cli/deployment/dead-letters.ts';
import { type DeadMessage, explainMessage } from '#local/cli/deployment/dead-message.ts';
import type { DeploymentOptions } from '#local/cli/deployment/options.ts';
import type { RedrivableQueue, Redriver } from '#shared/messages/redrive.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { Outcome } from './redrive-report.ts';

/** The options of `starfold redrive`. */
export interface RedriveOptions extends DeploymentOptions {
  /** If absent, all queues. */
  readonly queue?: RedrivableQueue;
  /** Identifiers of messages. If absent, all. */
  readonly message?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly discard?: boolean;
  readonly output: 'table' | 'json';
}

/**
 * What is done with a message if the operator agrees. If no messages are named, only those that have no use are
 * discarded: a letter may have been written by record-events when it had another role, and a newer release can handle what it
 * sent.
 */
export function actionOn({ redrive }: DeadMessage, { discard, message }: RedriveOptions): Decision {
  if (discard !== true) return redrive.type === 'send' ? redrive : { type: 'leave' };
  const isUseless = redrive.type === 'stay' && redrive.why !== 'letter' && redrive.why !== 'newer';
  return message !== undefined || isUseless ? { type: 'discard' } : { type: 'leave' };
}

/** Whether messages that were not shown are included: with --yes, those that were behind others of their group. */
function isUnseenMeant({ yes, message }: RedriveOptions): boolean {
  return yes === true && message === undefined;
}

/** The work on the messages to which the operator agreed, and its results. */
export interface Work {
  readonly options: RedriveOptions;
  readonly redriver: Redriver;
  /** When the command began, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** By identifier. Those that had not been shown are added. */
  readonly messages: Map<string, DeadMessage>;
  readonly wanted: readonly DeadMessage[];
  readonly outcomes: Map<string, Outcome>;
}

/** How many messages that had not been shown were found and left. */
interface Unseen {
  readonly unseen: number;
}

/** What is done with each message of one queue. */
export function planFor(work: Work, name: RedrivableQueue): Plan & Unseen {
  const { options, redriver, startedMs, messages, wanted, outcomes } = work;
  const shown = new Set(messages.keys());
  const ids = wanted.filter(({ queue }) => queue === name).map(({ messageId }) => messageId);
  // A message that returns to the dead-letter queue meanwhile is younger, and is left.
  const isMeant = ({ messageId, group, sentAt }: ReceivedMessage): boolean =>
    shown.has(messageId) || (isUnseenMeant(options) && group !== undefined && sentAt <= startedMs);
  const plan = {
    unseen: 0,
    decide: (message: ReceivedMessage): Decision => {
      if (!isMeant(message)) {
        plan.unseen += 1;
        return { type: 'leave' };
      }
      const dead = explainMessage(name, message, redriver);
      messages.set(message.messageId, dead);
      return actionOn(dead, options);
    },
    done: ({ messageId }: ReceivedMessage, decision: Decision['type']): void => {
      if (decision !== 'leave') outcomes.set(messageId, decision === 'send' ? 'sent' : 'discarded');
    },
    isComplete: () =>
      !(isUnseenMeant(options) && name !== 'events') && ids.every((id) => outcomes.has(id)),
  };
  return plan;
}
