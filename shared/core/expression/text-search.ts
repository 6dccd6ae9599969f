/** Up to this length, the engine's own search takes a bounded time for each character of the text. */
const SHORT = 64;

/** How many units at the end of a text match after another unit, if `matched` units matched before it. */
type Extend = (matched: number, unit: number) => number;

function extender(part: string, borders: Int32Array): Extend {
  return (matched, unit) => {
    let length = matched;
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1] as number; // length is within the part
    return part.charCodeAt(length) === unit ? length + 1 : length;
  };
}

/** For each prefix of a text, finds the longest shorter prefix that is also its suffix (Knuth, Morris, Pratt). */
function extenderOf(part: string): Extend {
  const borders = new Int32Array(part.length);
  const extend = extender(part, borders);
  let length = 0;
  for (let i = 1; i < part.length; i++) {
    length = extend(length, part.charCodeAt(i));
    borders[i] = length;
  }
  return extend;
}

/** Whether a text contains another. The time grows with the sum of their lengths, for any texts. */
export function containsText(text: string, part: string): boolean {
  if (part.length <= SHORT) return text.includes(part);
  if (part.length > text.length) return false;
  const extend = extenderOf(part);
  let matched = 0;
  for (let i = 0; i < text.length && matched < part.length; i++)
    matched = extend(matched, text.charCodeAt(i));
  return matched === part.length;
}
