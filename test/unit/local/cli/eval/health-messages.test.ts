import { expect, it } from 'vitest';
import { NO_RULE, silentSince } from '#local/cli/eval/health-messages.ts';

it('says in these words that there is no verdict, or an old one', () => {
  expect([NO_RULE, silentSince(''), silentSince('2026-11-21T11:50:00Z')]).toEqual([
    '(no rule)',
    'silent',
    'silent since 2026-11-21T11:50:00Z',
  ]);
});
