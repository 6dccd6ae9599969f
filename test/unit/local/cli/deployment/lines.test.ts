import { describe, expect, it } from 'vitest';
import { plainJson, shellWord } from '#local/cli/deployment/lines.ts';

/** Escape, C1 control, right-to-left override, isolate, separators of lines, a tag beyond the first plane. */
const STEERING = ['\u001b', '\u009b', '\u202e', '\u2066', '\u2028', '\u2029', '\u{e0041}'];

describe('text from elsewhere', () => {
  it.each(STEERING)('keeps its meaning as JSON: %j', (character) => {
    const value = { text: `a${character}\n${character}b` };
    const json = plainJson(`${JSON.stringify(value, undefined, 2)}\n`);
    expect(json).not.toContain(character);
    expect(JSON.parse(json)).toEqual(value);
    expect(json.split('\n')).toHaveLength(4);
  });

  it.each(['wec/cluster1', 'AROAEXAMPLE', 'a.b_c:d@e-f'])('is a word of a command: %s', (text) => {
    expect(shellWord(text, 'NAME')).toBe(text);
  });

  it.each(['', '-x', 'a b', '$(x)', 'a;b', 'a|b', 'a\nb', '~', '*', 'ü', '\u202e'])(
    'is not part of a command if a shell or the command might interpret it: %j',
    (text) => {
      expect(shellWord(text, 'NAME')).toBe('NAME');
    },
  );
});
