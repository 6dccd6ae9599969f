import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { showReading } from '#local/cli/terminal/progress.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { decodeText } from './decode-text.ts';
import { FILE_FAULTS, NO_FILES, STANDARD_INPUT } from './document-messages.ts';
import { type ParsedDocument, parseDocuments } from './parse-documents.ts';

/** The documents of one file. */
export interface ReadFile {
  /** The name of the file in messages. */
  readonly file: string;
  readonly documents: readonly ParsedDocument[];
}

const STDIN = '-';
const EXTENSION = /\.(?:ya?ml|json)$/i;

function attempt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    // node:fs throws system errors, which carry a code.
    const { code = '', message } = cause as NodeJS.ErrnoException;
    throw new InputError(`${path}: ${FILE_FAULTS[code] ?? message}`, { cause });
  }
}

function filesBelow(path: string): readonly string[] {
  if (!attempt(path, () => statSync(path)).isDirectory()) return [path];
  const entries = attempt(path, () => readdirSync(path)).sort();
  return entries.flatMap((entry) => {
    const below = join(path, entry);
    const isFolder = attempt(below, () => statSync(below)).isDirectory();
    if (isFolder) return filesBelow(below);
    return EXTENSION.test(entry) ? [below] : [];
  });
}

function readPath(path: string, terminal: Terminal): readonly ReadFile[] {
  const notice = (text: string): void => terminal.notice(text);
  const files = filesBelow(path);
  if (files.length === 0) throw new InputError(`${path}: ${NO_FILES}`);
  return files.map((file) => {
    const bytes = attempt(file, () => readFileSync(file));
    showReading(terminal, file, bytes.byteLength);
    const text = decodeText(bytes, file);
    return { file, documents: parseDocuments(text, file, notice) };
  });
}

/**
 * Reads a file, standard input for `-`, or every YAML and JSON file in a folder.
 *
 * @throws InputError if something cannot be read, is binary, or is neither YAML nor JSON
 */
export async function readFiles(path: string, terminal: Terminal): Promise<readonly ReadFile[]> {
  if (path !== STDIN) return readPath(path, terminal);
  const notice = (text: string): void => terminal.notice(text);
  const file = STANDARD_INPUT;
  const bytes = await terminal.input();
  showReading(terminal, file, bytes.byteLength);
  return [{ file, documents: parseDocuments(decodeText(bytes, file), file, notice) }];
}
