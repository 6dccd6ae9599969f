import { describe, expect, it } from 'vitest';
import { smallestChoice } from '#shared/core/status/smallest-choice.ts';

const names = Array.from({ length: 12 }, (_none, index) => `wec${10 + index}`);

function atLeast(count: number) {
  return (chosen: readonly string[]) => chosen.length >= count;
}

describe('the smallest choice of WECs', () => {
  it('leaves out the WECs that are not needed', () => {
    expect(smallestChoice(names, [names.slice(0, 5)], atLeast(3))).toEqual(names.slice(0, 3));
  });

  it('names no WECs if more than ten of them decide', () => {
    expect(smallestChoice(names, [names.slice(0, 11)], atLeast(10))).toEqual(names.slice(0, 10));
    expect(smallestChoice(names, [names.slice(0, 11)], atLeast(11))).toBeUndefined();
  });

  it('tries every choice among few WECs', () => {
    const few = names.slice(0, 4);
    expect(smallestChoice(few, [], (chosen) => chosen.includes('wec12'))).toEqual(['wec12']);
    expect(smallestChoice(names, [], (chosen) => chosen.includes('wec12'))).toBeUndefined();
  });
});
