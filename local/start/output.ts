import { createLogUpdate } from 'log-update';
import { plainText } from '#shared/core/plain-text.ts';
import { ChangeLines } from './lines.ts';
import { render, type View } from './view.ts';

/** Where a user is informed about changes. */
export interface Output {
  /** Something may have changed. */
  changed(view: () => View): void;
  /** A single statement about a thing. The name of the thing begins with its cluster. */
  say(thing: string, text: string): void;
  /** Shows the last state, and releases the terminal. A second call does nothing. */
  end(view: () => View): void;
}

const FRAME_MS = 100;
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
/** Removes the `^C` that the terminal has echoed. */
const CLEAR_LINE = '\r\u001B[K';
const CLEAR_SCREEN = '\u001B[2J\u001B[H';

/** A changing display on a terminal. */
export function terminalOutput(stream: NodeJS.WriteStream): Output {
  const update = createLogUpdate(stream);
  let latest: (() => View) | undefined;
  let ended = false;
  const draw = (): void => {
    if (latest === undefined) return;
    const { columns = DEFAULT_COLUMNS, rows = DEFAULT_ROWS } = stream;
    update(render(latest(), { columns, rows, colors: stream.hasColors() }));
  };
  const resized = (): void => {
    // The terminal has wrapped the old display again, so the positions of its lines are not known.
    update.clear();
    stream.write(CLEAR_SCREEN);
    draw();
  };
  // This also runs without a change, because the clock and the rate change.
  const timer = setInterval(draw, FRAME_MS);
  stream.on('resize', resized);
  return {
    changed: (view) => {
      latest = view;
    },
    say: () => undefined,
    end: (view) => {
      if (ended) return;
      ended = true;
      clearInterval(timer);
      stream.off('resize', resized);
      latest = view;
      stream.write(CLEAR_LINE);
      draw();
      update.done();
    },
  };
}

/** A line for each change, for logs and pipes. */
export function lineOutput(stream: NodeJS.WritableStream, clock: () => Date): Output {
  const lines = new ChangeLines();
  let ended = false;
  const write = (texts: readonly string[]): void => {
    if (ended) return;
    const time = clock().toISOString().slice(11, 23);
    // Text from the clusters must not control the terminal, or pretend to be another line.
    for (const text of texts) stream.write(`${time} ${plainText(text)}\n`);
  };
  return {
    changed: (view) => write(lines.changes(view().workloads)),
    say: (thing, text) => write(lines.say(thing, text)),
    end: () => {
      ended = true;
    },
  };
}
