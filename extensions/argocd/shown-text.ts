import { characterName, UNSEEN } from '#shared/core/unseen-characters.ts';

const LINE_BREAK = '\n';
/** Texts are cut here. */
export const MAX_SHOWN = 300;

function named(character: string): string {
  return character === LINE_BREAK ? character : `⟨${characterName(character)}⟩`;
}

/** A text of somebody else: no character in it has an effect on what stands beside it. */
export function visibleText(text: string): string {
  return text.replaceAll(UNSEEN, named);
}

/** Like {@link visibleText}, cut in the middle if it is longer than {@link MAX_SHOWN} characters. */
export function shortText(text: string, max = MAX_SHOWN): string {
  const characters = [...visibleText(text)];
  if (characters.length <= max) return characters.join('');
  const half = Math.floor(max / 2);
  return `${characters.slice(0, half).join('')} … ${characters.slice(-half).join('')}`;
}
