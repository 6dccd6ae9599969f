const ELLIPSIS = '...';

/** More than a person reads; a condition's message may be 32 KiB. */
const MAX_MESSAGE_CHARACTERS = 4096;

/** A text of at most so many characters: where something is left out it ends in `...`, and no character is cut in two. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.slice(0, max - ELLIPSIS.length);
  const shown = (end.isWellFormed() ? end : end.slice(0, -1)) + ELLIPSIS;
  // A copy: a slice keeps the whole text in memory.
  return JSON.parse(JSON.stringify(shown));
}

/** The message of a condition: at most 4,096 characters of it. */
export function boundedMessage(text: string): string {
  return cutText(text, MAX_MESSAGE_CHARACTERS);
}

/** How many characters of a message there is room for beside this text. */
export function roomBeside(text: string): number {
  return MAX_MESSAGE_CHARACTERS - text.length;
}
