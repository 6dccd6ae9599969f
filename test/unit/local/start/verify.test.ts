import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StartedClusters, startDemoClusters } from '#local/start/clusters.ts';
import {
  applied,
  appliedProgress,
  generationDiffers,
  PROGRESS_DONE,
  specDiffers,
  workloadMissing,
} from '#local/start/demo-messages.ts';
import { play, refOf } from '#local/start/player.ts';
import { type Recording, readDemo } from '#local/start/recording.ts';
import { verifyDemo } from '#local/start/verify.ts';
import { at, member } from '#shared/core/json.ts';

/** So long ago that all of the recording is due. */
const LONG_AGO = Date.parse('2026-01-01T00:00:00Z');

let clusters: StartedClusters;
let recording: Recording;

beforeEach(async () => {
  clusters = await startDemoClusters(0);
  recording = readDemo(LONG_AGO, 60);
});

afterEach(() => clusters.close());

async function played(): Promise<void> {
  const { signal } = new AbortController();
  const player = play(recording, clusters, { speed: 60, startMs: LONG_AGO, signal });
  await player.ended;
  expect(player.progress()).toBe(
    appliedProgress(applied('example.com/web:v2', '5'), PROGRESS_DONE),
  );
}

test('plays each WEC to its last word and the WDS to its last version', async () => {
  await played();
  const [wec] = clusters.wecs;
  const last = recording.steps.findLast((step) => step.type === 'wec' && step.wec === wec?.name);
  if (last === undefined || wec === undefined) throw new Error('the recording has no such WEC');
  const ref = refOf(last.object);
  expect(member(await wec.api.get(ref), 'status')).toEqual(member(last.object, 'status'));
  const inWds = await clusters.wds.api.get(ref);
  expect(at(inWds, 'metadata', 'generation')).toBe(3);
  expect(at(inWds, 'spec', 'replicas')).toBe(5);
});

test('a WDS to which nobody has written does not have the expected content', async () => {
  await played();
  const differences = await verifyDemo(recording, clusters);
  expect(differences.map((one) => one.replace(/[ :].*/, ''))).toEqual([
    'label',
    'status',
    'CombinedStatus',
  ]);
  expect(differences.join('\n')).toContain('"availableReplicas":5');
});

test('a WDS whose object somebody has changed or removed does not have the expected content', async () => {
  expect(await verifyDemo(recording, clusters)).toEqual([
    workloadMissing('deployments rollout/web'),
  ]);
  await played();
  const ref = refOf(recording.steps[0]?.object ?? {});
  const object = await clusters.wds.api.get(ref);
  if (object === undefined) throw new Error('it was played');
  await clusters.wds.api.replace(ref, { ...object, spec: { replicas: 7 } });
  const differences = await verifyDemo(recording, clusters);
  expect(differences[0]).toContain(specDiffers('{"replicas":7}', ''));
  expect(differences[1]).toBe(generationDiffers('4', 3));
});
