import { afterAll, describe, expect, it } from 'vitest';
import { histories } from '#test/histories.ts';
import { startAwsEmulation } from './aws-backend.ts';
import { play } from './history.ts';
import type { Losses } from './losses.ts';
import { outcome } from './outcome.ts';
import { worldOf } from './worlds.ts';

/** Each call is a request over HTTP: fewer histories than in memory, and shorter ones. */
const HISTORIES = histories({ first: 2, all: 8 });
const ACTIONS = histories({ first: 5, all: 10 });
/** A machine may have other things to do. */
const TIMEOUT_MS = 120_000;

const aws = await startAwsEmulation();
afterAll(() => aws.close());

/** In every second history answers get lost. */
function lossesOf(seed: number): Losses {
  const often = seed % 2 === 0 ? 0 : 0.02;
  return { seed, puts: often, standard: often, fifo: often };
}

/** What happened in the history of one seed, step by step. */
async function traceOf(losses: Losses): Promise<readonly string[]> {
  const world = worldOf(losses.seed, { backend: aws.backend(losses) });
  await play(world, ACTIONS);
  await world.quiesce();
  return world.scheduler.trace;
}

describe('the pipeline on the adapters for DynamoDB and SQS, simulated', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'ends equal to a fresh fold after the history of seed %i',
    async (seed) => {
      const world = worldOf(seed, { backend: aws.backend(lossesOf(seed)) });
      const wrong = await outcome(world, { actions: ACTIONS, silence: seed % 5 === 0 });
      expect({ seed, wrong }).toEqual({ seed, wrong: [] });
    },
    TIMEOUT_MS,
  );

  it(
    'takes the same steps for the same seed',
    async () => {
      const losses = { seed: 2, puts: 0.1, standard: 0.1, fifo: 0.1 };
      const first = await traceOf(losses);
      expect(first.length).toBeGreaterThan(100);
      expect(await traceOf(losses)).toEqual(first);
    },
    TIMEOUT_MS,
  );

  it(
    'takes no other step because an answer to a put or to a send to a FIFO queue is lost',
    async () => {
      const undisturbed = await traceOf({ seed: 5, puts: 0, standard: 0, fifo: 0 });
      const before = aws.lost;
      expect(await traceOf({ seed: 5, puts: 0.1, standard: 0, fifo: 0.1 })).toEqual(undisturbed);
      expect(aws.lost.puts).toBeGreaterThan(before.puts);
      expect(aws.lost.sends).toBeGreaterThan(before.sends);
    },
    TIMEOUT_MS,
  );
});
