import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  KUBECONFIG_ACTIONS,
  KUBECONFIG_KEY_ACTIONS,
  parseKubeconfigLocations,
} from '#shared/adapters/parameters/kubeconfig-locations.ts';
import { createKubeconfigSource } from '#shared/adapters/parameters/kubeconfig-source.ts';
import {
  BINARY,
  EMPTY,
  invalidCredentials,
  markedForDeletion,
  notAllowed,
  notDecrypted,
  nothingThere,
  rejectedRequest,
  serviceFails,
  throttled,
} from '#shared/adapters/parameters/messages.ts';
import { UnknownWdsError, WdsCredentialsError } from '#shared/errors.ts';
import type { KubeconfigSource } from '#shared/ports/kubeconfig-source.ts';
import { type HttpApiServer, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:wds2-AbCdEf';
const PLACES = parseKubeconfigLocations(
  JSON.stringify({
    wds1: 'secretsmanager:starfold/wds1',
    wds2: `secretsmanager:${SECRET_ARN}`,
    wds3: 'ssm:/starfold/wds3',
  }),
);

let aws: HttpApiServer;
let source: KubeconfigSource;

function sourceAt(endpoint: string, requestTimeout = 10_000): KubeconfigSource {
  return createKubeconfigSource(PLACES, {
    region: 'eu-west-1',
    client: {
      endpoint,
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' },
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: 10_000,
        requestTimeout,
        throwOnRequestTimeout: true,
      },
    },
  });
}

beforeEach(async () => {
  aws = await startHttpApiServer();
  source = sourceAt(aws.url);
});

afterEach(() => aws.close());

