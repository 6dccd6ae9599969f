import type { SenderCheck } from '#functions/record-events/sender-check.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { EVERY_WEC } from '#shared/state/senders.ts';

/** The sender of the messages that this process itself puts into the embedded queues. */
export const LOCAL_SENDER = 'local';

/**
 * The sender of the messages that came by HTTP with the token of a source.
 *
 * @returns `http:wec/cluster1`
 */
export function httpSender(source: EventSource): string {
  return `http:${sourceText(source)}`;
}

/**
 * The sender check of the embedded stack. Its queues are in a file, and a process that can write to the file can also
 * write to the store. Therefore, messages of this process are trusted, and there is nothing to register. A message that
 * came by HTTP may only report the source of its token. If that is `wec/*`, it may report every WEC.
 */
export const trustLocalSender: SenderCheck = {
  rights: async () => ({
    mayReport: ({ senderId, source }) =>
      senderId === LOCAL_SENDER ||
      senderId === httpSender(source) ||
      (source.type === 'wec' && senderId === httpSender(EVERY_WEC)),
    mayRedrive: (senderId) => senderId === LOCAL_SENDER,
  }),
  called: (senderId) => senderId.replace(/^http:/, 'the token of '),
};
