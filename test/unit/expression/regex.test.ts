import { expect, it } from 'vitest';
import { compilePattern } from '#shared/core/expression/regex.ts';
import { CelError } from '#shared/core/expression/value.ts';

it.each(['[^a]', '(?i)[^a]', '\\PL', '(?i)\\PL'])(
  'a pattern has the states that a first text needs when it is compiled, so no row pays for them: %s',
  (pattern) => {
    const { matcher } = compilePattern(pattern);
    if (matcher instanceof CelError) throw new Error(matcher.text);
    const { dfa } = matcher.re2();
    const states = dfa.stateCount;
    expect(states).toBeGreaterThan(0);
    matcher.test('x');
    expect(dfa.stateCount).toBe(states);
  },
);
