import type { SenderCheck } from '#functions/record-events/sender-check.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { sourcePartition } from '#shared/core/subject.ts';
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
 * The check of the embedded stack. Its queues are a file, and whoever can write to it can write to the store as well: so
 * what this process itself has sent is trusted, and there is nothing to register. What came by HTTP speaks for the source
 * of its token alone, and for every WEC where that is `wec/*`.
 */
export const trustLocalSender: SenderCheck = {
  allowed: async (senderId, sources) => {
    const isAllowed = (source: EventSource): boolean =>
      senderId === LOCAL_SENDER ||
      senderId === httpSender(source) ||
      (source.type === 'wec' && senderId === httpSender(EVERY_WEC));
    return new Set(sources.filter(isAllowed).map(sourcePartition));
  },
  mayRedrive: async (senderId) => senderId === LOCAL_SENDER,
  called: (senderId) => senderId.replace(/^http:/, 'the token of '),
};
