import { expect, it } from 'vitest';
import { askJson, pathOf, RefusedError, warningsOf } from '#local/cli/door/ask-json.ts';
import { type Door, DoorUnavailableError } from '#local/cli/door/door.ts';
import {
  credentialsRefused,
  errorFromServer,
  NOT_SERVED_REMEDIES,
  noApi,
  notOfKubernetes,
  notServed,
} from '#local/cli/door/messages.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { doorOver } from '../get/got.ts';

/** A door to a server that answers everything in the same way. */
function answering(code: number, text: string): Door {
  return {
    name: 'https://api',
    ask: async () => ({
      ...{ code, headers: {} },
      body: (async function* () {
        yield text;
      })(),
    }),
    close: async () => undefined,
  };
}

function failure(reason: string, more: object = {}): string {
  return stringifyJson({ kind: 'Status', reason, message: `the ${reason}`, ...more });
}

function ask(door: Door, path = pathOf({ plural: 'wecs' })) {
  return askJson(door, { method: 'GET', path }, () => undefined);
}

it.each([
  [403, failure('Forbidden'), errorFromServer('Forbidden', 'the Forbidden')],
  [
    404,
    failure('NotFound', { details: { name: 'a' } }),
    errorFromServer('NotFound', 'the NotFound'),
  ],
  [404, '404 page not found\n', noApi('https://api', undefined)],
  [
    401,
    failure('Unauthorized'),
    credentialsRefused('https://api', errorFromServer('Unauthorized', 'the Unauthorized')),
  ],
  [418, 'a teapot', errorFromServer('', 'a teapot')],
  [
    504,
    failure('Timeout', { causes: ['ResourceVersionTooLarge'] }),
    errorFromServer('Timeout', 'the Timeout'),
  ],
])('an answer of %d with %s is an error that no retry helps', async (code, text, message) => {
  await expect(ask(answering(code, text))).rejects.toThrow(new RefusedError(code, message));
});

it.each([429, 500, 503, 504])('a retry may help an answer of %d', async (code) => {
  const answer = ask(answering(code, failure('Timeout')));
  await expect(answer).rejects.toThrow(DoorUnavailableError);
  await expect(answer).rejects.toThrow(
    new DoorUnavailableError(`https://api: ${errorFromServer('Timeout', 'the Timeout')}`),
  );
});

it('names the resource that an older server does not serve', async () => {
  const door = doorOver(new FakeStatusSource());
  for (const collection of [{ plural: 'newthings', namespace: 'shop' }, { plural: 'newthings' }])
    await expect(ask(door, pathOf(collection, 'a:b'))).rejects.toThrow(
      notServed('memory', 'newthings', NOT_SERVED_REMEDIES.older),
    );
});

it.each(['[]', 'x', ''])('does not take %j for an answer of the API', async (text) => {
  await expect(ask(answering(200, text))).rejects.toThrow(notOfKubernetes('https://api'));
});

it('reads warnings', () => {
  const warning = '299 - "a, \\"b\\"", 299 starfold "c"';
  expect(warningsOf({ headers: { warning } })).toEqual(['a, "b"', 'c']);
  expect(warningsOf({ headers: {} })).toEqual([]);
});
