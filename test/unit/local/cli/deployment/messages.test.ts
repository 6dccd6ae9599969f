import { expect, it } from 'vitest';
import {
  AN_ADDRESS,
  AWS_FAULTS,
  awsRejects,
  existingStages,
  noOutput,
  noStack,
  THIS_ACTION,
  YOUR_CREDENTIALS,
} from '#local/cli/deployment/messages.ts';

it('says what is wrong between the operator and AWS, and with a deployment', () => {
  expect([
    AWS_FAULTS.noCredentials('none found'),
    AWS_FAULTS.expired,
    AWS_FAULTS.notAccepted('InvalidClientTokenId'),
    AWS_FAULTS.denied('sqs:SendMessage', 'arn:aws:iam::1:user/o'),
    AWS_FAULTS.denied(THIS_ACTION, YOUR_CREDENTIALS),
    AWS_FAULTS.throttled,
    AWS_FAULTS.noUrl(AN_ADDRESS),
    AWS_FAULTS.silent('sts.example', 'ENOTFOUND'),
    AWS_FAULTS.noRegion,
    AWS_FAULTS.unknownRegion,
    AWS_FAULTS.notAws(' (HTTP 404)'),
    awsRejects('ValidationError', 'bad'),
    noStack('starfold-test', 'eu-west-1', existingStages(['dev', 'prod'])),
    noStack('starfold-test', 'eu-west-1', existingStages([])),
    noStack('starfold-test', 'eu-west-1', ''),
    noOutput('starfold-test', 'UPDATE_COMPLETE', 'TableName'),
  ]).toEqual([
    'no credentials for AWS (none found): sign in (aws sso login), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    'the credentials have expired: sign in again (aws sso login), or get a new session of the role',
    'AWS does not accept the credentials (InvalidClientTokenId): check the access key and its secret, the session token, and the clock of this machine',
    'AWS denies sqs:SendMessage to arn:aws:iam::1:user/o: allow it; docs/cli.md lists what an operator needs',
    'AWS denies this to the role or user of your credentials: allow it; docs/cli.md lists what an operator needs',
    'AWS throttles: retry in a moment',
    'an address of AWS is not a URL: write AWS_ENDPOINT_URL (or endpoint_url of the AWS profile) as a complete one, such as http://127.0.0.1:4566, or unset it',
    'sts.example does not answer (ENOTFOUND): check the region (--region), the network, and AWS_ENDPOINT_URL if it is set',
    'no region: give --region, or set AWS_REGION, or a region in the AWS profile',
    'this is not a region of AWS: give one such as eu-west-1 (--region)',
    'the answer is not from an API of AWS (HTTP 404): check the network (a proxy?), and AWS_ENDPOINT_URL if it is set: write AWS_ENDPOINT_URL (or endpoint_url of the AWS profile) as a complete one, such as http://127.0.0.1:4566, or unset it',
    'AWS rejects the request: ValidationError: bad',
    'there is no stack starfold-test in eu-west-1 (stages here: dev, prod): check --stage and --region, or deploy it (npm run serverless deploy)',
    'there is no stack starfold-test in eu-west-1 (there is no stack of Starfold here): check --stage and --region, or deploy it (npm run serverless deploy)',
    'there is no stack starfold-test in eu-west-1: check --stage and --region, or deploy it (npm run serverless deploy)',
    'stack starfold-test (UPDATE_COMPLETE) has no output TableName: deploy it again with this version (npm run serverless deploy)',
  ]);
});
