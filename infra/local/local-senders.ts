import type { SenderCheck } from '#functions/record-events/sender-check.ts';
import { sourcePartition } from '#shared/state/keys.ts';

/** The sender of every message of the embedded queues: this process. */
export const LOCAL_SENDER = 'local';

/**
 * The check of the embedded stack. Its queues are a file, and whoever can write to it can write to the store as well: so
 * what comes out of them is trusted, and there is nothing to register.
 */
export const trustLocalSender: SenderCheck = {
  allowed: async (senderId, sources) =>
    new Set(senderId === LOCAL_SENDER ? sources.map(sourcePartition) : []),
  mayRedrive: async (senderId) => senderId === LOCAL_SENDER,
};
