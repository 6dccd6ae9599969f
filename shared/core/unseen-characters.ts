/**
 * The characters of external texts that must have no effect where a text is shown: controls and line breaks, characters that change
 * the order of others (such as U+202E; Unicode Standard Annex #9), that join them, have no width or are blank, and halves of
 * surrogate pairs.
 */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The name of one character, such as `U+202E`. */
export function characterName(character: string): string {
  return `U+${Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0')}`;
}
