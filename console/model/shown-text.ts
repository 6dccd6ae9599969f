import { characterName, UNSEEN } from '#shared/core/unseen-characters.ts';

/** A piece of a text: characters as they are, or the name of one that must not take effect. */
export type Piece = { readonly text: string } | { readonly code: string };

/** A text that is shown. */
export interface ShownText {
  readonly pieces: readonly Piece[];
  /** How many characters are not shown. */
  readonly left: number;
}

/** A longer text is only shown on demand. */
export const MAX_SHOWN = 2_000;

/**
 * A text from outside, in pieces. Characters that would move, hide or reorder what is shown are named instead.
 *
 * @param max how many UTF-16 code units are shown
 */
export function shownText(text: string, max = MAX_SHOWN): ShownText {
  const shown = text.slice(0, max);
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of shown.matchAll(UNSEEN)) {
    if (match.index > from) pieces.push({ text: shown.slice(from, match.index) });
    pieces.push({ code: characterName(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < shown.length) pieces.push({ text: shown.slice(from) });
  return { pieces, left: text.length - shown.length };
}

/** The same as plain text, for titles and labels. */
export function plainShown(text: string, max = MAX_SHOWN): string {
  return shownText(text, max)
    .pieces.map((piece) => ('text' in piece ? piece.text : `⟨${piece.code}⟩`))
    .join('');
}

/** The names of the characters of a text that cannot be seen, but for line breaks: each once. */
export function hiddenCharacters(text: string): readonly string[] {
  const found = text.replaceAll('\n', '').match(UNSEEN) ?? [];
  return [...new Set(found.map(characterName))];
}
