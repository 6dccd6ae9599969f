const CONTROL = /\p{Cc}+/gu;

/** External text without characters that control the terminal. A line break becomes a space too. */
export function plainText(text: string): string {
  return text.replaceAll(CONTROL, ' ');
}
