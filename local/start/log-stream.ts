import { basename, dirname } from 'node:path';
import { Writable } from 'node:stream';
import { createStream } from 'rotating-file-stream';
import { at, isArray, type JsonValue, member, parseJson } from '#shared/core/json.ts';

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

/** A message of a forwarder that was refused is no failure of the functions, and yet for a user to know. */
function refusalText(entry: JsonValue | undefined): string | undefined {
  const reasons = member(entry, 'reasons');
  const isRefusal = member(entry, 'message') === 'message refused' && isArray(reasons);
  return isRefusal ? text(reasons[0]) : undefined;
}

/**
 * What a line of Powertools' log says to a user; `undefined` for what is neither an error nor a refused message of a
 * forwarder.
 */
export function messageOfLogLine(line: string): string | undefined {
  const entry = parsed(line);
  const refused = refusalText(entry);
  if (refused !== undefined) return `events refused: ${refused}`;
  if (member(entry, 'level') !== 'ERROR') return undefined;
  const error = text(at(entry, 'error', 'message')) ?? text(member(entry, 'error'));
  const parts = [text(member(entry, 'group')), text(member(entry, 'message')), error];
  return parts.filter((part) => part !== undefined).join(': ');
}

/** A log that is larger is put aside as `<file>.1`; the one that was there is gone then. */
const MAX_LOG_SIZE = '10M';

/** Opens a log file; `onMessage` is told of the errors in it, and once when the file cannot be written. */
export function openLogStream(file: string, onMessage: (message: string) => void): LogStream {
  const name = basename(file);
  const target = createStream((index) => (index ? `${name}.${index}` : name), {
    path: dirname(file),
    size: MAX_LOG_SIZE,
    rotate: 1,
    initialRotation: true,
    mode: 0o600,
  });
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
