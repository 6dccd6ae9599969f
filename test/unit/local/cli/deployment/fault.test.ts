import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { InputError, UsageError } from '#local/cli/cli-error.ts';
import { explained, explainFault } from '#local/cli/deployment/fault.ts';
import { QueueUnavailableError, StoreUnavailableError } from '#shared/errors.ts';

interface Given {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly hostname?: string;
  readonly address?: string;
  readonly input?: string;
  readonly $metadata?: object;
}

function errorOf(given: Given): Error {
  return Object.assign(new Error(given.message ?? ''), given);
}

const DENIED =
  'User: arn:aws:sts::1:assumed-role/ops/me is not authorized to perform: sqs:ReceiveMessage on resource: arn:aws:sqs:eu-west-1:1:q because no identity-based policy allows it';

describe('explainFault', () => {
  it.each<[string, Given, RegExp]>([
    [
      'no credentials',
      {
        name: 'CredentialsProviderError',
        message: 'Could not load credentials from any providers',
      },
      /^no credentials for AWS \(Could not.*\): sign in .*AWS_PROFILE/,
    ],
    [
      'a session of SSO that has ended',
      { name: 'TokenProviderError', message: 'Token is expired.' },
      /^no credentials for AWS \(Token is expired\.\)/,
    ],
    [
      'an expired token',
      { name: 'ExpiredTokenException' },
      /^the credentials have expired: sign in again/,
    ],
    ['an expired token in the query protocol', { name: 'ExpiredToken' }, /have expired/],
    [
      'an unknown key',
      { name: 'InvalidClientTokenId' },
      /^AWS does not accept the credentials \(InvalidClientTokenId\)/,
    ],
    ['a wrong secret', { name: 'SignatureDoesNotMatch' }, /the clock of this machine/],
    [
      'a denial',
      { name: 'AccessDenied', message: DENIED },
      /^AWS denies sqs:ReceiveMessage to arn:aws:sts::1:assumed-role\/ops\/me: allow it; docs\/cli\.md/,
    ],
    [
      'a denial without details',
      { name: 'AccessDeniedException', message: 'no' },
      /^AWS denies this to the role or user/,
    ],
    ['throttling', { name: 'ThrottlingException' }, /try again/],
    ['no region', { message: 'Region is missing' }, /^no region: give --region/],
    [
      'a region that cannot be one',
      { message: 'Region not accepted: region="a b" is not a valid hostname component.' },
      /^this is no region/,
    ],
    [
      'an unknown host',
      { code: 'ENOTFOUND', hostname: 'sts.eu-wst-1.amazonaws.com' },
      /^sts\.eu-wst-1\.amazonaws\.com does not answer \(ENOTFOUND\): check the region/,
    ],
    [
      'a closed port',
      { name: 'AggregateError', code: 'ECONNREFUSED', address: '127.0.0.1' },
      /^127\.0\.0\.1 does not answer/,
    ],
    [
      'an address that is no URL',
      { name: 'TypeError', code: 'ERR_INVALID_URL', message: 'Invalid URL', input: 'notaurl' },
      /^"notaurl" is no URL: write AWS_ENDPOINT_URL .*http:\/\/127\.0\.0\.1:4566, or unset it$/,
    ],
    [
      'an address that is no URL and is not named',
      { name: 'TypeError', code: 'ERR_INVALID_URL', message: 'Invalid URL' },
      /^an address of AWS is no URL/,
    ],
    [
      'an answer of something else',
      { name: 'NotFound', message: 'Unknown', $metadata: { httpStatusCode: 404 } },
      /^what answers is no API of AWS \(HTTP 404\): check .*AWS_ENDPOINT_URL/,
    ],
    [
      'an answer of something else without a status',
      { name: 'Error', message: 'UnknownError' },
      /^what answers is no API of AWS: check/,
    ],
    ['a timeout', { name: 'TimeoutError' }, /^AWS does not answer \(TimeoutError\)/],
    [
      'another refusal',
      { name: 'ValidationError', message: 'bad', $metadata: {} },
      /^AWS refuses: ValidationError: bad$/,
    ],
  ])('explains %s in one line', (_name, given, text) => {
    expect(explainFault(errorOf(given))).toMatch(text);
  });

  it('looks behind the errors of the adapters', () => {
    const cause = errorOf({
      name: 'AccessDeniedException',
      message: 'perform: dynamodb:Query on x',
    });
    const error = new StoreUnavailableError('Query', { cause });
    expect(explainFault(error)).toContain('AWS denies dynamodb:Query');
  });

  it('says what the adapters say where nothing is behind it', () => {
    expect(explainFault(new QueueUnavailableError('Send; allow it'))).toContain('Send; allow it');
  });

  it.each([new TypeError('x is undefined'), 'a text', undefined])(
    'does not explain away a fault of the program: %s',
    (error) => {
      expect(explainFault(error)).toBeUndefined();
    },
  );
});

describe('explained', () => {
  it('returns what comes out', async () => {
    expect(await explained(async () => 1)).toBe(1);
  });

  it('makes bad input of what goes wrong with AWS', async () => {
    const cause = errorOf({ name: 'ExpiredToken' });
    const failing = explained(() => Promise.reject(cause));
    await expect(failing).rejects.toBeInstanceOf(InputError);
    await expect(failing).rejects.toMatchObject({ cause });
  });

  it.each([
    new InputError('bad'),
    new UsageError('wrong'),
    new CommanderError(1, 'code', 'told'),
    new TypeError('fault'),
  ])('leaves what is told already, and faults of the program: %s', async (error) => {
    await expect(explained(() => Promise.reject(error))).rejects.toBe(error);
  });
});
