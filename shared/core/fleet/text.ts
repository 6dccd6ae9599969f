const ELLIPSIS = '...';

/** Longer than a person reads. The message of a condition may have 32 KiB. */
const MAX_MESSAGE_CHARACTERS = 4096;

/** Cuts a text to a maximum number of characters. A text that was cut ends in `...`, and no surrogate pair is split. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.slice(0, max - ELLIPSIS.length);
  const shown = (end.isWellFormed() ? end : end.slice(0, -1)) + ELLIPSIS;
  // The text is copied, because a slice keeps the whole text in memory.
  return JSON.parse(JSON.stringify(shown));
}

/** Cuts the message of a condition to 4,096 characters. */
export function boundedMessage(text: string): string {
  return cutText(text, MAX_MESSAGE_CHARACTERS);
}

/** The number of characters that a message has left beside this text. */
export function roomBeside(text: string): number {
  return MAX_MESSAGE_CHARACTERS - text.length;
}
