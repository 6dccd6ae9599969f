import { basename, dirname } from 'node:path';
import { Writable } from 'node:stream';
import { createStream } from 'rotating-file-stream';
import { at, isArray, type JsonValue, member, parseJson } from '#shared/core/json.ts';
import { cannotWriteLog, eventsRejected } from './messages.ts';

/** A log file, whose important lines are shown to the user immediately. */
export interface LogStream {
  readonly stream: Writable;
  /** Closes the file after everything is written. */
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

/** A rejected message of a forwarder is not a failure of the functions, but the user should know about it. */
function refusalText(entry: JsonValue | undefined): string | undefined {
  const reasons = member(entry, 'reasons');
  const isRefusal = member(entry, 'message') === 'message rejected' && isArray(reasons);
  return isRefusal ? text(reasons[0]) : undefined;
}

/**
 * The message to a user for a line of Powertools' log, or `undefined` for a line that is neither an error nor a
 * rejected message of a forwarder.
 */
export function messageOfLogLine(line: string): string | undefined {
  const entry = parsed(line);
  const refused = refusalText(entry);
  if (refused !== undefined) return eventsRejected(refused);
  if (member(entry, 'level') !== 'ERROR') return undefined;
  const error = text(at(entry, 'error', 'message')) ?? text(member(entry, 'error'));
  const parts = [text(member(entry, 'group')), text(member(entry, 'message')), error];
  return parts.filter((part) => part !== undefined).join(': ');
}

/** A larger log is renamed to `<file>.1`, which replaces an earlier one. */
const MAX_LOG_SIZE = '10M';

/** Opens a log file. `onMessage` is called with the errors in it, and once if the file cannot be written. */
export function openLogStream(file: string, onMessage: (message: string) => void): LogStream {
  const name = basename(file);
  const target = createStream((index) => (index ? `${name}.${index}` : name), {
    path: dirname(file),
    size: MAX_LOG_SIZE,
    rotate: 1,
    initialRotation: true,
    mode: 0o600,
  });
  target.on('error', (error) => onMessage(cannotWriteLog(file, error.message)));
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
