import { expect, it } from 'vitest';
import {
  allReporting,
  EMPTY_REQUIREMENT,
  neverReportedWec,
  noRequirementText,
  notReporting,
  notSelectableValue,
  silentSince,
} from '#shared/core/binding/messages.ts';

it.each([
  [allReporting(1), '1 WEC reporting'],
  [allReporting(2), '2 WECs reporting'],
  [notReporting(1, 1, neverReportedWec('a')), '1 of 1 WEC not reporting: a (never reported)'],
  [notReporting(2, 3, silentSince('a')), '2 of 3 WECs not reporting: a (silent)'],
  [silentSince('a', '2026-11-25T10:00:00Z'), 'a (silent since 2026-11-25T10:00:00Z)'],
  [EMPTY_REQUIREMENT, 'a requirement is empty; remove the comma that has nothing beside it'],
  [
    noRequirementText('a=('),
    'a=( is not a requirement; write one such as a=b, a!=b, a in (b, c), a, !a or a>1 with a whole number',
  ],
  [
    notSelectableValue('_b'),
    '_b is not a valid label value; write at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends',
  ],
])('the sentence is: %s', (text, sentence) => {
  expect(text).toBe(sentence);
});
