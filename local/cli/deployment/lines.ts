import { styleText } from 'node:util';
import { plainText } from '#shared/core/plain-text.ts';

type Style = Parameters<typeof styleText>[0];

/**
 * Characters that control a terminal or change the displayed order of text: control and format characters, line
 * separators.
 */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
/** Characters that a shell does not interpret at these positions. */
const WORD = /^[\w.:@/][\w.:@/-]*$/;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** JSON text with the same meaning, in which characters that control the terminal are `\\u` escapes. */
export function plainJson(json: string): string {
  const escaped = (text: string): string =>
    Array.from(
      { length: text.length },
      (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join('');
  // JSON's own line breaks are outside of its strings. In strings, they are already escaped.
  return json.replaceAll(STEERING, (text) => (text === '\n' ? text : escaped(text)));
}

/**
 * A word of a command that an operator may paste: the text or, if a shell might interpret it (`$(...)`, `;`, a space),
 * a placeholder.
 */
export function shellWord(text: string, placeholder: string): string {
  return WORD.test(text) ? text : placeholder;
}

/** A text with a style if the output is a terminal. */
export function styled(style: Style, text: string): string {
  return styleText(style, plainText(text));
}

/** A span of time as text, in the largest unit of which it has at least two: `119 s`, `3 h`. */
export function spanText(milliseconds: number): string {
  const units = [
    [DAY_MS, 'd'],
    [HOUR_MS, 'h'],
    [MINUTE_MS, 'min'],
  ] as const;
  const [unit, name] = units.find(([size]) => milliseconds >= 2 * size) ?? [1000, 's'];
  return `${Math.max(0, Math.floor(milliseconds / unit))} ${name}`;
}
