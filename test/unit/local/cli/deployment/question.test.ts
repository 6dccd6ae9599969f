import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createQuestion } from '#local/cli/terminal/question.ts';

/** What a terminal is to a question: streams that say that they are one. */
function terminal(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  // Nothing else of a terminal's streams is used.
  const streams = [input, output] as unknown as [NodeJS.ReadStream, NodeJS.WriteStream];
  return { input, output, question: createQuestion(...streams) };
}

describe('a question', () => {
  it.each([
    ['y\n', true],
    ['YES\n', true],
    [' y \n', true],
    ['n\n', false],
    ['\n', false],
    ['yeah\n', false],
  ])('takes %j for %s', async (answer, agreed) => {
    const { input, question } = terminal(true);
    const asked = question.ask('Really?');
    input.write(answer);
    expect(await asked).toBe(agreed);
  });

  it.each([
    ['the end of the input', undefined],
    ['Ctrl-C', '\u0003'],
  ])('takes %s for a no, and ends the line', async (_name, key) => {
    const { input, output, question } = terminal(true);
    const asked = question.ask('Really?');
    if (key === undefined) input.end();
    else input.write(key);
    expect(await asked).toBe(false);
    output.end();
    expect(await text(output)).toMatch(/Really\? \[y\/N\].*\n$/s);
  });

  it.each([true, false])('is possible if there is a terminal: %s', (isTTY) => {
    expect(terminal(isTTY).question.isPossible).toBe(isTTY);
  });
});
