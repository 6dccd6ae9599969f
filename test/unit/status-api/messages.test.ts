import { describe, expect, it } from 'vitest';
import {
  decisionReason,
  invalidEscape,
  largeReport,
  neverValue,
  noneReturned,
  noRequirement,
  onlyOneWec,
  PART_OF_GROUPS,
  partOfGroups,
  targetsText,
  UNESCAPED_EQUALS,
  unknownSelectorField,
} from '#shared/core/status-api/messages.ts';

describe('the errors of selectors', () => {
  it.each([
    [noRequirement('a=b,wec', 'wec'), "invalid selector: 'a=b,wec'; can't understand 'wec'"],
    [unknownSelectorField('a', ['b', 'c']), 'field label not supported: a: the fields are b, c'],
    [invalidEscape('\\b'), 'invalid field selector: invalid escape sequence: \\b'],
    [UNESCAPED_EQUALS, 'invalid field selector: unescaped character in value: ='],
    [
      neverValue('a', 'x', ['b', 'c']),
      'invalid field selector: a is never "x": give b, c, or nothing after the sign',
    ],
  ])('%s', (message, words) => {
    expect(message).toBe(words);
  });
});

describe('the reason of a decision', () => {
  it.each([
    [
      decisionReason({ singleton: 0, multiWEC: 0 }, 0),
      'no Binding asks for status; 0 WECs qualify',
    ],
    [
      onlyOneWec(decisionReason({ singleton: 1, multiWEC: 0 }, 2)),
      '1 Binding asks for singleton status; 2 WECs qualify, and singleton status needs exactly one',
    ],
    [
      noneReturned(decisionReason({ singleton: 1, multiWEC: 2 }, 1)),
      '1 Binding asks for singleton status, 2 Bindings ask for multi-WEC status; 1 WEC qualifies, and none has returned a status',
    ],
    [targetsText(0, []), '0 targets'],
    [targetsText(1, ['1 Ready']), '1 target: 1 Ready'],
    [targetsText(3, ['1 Ready', '2 Modified']), '3 targets: 1 Ready, 2 Modified'],
  ])('%s', (message, words) => {
    expect(message).toBe(words);
  });
});

it('says how large a report is', () => {
  expect(largeReport(7)).toBe('the status has 7 bytes: too large to keep');
});

it('begins the remark about a part of the groups so that clients know it', () => {
  expect(partOfGroups(1)).toMatch(new RegExp(`^${PART_OF_GROUPS}1 row, `));
  expect(partOfGroups(3)).toMatch(new RegExp(`^${PART_OF_GROUPS}3 rows, `));
});
