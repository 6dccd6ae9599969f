import { expect, it } from 'vitest';
import { askJson, pathOf, RefusedError, warningsOf } from '#local/cli/door/ask-json.ts';
import { type Door, DoorUnavailableError } from '#local/cli/door/door.ts';
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
  [403, failure('Forbidden'), /^Error from server \(Forbidden\): the Forbidden$/],
  [
    404,
    failure('NotFound', { details: { name: 'a' } }),
    /^Error from server \(NotFound\): the NotF/,
  ],
  [
    404,
    '404 page not found\n',
    /^https:\/\/api does not serve status.starfold.dev\/v1alpha1: name /,
  ],
  [
    401,
    failure('Unauthorized'),
    /^https:\/\/api does not accept the credentials \(.*\): check the /,
  ],
  [418, 'a teapot', /^Error from server: a teapot$/],
  [504, failure('Timeout', { causes: ['ResourceVersionTooLarge'] }), /the Timeout/],
])('an answer of %d with %s is an error that no retry helps', async (code, text, message) => {
  const answer = ask(answering(code, text));
  await expect(answer).rejects.toThrow(RefusedError);
  await expect(answer).rejects.toThrow(message);
});

it.each([429, 500, 503, 504])('a retry may help an answer of %d', async (code) => {
  const answer = ask(answering(code, failure('Timeout')));
  await expect(answer).rejects.toThrow(DoorUnavailableError);
  await expect(answer).rejects.toThrow(
    /^https:\/\/api: Error from server \(Timeout\): the Timeout$/,
  );
});

it('names the resource that an older server does not serve', async () => {
  const door = doorOver(new FakeStatusSource());
  for (const collection of [{ plural: 'newthings', namespace: 'shop' }, { plural: 'newthings' }])
    await expect(ask(door, pathOf(collection, 'a:b'))).rejects.toThrow(
      'memory does not serve newthings: update Starfold there',
    );
});

it.each(['[]', 'x', ''])('does not take %j for an answer of the API', async (text) => {
  await expect(ask(answering(200, text))).rejects.toThrow(/not that of an API of Kubernetes/);
});

it('reads warnings', () => {
  const warning = '299 - "a, \\"b\\"", 299 starfold "c"';
  expect(warningsOf({ headers: { warning } })).toEqual(['a, "b"', 'c']);
  expect(warningsOf({ headers: {} })).toEqual([]);
});
