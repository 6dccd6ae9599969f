import * as z from 'zod/mini';
import { encloseBody, parseEnclosing } from './enclosed-body.ts';

const TYPE = 'dev.starfold.dead-letter.v1';
const CODES = ['unreadable', 'forged-sender', 'over-quota'] as const;

const deadLetter = z.object({
  type: z.literal(TYPE),
  code: z.enum(CODES),
  reasons: z.array(z.string()),
  senderId: z.string(),
  body: z.string(),
});

/**
 * Why a message of forwarders was refused: events in it cannot be read, its sender may not speak for their source, or their
 * source has as many objects as it may.
 */
export type DeadLetterCode = (typeof CODES)[number];

/** A message that record-events refused, wholly or in part, as it lies in the dead-letter queue of the events. */
export interface DeadLetter {
  readonly code: DeadLetterCode;
  /** For people: what is wrong and what to do. */
  readonly reasons: readonly string[];
  /** The sender of the message, as SQS recorded it. */
  readonly senderId: string;
  /** The body of the message, with all events of it; a plain one perhaps compressed, as forwarders do. */
  readonly body: string;
}

/** The body of a dead letter; `undefined` when no message can hold it. */
export function encodeDeadLetter({
  code,
  reasons,
  senderId,
  body,
}: DeadLetter): string | undefined {
  return encloseBody(body, (kept) => ({ type: TYPE, code, reasons, senderId, body: kept }));
}

/**
 * Reads what {@link encodeDeadLetter} wrote; `undefined` for anything else.
 *
 * Anybody who may send events can send a text of this form, and SQS moves it into the dead-letter queue when its handling
 * keeps failing. So what a letter says of its sender holds only where record-events itself sent the letter.
 */
export function parseDeadLetter(text: string): DeadLetter | undefined {
  const { success, data } = z.safeParse(deadLetter, parseEnclosing(text));
  if (!success) return undefined;
  const { type: _type, ...letter } = data;
  return letter;
}
