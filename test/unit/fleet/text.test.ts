import { describe, expect, it } from 'vitest';
import { cutText } from '#shared/core/fleet/text.ts';

const FACE = '😀';

describe('a text that is cut', () => {
  it.each([
    ['whole when it just fits', 'shop/web12', 'shop/web12'],
    ['whole when it is empty', '', ''],
    ['cut with dots inside the limit when it is longer', 'shop/web123', 'shop/we...'],
    ['cut before a character that it would cut in two', `shop/w${FACE}1234`, 'shop/w...'],
    ['cut after a character that just fits', `shop/${FACE}12345`, `shop/${FACE}...`],
  ])('is %s', (_what, text, cut) => {
    expect(cutText(text, 10)).toBe(cut);
  });

  it('is not cut again to the same limit', () => {
    for (const text of ['x'.repeat(600), `${'x'.repeat(508)}${FACE.repeat(9)}`]) {
      const cut = cutText(text, 512);
      expect(cut.length).toBeLessThanOrEqual(512);
      expect(cutText(cut, 512)).toBe(cut);
    }
  });
});
