import { expect, it } from 'vitest';
import {
  isAccount,
  isSession,
  NO_PRINCIPAL,
  NOT_A_SOURCE,
  notAnArn,
  notAnId,
  notInAccount,
  TWO_PRINCIPALS,
} from '#local/cli/register/principal-messages.ts';

it('says what is wrong with a source and a principal', () => {
  expect([
    NOT_A_SOURCE,
    notAnArn('forwarder'),
    notAnId('arn:aws:iam::1:role/a'),
    notInAccount('arn:aws:iam::1:role/a', { account: '1', type: 'role', name: 'a' }),
    notInAccount('arn:aws:iam::1:user/b', { account: '1', type: 'user', name: 'b' }),
    TWO_PRINCIPALS,
    NO_PRINCIPAL,
    isSession('AROAX:s', 'AROAX'),
    isAccount('111122223333:fwd', '111122223333'),
  ]).toEqual([
    "Write wec/NAME, wds/NAME or fleet/NAME, with the name that the forwarder uses: 1 to 253 letters, digits and . _ : @ -; or 'wec/*' for the forwarder of an ITS, which reports every WEC",
    '--role: forwarder is not the ARN of a role or user, such as arn:PARTITION:iam::111122223333:role/forwarder (PARTITION: aws, aws-cn or aws-us-gov); a unique identifier goes with --principal',
    '--principal: arn:aws:iam::1:role/a is not a unique identifier, such as AROAEXAMPLE1234567890; an ARN goes with --role',
    'the account of these credentials has no arn:aws:iam::1:role/a: if account 1 is a different one, find out the unique identifier there (aws iam get-role --role-name a --query Role.RoleId) and give it with --principal',
    'the account of these credentials has no arn:aws:iam::1:user/b: if account 1 is a different one, find out the unique identifier there (aws iam get-user --user-name b --query User.UserId) and give it with --principal',
    'give --role or --principal, not both',
    'the principal that may report it is missing: give --role ARN or --principal ID',
    '--principal: AROAX:s is one session, but a registration is for the whole role: give --principal AROAX if every session of it may report',
    '--principal: 111122223333:fwd is every federated user of account 111122223333, and its root user: let the forwarder send as a role or user of its own, and give that',
  ]);
});
