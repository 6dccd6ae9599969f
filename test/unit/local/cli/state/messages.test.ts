import { expect, it } from 'vitest';
import { noState, olderState } from '#local/cli/state/messages.ts';

it('says in these words why a state file cannot be used', () => {
  expect([noState('there is no such file'), olderState('x.sqlite')]).toEqual([
    'there is no such file: name the file that starfold start was given with --state, or a deployment on AWS with --stage',
    'an older Starfold wrote x.sqlite: use that version of Starfold, or first start this version with the file',
  ]);
});
