import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** What steers a terminal, or shows text in another order than it has: controls and formats, separators of lines. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
/** Of these a shell acts on none, wherever they stand. */
const WORD = /^[\w.:@/][\w.:@/-]*$/;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Text that comes from elsewhere, without what would steer the terminal. */
export function plain(text: string): string {
  return text.replaceAll(STEERING, ' ');
}

/** JSON text of the same meaning without what would steer the terminal: it stands as `\\u` escapes. */
export function plainJson(json: string): string {
  const escaped = (text: string): string =>
    Array.from(
      { length: text.length },
      (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join('');
  // JSON's own line breaks are outside of its texts, in which they are escaped already.
  return json.replaceAll(STEERING, (text) => (text === '\n' ? text : escaped(text)));
}

/**
 * A word of a command that an operator may paste: the text, or where a shell might act on it (`$(...)`, `;`, a space)
 * something that shows what to write there.
 */
export function shellWord(text: string, placeholder: string): string {
  return WORD.test(text) ? text : placeholder;
}

/** A text in a style where the output is a terminal. */
export function styled(style: Style, text: string): string {
  return styleText(style, plain(text));
}

/** A span of time in words, in the largest unit that it fills twice: `119 s`, `3 h`. */
export function spanText(milliseconds: number): string {
  const units = [
    [DAY_MS, 'd'],
    [HOUR_MS, 'h'],
    [MINUTE_MS, 'min'],
  ] as const;
  const [unit, name] = units.find(([size]) => milliseconds >= 2 * size) ?? [1000, 's'];
  return `${Math.max(0, Math.floor(milliseconds / unit))} ${name}`;
}

/** A number of things: `1 message`, `2 messages`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
