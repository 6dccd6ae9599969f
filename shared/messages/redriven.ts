import * as z from 'zod/mini';
import { encloseBody, parseEnclosing } from './enclosed-body.ts';

const TYPE = 'dev.starfold.redriven.v1';

const redriven = z.object({ type: z.literal(TYPE), senderId: z.string(), body: z.string() });

/**
 * A message of forwarders that comes again, out of the dead-letter queue: SQS records as its sender who brings it, so it
 * names the one who sent it first. Only a redriver is believed.
 */
export interface Redriven {
  /** The sender of the message when it first came, as SQS recorded it. */
  readonly senderId: string;
  readonly body: string;
}

/** The body of a redriven message; `undefined` when no message can hold it. */
export function encodeRedriven({ senderId, body }: Redriven): string | undefined {
  return encloseBody(body, (kept) => ({ type: TYPE, senderId, body: kept }));
}

/** Reads what {@link encodeRedriven} wrote; `undefined` for anything else. */
export function parseRedriven(text: string): Redriven | undefined {
  const { success, data } = z.safeParse(redriven, parseEnclosing(text));
  if (!success) return undefined;
  const { type: _type, ...message } = data;
  return message;
}