/** Answers in the protocol of both services, AWS JSON 1.1. */
function answer(response: ServerResponse, value: unknown, code = 200): void {
  response.writeHead(code, { 'Content-Type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(value));
}

function answerWith(value: unknown, code = 200): void {
  aws.answer = (_request, response) => answer(response, value, code);
}

function refuse(type: string, message: string, code = 400): void {
  answerWith({ __type: type, message, Message: message }, code);
}

async function failure(wds: string): Promise<WdsCredentialsError> {
  const error = await source.read(wds, { fresh: true }).catch((thrown: unknown) => thrown);
  if (error instanceof WdsCredentialsError) return error;
  throw new Error('it was read, or failed otherwise', { cause: error });
}

describe('a kubeconfig', () => {
  it('is read from Secrets Manager by name', async () => {
    answerWith({ SecretString: 'kubeconfig of wds1' });
    expect(await source.read('wds1', { fresh: false })).toBe('kubeconfig of wds1');
    const [request] = aws.requests;
    expect(request?.headers['x-amz-target']).toBe('secretsmanager.GetSecretValue');
    expect(request?.headers.authorization).toContain('/eu-west-1/secretsmanager/');
    expect(JSON.parse(request?.body ?? '')).toEqual({ SecretId: 'starfold/wds1' });
  });

  it('is read from Secrets Manager in the region of its ARN', async () => {
    answerWith({ SecretString: 'kubeconfig of wds2' });
    expect(await source.read('wds2', { fresh: false })).toBe('kubeconfig of wds2');
    expect(aws.requests[0]?.headers.authorization).toContain('/us-east-1/secretsmanager/');
    expect(JSON.parse(aws.requests[0]?.body ?? '')).toEqual({ SecretId: SECRET_ARN });
  });

  it('is read from Parameter Store, decrypted', async () => {
    answerWith({ Parameter: { Value: 'kubeconfig of wds3' } });
    expect(await source.read('wds3', { fresh: false })).toBe('kubeconfig of wds3');
    expect(aws.requests[0]?.headers['x-amz-target']).toBe('AmazonSSM.GetParameter');
    expect(JSON.parse(aws.requests[0]?.body ?? '')).toEqual({
      Name: '/starfold/wds3',
      WithDecryption: true,
    });
  });

  it.each(['wds1', 'wds3'])('of %s is kept, and read again when it shall be fresh', async (wds) => {
    let version = 0;
    aws.answer = (_request, response) => {
      version += 1;
      const text = `version ${version}`;
      answer(response, { SecretString: text, Parameter: { Value: text } });
    };
    expect(await source.read(wds, { fresh: false })).toBe('version 1');
    expect(await source.read(wds, { fresh: false })).toBe('version 1');
    expect(await source.read(wds, { fresh: true })).toBe('version 2');
    expect(await source.read(wds, { fresh: false })).toBe('version 2');
  });

  it('has its place as text, with the region if it is known', () => {
    expect(Object.fromEntries(source.locations)).toEqual({
      wds1: 'secretsmanager:starfold/wds1 (region eu-west-1)',
      wds2: `secretsmanager:${SECRET_ARN} (region us-east-1)`,
      wds3: 'ssm:/starfold/wds3 (region eu-west-1)',
    });
    const places = parseKubeconfigLocations('{"wds1":"ssm:a"}');
    expect(createKubeconfigSource(places).locations.get('wds1')).toBe('ssm:a');
  });

  it('of a WDS without a place is not known', async () => {
    const error = await source.read('wds9', { fresh: false }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnknownWdsError);
    expect(String(error)).toMatch(
      /wds9 is not registered: add it.*\(registered: wds1, wds2, wds3\)/,
    );
  });
});

describe('a kubeconfig that cannot be read says the WDS, the place, the region and the remedy', () => {
  const noKey = (thing: string, reason: string): string =>
    notDecrypted({ thing, actions: KUBECONFIG_KEY_ACTIONS }, reason);
  const KMS_OF_SSM =
    'The ciphertext refers to a customer master key that does not exist, does not exist in this region, or you are not allowed to access.';
  it.each([
    [
      'wds1',
      'ResourceNotFoundException',
      'no secret',
      'missing',
      nothingThere('secret', 'no secret'),
    ],
    [
      'wds1',
      'InvalidRequestException',
      'it was marked for deletion',
      'missing',
      markedForDeletion('secret'),
    ],
    [
      'wds1',
      'InvalidRequestException',
      'not allowed in this state',
      'refused-by-aws',
      rejectedRequest('InvalidRequestException: not allowed in this state'),
    ],
    ['wds3', 'ParameterNotFound', 'none', 'missing', nothingThere('parameter', 'none')],
    [
      'wds3',
      'ParameterVersionNotFound',
      'no version 3',
      'missing',
      nothingThere('parameter', 'no version 3'),
    ],
    [
      'wds1',
      'AccessDeniedException',
      'User x',
      'denied',
      notAllowed({ thing: 'secret', actions: KUBECONFIG_ACTIONS.secretsmanager }, 'User x'),
    ],
    [
      'wds3',
      'AccessDeniedException',
      'User x',
      'denied',
      notAllowed({ thing: 'parameter', actions: KUBECONFIG_ACTIONS.ssm }, 'User x'),
    ],
    [
      'wds1',
      'AccessDeniedException',
      'Access to KMS is not allowed',
      'decryption',
      noKey('secret', 'Access to KMS is not allowed'),
    ],
    ['wds1', 'DecryptionFailure', 'wrong key', 'decryption', noKey('secret', 'wrong key')],
    ['wds3', 'AccessDeniedException', KMS_OF_SSM, 'decryption', noKey('parameter', KMS_OF_SSM)],
    [
      'wds3',
      'InvalidKeyId',
      'key is disabled',
      'decryption',
      noKey('parameter', 'key is disabled'),
    ],
    [
      'wds1',
      'ExpiredTokenException',
      'expired',
      'aws-credentials',
      invalidCredentials('ExpiredTokenException'),
    ],
    [
      'wds3',
      'UnrecognizedClientException',
      'invalid',
      'aws-credentials',
      invalidCredentials('UnrecognizedClientException'),
    ],
    [
      'wds1',
      'ThrottlingException',
      'Rate',
      'unavailable',
      throttled('Secrets Manager', 'ThrottlingException'),
    ],
    [
      'wds3',
      'TooManyRequestsException',
      'Rate',
      'unavailable',
      throttled('Parameter Store', 'TooManyRequestsException'),
    ],
    [
      'wds3',
      'ValidationException',
      'a bad name',
      'refused-by-aws',
      rejectedRequest('ValidationException: a bad name'),
    ],
  ])('%s: %s (%s)', async (...[wds, type, message, fault, expected]) => {
    refuse(type, message);
    const error = await failure(wds);
    expect(error).toMatchObject({ wds, fault, retryable: true, code: 'wds-credentials' });
    expect(error.message).toContain(
      `WDS ${wds}: kubeconfig in ${source.locations.get(wds)}: ${expected}`,
    );
  });

  it('fails inside of the service', async () => {
    refuse('InternalServiceError', 'sorry', 500);
    const error = await failure('wds1');
    expect(error.fault).toBe('unavailable');
    expect(error.message).toContain(serviceFails('Secrets Manager', 'InternalServiceError'));
  });

  it('is not answered in time', async () => {
    aws.answer = () => undefined;
    source = sourceAt(aws.url, 50);
    const error = await failure('wds1');
    expect(error.fault).toBe('unavailable');
    expect(error.message).toMatch(/Secrets Manager did not answer.*VPC endpoint/);
  });

  it('cannot be asked for', async () => {
    source = sourceAt('http://127.0.0.1:9');
    const error = await failure('wds3');
    expect(error.fault).toBe('unavailable');
    expect(error.message).toMatch(/Parameter Store did not answer \(.*ECONNREFUSED.*\)/);
  });

  it('is binary', async () => {
    answerWith({ SecretBinary: btoa('kubeconfig') });
    const error = await failure('wds1');
    expect(error.fault).toBe('binary');
    expect(error.message).toContain(BINARY);
  });

  it.each([
    ['wds1', { SecretString: '' }],
    ['wds1', { SecretString: ' \n' }],
    ['wds1', {}],
    ['wds3', { Parameter: {} }],
  ])('%s is empty: %j', async (wds, value) => {
    answerWith(value);
    const error = await failure(wds);
    expect(error.fault).toBe('empty');
    expect(error.message).toContain(EMPTY);
  });

  it('can be read once the fault is corrected', async () => {
    refuse('ResourceNotFoundException', 'none');
    await failure('wds1');
    answerWith({ SecretString: 'kubeconfig' });
    expect(await source.read('wds1', { fresh: false })).toBe('kubeconfig');
  });
});
