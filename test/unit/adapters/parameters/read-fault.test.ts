import { describe, expect, it } from 'vitest';
import {
  invalidCredentials,
  NO_REGION,
  noAddress,
  notAnswered,
} from '#shared/adapters/parameters/messages.ts';
import { readFaultOf } from '#shared/adapters/parameters/read-fault.ts';

const SECRET = { service: 'secretsmanager', id: 'wds1' } as const;

function error(name: string, message: string, members: object = {}): Error {
  return Object.assign(new Error(message), { name, ...members });
}

describe('without an answer, the fault is', () => {
  it.each([
    [
      'an unknown region',
      error('Error', 'getaddrinfo ENOTFOUND secretsmanager.eu-wst-1.amazonaws.com', {
        code: 'ENOTFOUND',
      }),
      'unavailable',
      noAddress('Secrets Manager', 'getaddrinfo ENOTFOUND secretsmanager.eu-wst-1.amazonaws.com'),
    ],
    ['no region', error('Error', 'Region is missing'), 'unavailable', NO_REGION],
    [
      'no name but a code',
      error('Error', '', { code: 'ECONNRESET' }),
      'unavailable',
      notAnswered('Secrets Manager', 'ECONNRESET'),
    ],
    [
      'only a name',
      error('TimeoutError', ''),
      'unavailable',
      notAnswered('Secrets Manager', 'TimeoutError'),
    ],
    [
      'no credentials',
      error('CredentialsProviderError', 'Could not load credentials'),
      'aws-credentials',
      invalidCredentials('CredentialsProviderError'),
    ],
  ])('%s', (...[_case, thrown, fault, message]) => {
    const found = readFaultOf(thrown, SECRET);
    expect(found.fault).toBe(fault);
    expect(found.faultAndRemedy).toBe(message);
  });
});

it('what is wrapped counts for what it is', () => {
  const wrapped = new Error('outer', { cause: error('ParameterNotFound', 'none') });
  expect(readFaultOf(wrapped, { service: 'ssm', id: 'wds1' }).fault).toBe('missing');
});

it('the words of AWS are cut to a sane length', () => {
  const long = error('AccessDeniedException', 'x'.repeat(10_000), {
    $metadata: { httpStatusCode: 400 },
  });
  expect(readFaultOf(long, SECRET).faultAndRemedy.length).toBeLessThan(1000);
});
