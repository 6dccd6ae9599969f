import { afterEach, beforeEach, expect, it } from 'vitest';
import { invalidPlace, noText, PLACE_FAULTS } from '#shared/adapters/parameters/messages.ts';
import { createStoredDocument } from '#shared/adapters/parameters/stored-document.ts';
import { StoredDocumentError } from '#shared/errors.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

let aws: HttpApiServer;

beforeEach(async () => {
  aws = await startHttpApiServer();
});
afterEach(() => aws.close());

function documentAt(place: string) {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = { endpoint: aws.url, credentials, maxAttempts: 1 };
  return createStoredDocument('notifications', place, { region: 'eu-west-1', client });
}

it('a document in Parameter Store is read with decryption, and cached', async () => {
  aws.answer = (_request, response) => json(response, { Parameter: { Value: 'rules: []' } });
  const document = documentAt('ssm:/starfold/notifications');
  expect(await document.read()).toBe('rules: []');
  expect(await document.read()).toBe('rules: []');
  expect(aws.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { Name: '/starfold/notifications', WithDecryption: true },
  ]);
});

it('a document in Secrets Manager is read', async () => {
  aws.answer = (_request, response) => json(response, { SecretString: 'rules: []' });
  expect(await documentAt('secretsmanager:starfold/notifications').read()).toBe('rules: []');
});

it('an error names the place, the fault and the remedy', async () => {
  aws.answer = (_request, response) => json(response, { __type: 'ParameterNotFound' }, 400);
  const reading = documentAt('ssm:/starfold/notifications').read();
  await expect(reading).rejects.toThrow(StoredDocumentError);
  await expect(reading).rejects.toThrow(
    'notifications ssm:/starfold/notifications (region eu-west-1): there is no such parameter in this region: make it, or correct the place or region',
  );
});

it('an empty document is an error', async () => {
  aws.answer = (_request, response) => json(response, { SecretString: ' ' });
  await expect(documentAt('secretsmanager:x').read()).rejects.toThrow(noText('notifications'));
});

it('a place of another form is an error', () => {
  expect(() => documentAt('s3:bucket')).toThrow(
    `notifications s3:bucket: ${invalidPlace(PLACE_FAULTS.noService)}`,
  );
});
