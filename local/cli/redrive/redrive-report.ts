import type { DeadMessage } from '#local/cli/deployment/dead-message.ts';
import { plainJson, spanText, styled } from '#local/cli/deployment/lines.ts';
import { prettyJson } from '#local/cli/terminal/print.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { plainText } from '#shared/core/plain-text.ts';
import { CAN_GO_BACK, MESSAGE_LINES, STAYS } from './messages.ts';

/** What was done with a message. */
export type Outcome = 'sent' | 'discarded' | 'left';

function fateOf({ redrive }: DeadMessage): string {
  return redrive.type === 'send' ? CAN_GO_BACK : STAYS[redrive.why];
}

/** A message of a dead-letter queue in some lines, for users. */
export function messageLines(message: DeadMessage, nowMs: number): string {
  const { queue, messageId, sentAt, kind, about, reasons, sender, remedy } = message;
  const head = MESSAGE_LINES.head(
    styled('bold', queue),
    plainText(messageId),
    spanText(nowMs - sentAt),
  );
  const details = [
    MESSAGE_LINES.what(kind, about),
    ...(sender === undefined ? [] : [MESSAGE_LINES.sender(sender)]),
    ...reasons.map(MESSAGE_LINES.reason),
    MESSAGE_LINES.fate(fateOf(message), remedy),
  ];
  return `${[head, ...details.map((detail) => `  ${plainText(detail)}`)].join('\n')}\n`;
}

/** Messages with what was done with them, for programs. */
export function redriveJson(
  messages: readonly DeadMessage[],
  outcomes: ReadonlyMap<string, Outcome>,
): string {
  const items = messages.map((message): JsonObject => {
    const { queue, messageId, sentAt, kind, about, reasons, sender, remedy, redrive } = message;
    return {
      queue,
      messageId,
      sentAt: new Date(sentAt).toISOString(),
      kind,
      about,
      reasons,
      ...(sender === undefined ? {} : { sender }),
      remedy,
      canGoBack: redrive.type === 'send',
      outcome: outcomes.get(messageId) ?? 'left',
    };
  });
  return plainJson(`${prettyJson({ messages: items })}\n`);
}
