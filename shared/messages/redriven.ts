import * as z from 'zod/mini';
import { encloseBody, parseEnclosing } from './enclosed-body.ts';

const TYPE = 'dev.starfold.redriven.v1';

const redriven = z.object({ type: z.literal(TYPE), senderId: z.string(), body: z.string() });

/**
 * A message of forwarders that is sent again from the dead-letter queue. SQS then records the redriver as its sender, so the
 * message names its first sender. That name is only accepted from a redriver.
 */
export interface Redriven {
  /** The first sender of the message, as SQS recorded it. */
  readonly senderId: string;
  readonly body: string;
}

/** Encodes a redriven message. Returns undefined if it does not fit into a message. */
export function encodeRedriven({ senderId, body }: Redriven): string | undefined {
  return encloseBody(body, (kept) => ({ type: TYPE, senderId, body: kept }));
}

/** Reads a message of {@link encodeRedriven}. Returns undefined for any other text. */
export function parseRedriven(text: string): Redriven | undefined {
  const { success, data } = z.safeParse(redriven, parseEnclosing(text));
  if (!success) return undefined;
  const { type: _type, ...message } = data;
  return message;
}
