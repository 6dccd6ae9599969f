import { statSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runProgram } from '#local/cli/program.ts';
import { computing, printing, reading } from '#local/cli/terminal/messages.ts';
import { createTerminal, type Terminal } from '#local/cli/terminal/terminal.ts';
import { wdsDeployment } from '#test/bench/recorded-deployment.ts';
import { file } from '#test/unit/local/cli/command.ts';

const REMOVED = '\r\u001b[K';

/** A terminal whose streams are kept, and which of them are those of a person. */
function keptTerminal(person: { readonly out?: true; readonly err?: true }, columns = 40) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.resume();
  const texts: string[] = [];
  stderr.setEncoding('utf8').on('data', (text) => texts.push(text));
  const terminal: Terminal = createTerminal({
    stdin,
    stdout: Object.assign(stdout, { isTTY: person.out === true }),
    stderr: Object.assign(stderr, { isTTY: person.err === true, columns }),
  });
  return { terminal, texts };
}

describe('what a long step does', () => {
  it('is shown in one line, which the next text and every notice take away', () => {
    const { terminal, texts } = keptTerminal({ err: true });
    terminal.progress('first');
    terminal.progress('second');
    terminal.notice('bad');
    terminal.progress('');
    expect(texts.join('')).toBe(`first${REMOVED}second${REMOVED}starfold: bad\n`);
  });

  it('takes one line of a narrow terminal, and cannot control it', () => {
    const { terminal, texts } = keptTerminal({ err: true });
    terminal.progress(`\u001b[31m${'x'.repeat(80)}`);
    expect(texts.join('')).toMatch(/^[ -~\ufffd]{39}$/);
  });

  it('is whole on a terminal whose width is not known', () => {
    const { terminal, texts } = keptTerminal({ err: true }, 0);
    terminal.progress('reading');
    expect(texts.join('')).toBe('reading');
  });

  it('leaves before a result on the same terminal', () => {
    const { terminal, texts } = keptTerminal({ out: true, err: true });
    terminal.progress('first');
    terminal.out('result');
    expect(texts.join('')).toBe(`first${REMOVED}`);
  });

  it.each([
    { who: 'a person who reads the errors', err: true as const },
    { who: 'a file', err: undefined },
  ])('of eval of many objects: $who', async ({ err }) => {
    const { terminal, texts } = keptTerminal(err === undefined ? {} : { err });
    const items = Array.from({ length: 600 }, (_none, index) =>
      wdsDeployment(`web-${index}`, 'shop'),
    );
    const list = file(
      'wds.json',
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 10),
    );
    expect(await runProgram(['eval', '-f', list, '-o', 'json'], terminal)).toBe(0);
    const shown = texts.join('').split(REMOVED);
    if (err === undefined) expect(shown).toEqual(['']);
    else {
      const megabytes = (statSync(list).size / 1_000_000).toFixed(1);
      // A narrow terminal shows its beginning.
      expect(reading(megabytes, list).startsWith(shown[0] || '-')).toBe(true);
      expect(shown[1]).toBe(computing(600));
      expect(shown).toContain(printing(100, 600));
      expect(shown.at(-1)).toBe('');
    }
  });
});

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
