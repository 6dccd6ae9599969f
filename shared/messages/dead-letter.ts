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
 * Why a message of forwarders was rejected: it has events that cannot be read, its sender may not report for their source, or
 * their source has reached its quota of objects.
 */
export type DeadLetterCode = (typeof CODES)[number];

/**
 * A message that record-events rejected, wholly or in part, in the form in which it is stored in the dead-letter queue of the
 * events.
 */
export interface DeadLetter {
  readonly code: DeadLetterCode;
  /** The faults and remedies, for people. */
  readonly reasons: readonly string[];
  /** The sender of the message, as SQS recorded it. */
  readonly senderId: string;
  /** The body of the message with all its events. A plain body may be compressed, in the same way as forwarders do. */
  readonly body: string;
}

/** Encodes a dead letter. Returns undefined if it does not fit into a message. */
export function encodeDeadLetter({
  code,
  reasons,
  senderId,
  body,
}: DeadLetter): string | undefined {
  return encloseBody(body, (kept) => ({ type: TYPE, code, reasons, senderId, body: kept }));
}

/**
 * Reads a dead letter of {@link encodeDeadLetter}. Returns undefined for any other text.
 *
 * Anyone who may send events can send a text of this form. If it fails repeatedly, SQS moves it into the dead-letter queue. So
 * the sender that a letter names is only valid if record-events itself sent the letter.
 */
export function parseDeadLetter(text: string): DeadLetter | undefined {
  const { success, data } = z.safeParse(deadLetter, parseEnclosing(text));
  if (!success) return undefined;
  const { type: _type, ...letter } = data;
  return letter;
}
