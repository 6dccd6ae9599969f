import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTerminal } from '#local/cli/terminal.ts';

it('has a program wait that writes faster than its reader reads', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const terminal = createTerminal({ stdin, stdout, stderr });
  const text = `${'x'.repeat(999)}\n`;
  const count = 1_000;
  let written = 0;
  const writing = (async () => {
    for (; written < count; written += 1) {
      terminal.out(text);
      await terminal.drained();
    }
    stdout.end();
  })();
  await turn();
  expect(written * text.length).toBeLessThan(
    stdout.writableHighWaterMark + stdout.readableHighWaterMark,
  );
  let read = 0;
  for await (const chunk of stdout) read += chunk.length;
  await writing;
  expect(read).toBe(count * text.length);
});
