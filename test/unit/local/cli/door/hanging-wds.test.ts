import { expect, it } from 'vitest';
import { type Door, DoorUnavailableError } from '#local/cli/door/door.ts';
import { errorFromServer } from '#local/cli/door/messages.ts';
import { explanationByDoor } from '#local/cli/explain/explain-by-door.ts';
import { runQuery } from '#local/cli/query/run.ts';
import { noPermissionReview } from '#shared/api/messages.ts';
import { get, KeptTerminal } from '#test/unit/local/cli/get/got.ts';

const CAUSE = noPermissionReview('no answer within 10000 ms');
const ANSWER = { kind: 'Status', reason: 'ServiceUnavailable', message: CAUSE };

/** A door to a server whose WDS hangs. */
const door: Door = {
  name: 'https://api',
  ask: async () => ({
    code: 503,
    headers: {},
    body: (async function* () {
      yield JSON.stringify(ANSWER);
    })(),
  }),
  close: async () => undefined,
};

it.each<[string, () => Promise<unknown>]>([
  ['get', () => get(door, ['deployments'])],
  ['get of a word that names no resource', () => get(door, ['nothing-like-it'])],
  [
    'explain',
    () => explanationByDoor({ door, onWarning: () => undefined }, { text: 'deploy/web' }),
  ],
  [
    'query',
    () => {
      const { terminal } = new KeptTerminal();
      const options = { aggregated: [{ name: 'n', type: 'COUNT' }], output: 'table' } as const;
      return runQuery('deployments', options, {
        ...{ door, terminal },
        signal: new AbortController().signal,
      });
    },
  ],
])('starfold %s names the cause if the WDS hangs', async (_command, run) => {
  const failed = run();
  await expect(failed).rejects.toThrow(DoorUnavailableError);
  await expect(failed).rejects.toThrow(
    `https://api: ${errorFromServer('ServiceUnavailable', CAUSE)}`,
  );
});
