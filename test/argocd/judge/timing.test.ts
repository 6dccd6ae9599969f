import { beforeAll, expect, it } from 'vitest';
import { timeArgoCd } from '#test/bench/peers/argocd.ts';
import { recordedEvents } from '#test/property/status/recordings.ts';
import { judgeFolder } from './judge.ts';

const BUILD_TIMEOUT_MS = 40 * 60_000;
const OBJECTS = recordedEvents('deployment-rollout', 'Deployment').map(({ object }) => object);
let folder = '';
beforeAll(async () => {
  folder = await judgeFolder();
}, BUILD_TIMEOUT_MS);

it('Argo CD itself is timed on recorded objects', async () => {
  expect(OBJECTS.length).toBeGreaterThan(10);
  expect(await timeArgoCd(folder, OBJECTS)).toBeGreaterThan(0);
});

it('Argo CD is not timed without an object', async () => {
  await expect(timeArgoCd(folder, [])).rejects.toThrow('no object on standard input');
});
