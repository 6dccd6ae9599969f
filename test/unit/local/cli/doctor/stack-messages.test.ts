import { expect, it } from 'vitest';
import {
  credentialsInUse,
  FUNCTION_REMEDIES,
  functionMissing,
  functionReport,
  noAws,
  problemCount,
  STACK_REMEDIES,
  stackState,
} from '#local/cli/doctor/stack-messages.ts';

it('doctor says what is wrong with the credentials, the stack and its functions', () => {
  expect([
    noAws('give a region'),
    credentialsInUse('arn:aws:iam::1:user/o', 'eu-west-1'),
    stackState('starfold-prod', { status: 'DELETE_FAILED', reason: 'it is in use' }, '2026-11-20'),
    stackState('starfold-prod', { status: 'CREATE_COMPLETE', reason: '' }, '2026-11-20'),
    STACK_REMEDIES.changing,
    STACK_REMEDIES.rolledBack,
    STACK_REMEDIES.incomplete,
    functionMissing('f'),
    functionReport('f', {
      state: 'Failed',
      lastUpdate: 'Failed',
      changed: '2026',
      reason: 'no role',
    }),
    functionReport('f', { state: '', lastUpdate: '', changed: '2026', reason: '' }),
    FUNCTION_REMEDIES.deploy,
    FUNCTION_REMEDIES.preparing,
    problemCount(1, 0),
    problemCount(2, 1),
  ]).toEqual([
    {
      message:
        'starfold doctor checks a deployment on AWS. For an installation without AWS, starfold get wecs --state FILE (the state of starfold start), or --kubeconfig FILE (its API), shows which WECs report',
      remedy: 'for a deployment on AWS: give a region',
    },
    'arn:aws:iam::1:user/o in eu-west-1',
    'starfold-prod is DELETE_FAILED since 2026-11-20 (it is in use)',
    'starfold-prod is CREATE_COMPLETE since 2026-11-20',
    'it is being changed: wait until that is done',
    'the last update failed, and it runs as before; the events of the stack in the CloudFormation console give the reason',
    'it is not complete; the events of the stack in the CloudFormation console give the reason; then deploy it again',
    { message: 'f is missing', remedy: 'deploy it again (npm run serverless deploy)' },
    'f is Failed, last update Failed, changed 2026 (no role)',
    'f is in an unknown state, last update unknown, changed 2026',
    'deploy it again (npm run serverless deploy)',
    'it is being prepared: wait a minute',
    '1 problem, 0 warnings',
    '2 problems, 1 warning',
  ]);
});
