import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { at, type JsonValue, member, parseJson } from '#shared/core/json.ts';

/** A log file, and what of it a user should see at once. */
export interface LogStream {
  readonly stream: Writable;
  /** Ends the file; what was written is in it then. */
  close(): Promise<void>;
}

function parsed(line: string): JsonValue | undefined {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What a line of Powertools' log says to a user; `undefined` for what is not an error. */
export function messageOfLogLine(line: string): string | undefined {
  const entry = parsed(line);
  if (member(entry, 'level') !== 'ERROR') return undefined;
  const error = text(at(entry, 'error', 'message')) ?? text(member(entry, 'error'));
  const parts = [text(member(entry, 'group')), text(member(entry, 'message')), error];
  return parts.filter((part) => part !== undefined).join(': ');
}

/** Opens a log file; `onMessage` is told of the errors in it, and once when the file cannot be written. */
export function openLogStream(file: string, onMessage: (message: string) => void): LogStream {
  const target = createWriteStream(file, { flags: 'a' });
  target.on('error', (error) => onMessage(`cannot write the log ${file}: ${error.message}`));
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const lines = String(chunk);
      if (!target.errored) target.write(lines);
      for (const line of lines.split('\n')) {
        const message = messageOfLogLine(line);
        if (message !== undefined) onMessage(message);
      }
      done();
    },
  });
  return {
    stream,
    close: () => new Promise((resolve) => target.end(() => resolve())),
  };
}
