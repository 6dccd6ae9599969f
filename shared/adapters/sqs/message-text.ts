import { MessageRefusedError } from '#shared/errors.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { noCharacter } from './messages.ts';

// SQS accepts the characters of XML 1.0 (API Reference, SendMessage).
const REFUSED = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const EACH_REFUSED = new RegExp(REFUSED, 'gu');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function codeUnit(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

/**
 * Returns the message in characters that SQS accepts. In a JSON body, other characters (U+FFFE, U+FFFF, lone surrogates) are
 * replaced by their escapes, `\ufffe`. The result is the same JSON in another spelling, because JSON has such characters only
 * in strings. `JSON.stringify` does not escape the first two.
 *
 * @throws MessageRefusedError if another text has such characters: SQS would reject it in every attempt.
 */
export function inAllowedCharacters(message: OutgoingMessage): OutgoingMessage {
  const { body, group } = message;
  const [refused] = REFUSED.exec(body) ?? [];
  if (refused === undefined) return message;
  if (!isJson(body)) throw new MessageRefusedError(group, noCharacter(codeUnit(refused)));
  return {
    ...message,
    body: body.replace(EACH_REFUSED, (character) => `\\u${codeUnit(character)}`),
  };
}
