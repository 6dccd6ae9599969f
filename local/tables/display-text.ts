import sliceAnsi from 'slice-ansi';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** The columns of a terminal that a text takes. A wide character takes two, a combining mark and a style none. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** The beginning of a text that fits in a width. */
export function beginningOf(text: string, width: number): string {
  return sliceAnsi(text, 0, Math.max(width, 0));
}

/** A text that is not wider than a width. If it is shortened, it ends with `…`. */
export function shortened(text: string, width: number): string {
  return displayWidth(text) > width ? `${beginningOf(text, width - 1)}…` : text;
}

/** A text with spaces up to a width. */
export function padded(text: string, width: number): string {
  return `${text}${' '.repeat(Math.max(width - displayWidth(text), 0))}`;
}

/** The lines of a text that fit in a width. Only words that do not fit in a line are broken. */
export function wrapped(text: string, width: number): readonly string[] {
  return wrapAnsi(text, width, { hard: true }).split('\n');
}
