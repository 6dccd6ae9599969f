import { expect, it } from 'vitest';
import { notAPort, notASpeed, ONE_FLEET } from '#local/cli/start/messages.ts';

it('says what is wrong with the value of an option of starfold start', () => {
  expect([notAPort(65_532), notASpeed(10_000), ONE_FLEET]).toEqual([
    'Give a whole number from 1 to 65532, or 0 for any free ports.',
    'Give a number that is greater than 0 and at most 10000, such as 20.',
    'Give --fleet once: one stack follows one management cluster.',
  ]);
});
