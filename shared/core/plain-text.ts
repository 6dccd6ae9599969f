import { UNSEEN } from './unseen-characters.ts';

/** Controls and separators of lines. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Halves of surrogate pairs. */
const HALVES = /\p{Cs}/gu;

/**
 * External text on one line, without characters that control the terminal, change the order of other characters or cannot be
 * seen. A run of controls, line breaks among them, becomes a space. Half of a surrogate pair becomes U+FFFD. An emoji of several
 * parts falls into them.
 */
export function plainText(text: string): string {
  return text.replaceAll(HALVES, '\uFFFD').replaceAll(BREAKS, ' ').replaceAll(UNSEEN, '');
}
