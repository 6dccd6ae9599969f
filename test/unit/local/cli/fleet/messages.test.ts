import { expect, it } from 'vitest';
import {
  moreFields,
  NO_DIFFERENCES,
  NO_UPSTREAM,
  NOT_A_DURATION,
  notReadYet,
  REJECTED,
  TWO_PLACES,
  unknownUpstream,
} from '#local/cli/fleet/messages.ts';

it('says what starfold fleet diff has found, and what is wrong with its options', () => {
  expect([
    NOT_A_DURATION,
    TWO_PLACES,
    NO_DIFFERENCES,
    REJECTED,
    moreFields(6),
    NO_UPSTREAM,
    unknownUpstream('rancher3', ['rancher1', 'rancher2']),
    notReadYet('rancher1'),
  ]).toEqual([
    'Write a duration such as 90s, 5m or 1h30m.',
    '--state is a file and --stage a deployment on AWS: give one of them',
    'No differences.\n',
    '(rejected)',
    '(6 more)',
    'no management cluster of Fleet has reported here: start its forwarder (docs/fleet.md), or check --state or --stage',
    '--upstream rancher3 has not reported here: check the name (known: rancher1, rancher2)',
    "rancher1 has not been read completely yet: wait until its forwarder has (starfold start and the forwarder's /readyz say what it waits for)",
  ]);
});
