/** Characters that are not seen, or that change the order of others: they are named instead of obeyed. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const LINE_BREAK = '\n';
/** Texts are cut here. */
export const MAX_SHOWN = 300;

function named(character: string): string {
  if (character === LINE_BREAK) return character;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}

/** A text of somebody else: no character in it has an effect on what stands beside it. */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, named);
}

/** Like {@link visibleText}, cut in the middle if it is longer than {@link MAX_SHOWN} characters. */
export function shortText(text: string, max = MAX_SHOWN): string {
  const characters = [...visibleText(text)];
  if (characters.length <= max) return characters.join('');
  const half = Math.floor(max / 2);
  return `${characters.slice(0, half).join('')} … ${characters.slice(-half).join('')}`;
}
