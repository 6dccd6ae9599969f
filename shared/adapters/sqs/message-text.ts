import { MessageRefusedError } from '#shared/errors.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';

// What SQS takes (API Reference, SendMessage) are the characters of XML 1.0.
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
 * The message in characters that SQS takes. In a JSON body the others (U+FFFE, U+FFFF, lone surrogates) are replaced by
 * their escapes, `\ufffe`: the same JSON in another spelling, for in JSON they stand in strings only. `JSON.stringify`
 * leaves the first two as they are.
 *
 * @throws MessageRefusedError for such characters in another text: SQS would refuse it however often it is sent.
 */
export function inAllowedCharacters(message: OutgoingMessage): OutgoingMessage {
  const { body, group } = message;
  const [refused] = REFUSED.exec(body) ?? [];
  if (refused === undefined) return message;
  if (!isJson(body))
    throw new MessageRefusedError(group, `SQS takes no character U+${codeUnit(refused)}`);
  return {
    ...message,
    body: body.replace(EACH_REFUSED, (character) => `\\u${codeUnit(character)}`),
  };
}
