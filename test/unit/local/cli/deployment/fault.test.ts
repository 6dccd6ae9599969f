import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { explained, explainFault } from '#local/cli/deployment/fault.ts';
import {
  AN_ADDRESS,
  AWS_FAULTS,
  awsRejects,
  THIS_ACTION,
  YOUR_CREDENTIALS,
} from '#local/cli/deployment/messages.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
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
  it.each<[string, Given, string]>([
    [
      'no credentials',
      {
        name: 'CredentialsProviderError',
        message: 'Could not load credentials from any providers',
      },
      AWS_FAULTS.noCredentials('Could not load credentials from any providers'),
    ],
    [
      'a session of SSO that has ended',
      { name: 'TokenProviderError', message: 'Token is expired.' },
      AWS_FAULTS.noCredentials('Token is expired.'),
    ],
    ['an expired token', { name: 'ExpiredTokenException' }, AWS_FAULTS.expired],
    ['an expired token in the query protocol', { name: 'ExpiredToken' }, AWS_FAULTS.expired],
    [
      'an unknown key',
      { name: 'InvalidClientTokenId' },
      AWS_FAULTS.notAccepted('InvalidClientTokenId'),
    ],
    [
      'a wrong secret',
      { name: 'SignatureDoesNotMatch' },
      AWS_FAULTS.notAccepted('SignatureDoesNotMatch'),
    ],
    [
      'a denial',
      { name: 'AccessDenied', message: DENIED },
      AWS_FAULTS.denied('sqs:ReceiveMessage', 'arn:aws:sts::1:assumed-role/ops/me'),
    ],
    [
      'a denial without details',
      { name: 'AccessDeniedException', message: 'no' },
      AWS_FAULTS.denied(THIS_ACTION, YOUR_CREDENTIALS),
    ],
    ['throttling', { name: 'ThrottlingException' }, AWS_FAULTS.throttled],
    ['no region', { message: 'Region is missing' }, AWS_FAULTS.noRegion],
    [
      'an invalid region',
      { message: 'Region not accepted: region="a b" is not a valid hostname component.' },
      AWS_FAULTS.unknownRegion,
    ],
    [
      'an unknown host',
      { code: 'ENOTFOUND', hostname: 'sts.eu-wst-1.amazonaws.com' },
      AWS_FAULTS.silent('sts.eu-wst-1.amazonaws.com', 'ENOTFOUND'),
    ],
    [
      'a closed port',
      { name: 'AggregateError', code: 'ECONNREFUSED', address: '127.0.0.1' },
      AWS_FAULTS.silent('127.0.0.1', 'ECONNREFUSED'),
    ],
    [
      'an address that is not a URL',
      { name: 'TypeError', code: 'ERR_INVALID_URL', message: 'Invalid URL', input: 'notaurl' },
      AWS_FAULTS.noUrl('"notaurl"'),
    ],
    [
      'an address that is not a URL and is not known',
      { name: 'TypeError', code: 'ERR_INVALID_URL', message: 'Invalid URL' },
      AWS_FAULTS.noUrl(AN_ADDRESS),
    ],
    [
      'an answer of a different server',
      { name: 'NotFound', message: 'Unknown', $metadata: { httpStatusCode: 404 } },
      AWS_FAULTS.notAws(' (HTTP 404)'),
    ],
    [
      'an answer of a different server without a status',
      { name: 'Error', message: 'UnknownError' },
      AWS_FAULTS.notAws(''),
    ],
    ['a timeout', { name: 'TimeoutError' }, AWS_FAULTS.silent('AWS', 'TimeoutError')],
    [
      'any other rejection',
      { name: 'ValidationError', message: 'bad', $metadata: {} },
      awsRejects('ValidationError', 'bad'),
    ],
  ])('explains %s in one line', (_name, given, text) => {
    expect(explainFault(errorOf(given))).toBe(text);
  });

  it('explains the causes of the errors of adapters', () => {
    const cause = errorOf({
      name: 'AccessDeniedException',
      message: 'perform: dynamodb:Query on x',
    });
    const error = new StoreUnavailableError('Query', { cause });
    expect(explainFault(error)).toBe(AWS_FAULTS.denied('dynamodb:Query', YOUR_CREDENTIALS));
  });

  it('repeats the error of an adapter that has no cause', () => {
    expect(explainFault(new QueueUnavailableError('Send; allow it'))).toContain('Send; allow it');
  });

  it.each([new TypeError('x is undefined'), 'a text', undefined])(
    'does not explain a fault of the program: %s',
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
  ])(
    'does not change an error that is explained already, or a fault of the program: %s',
    async (error) => {
      await expect(explained(() => Promise.reject(error))).rejects.toBe(error);
    },
  );
});
