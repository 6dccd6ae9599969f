import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createFollowedFiles } from '#shared/adapters/http/cached-file.ts';
import { unreadableFile } from '#shared/adapters/http/messages.ts';
import type { EventSource } from '#shared/core/event.ts';
import { isEveryWec } from '#shared/state/senders.ts';
import { IntakeError } from './intake-error.ts';
import { formerTokens, tokensFileFault } from './messages.ts';
import { parseTokens, type SourceToken, type TokensFile } from './tokens-file.ts';

/** Finds the source that a token may report. */
export interface TokenBook {
  /** The source of a token in the present file, or `undefined` if the token is unknown. */
  sourceOf(token: string): Promise<EventSource | undefined>;
  /** The WECs with a token of their own in the present file. */
  wecs(): readonly string[];
}

/** The options of a token book. */
export interface TokenBookOptions extends TokensFile {
  /**
   * Called with the problem if the changed file cannot be used (the old tokens stay valid), and with `undefined` when
   * it is solved.
   */
  readonly onFault: (fault: string | undefined) => void;
}

interface Entry {
  readonly source: EventSource;
  readonly hash: Buffer;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function entryOf({ source, token }: SourceToken): Entry {
  return { source, hash: hashOf(token) };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // The file system's.
    throw new IntakeError(tokensFileFault(file, unreadableFile(code)), { cause: error });
  }
}

class Book implements TokenBook {
  readonly #entries: () => readonly Entry[];

  constructor(options: TokenBookOptions) {
    const { file, onFault } = options;
    this.#entries = createFollowedFiles({
      files: [file],
      make: () => parseTokens(options, read(file)).map(entryOf),
      onFault: (fault) => onFault(fault && formerTokens(fault)),
    });
  }

  async sourceOf(token: string): Promise<EventSource | undefined> {
    const hash = hashOf(token);
    let found: EventSource | undefined;
    // All tokens are compared, each in constant time, so that the time reveals nothing about a token.
    for (const entry of this.#entries())
      if (timingSafeEqual(entry.hash, hash)) found = entry.source;
    return found;
  }

  wecs(): readonly string[] {
    return this.#entries()
      .filter(({ source }) => source.type === 'wec' && !isEveryWec(source))
      .map(({ source }) => source.name);
  }
}

/**
 * Opens a tokens file. Each query checks the file, and reads it again if it has changed. If the changed file is
 * invalid, the old tokens stay valid.
 *
 * @throws IntakeError if the file cannot be used
 */
export async function openTokenBook(options: TokenBookOptions): Promise<TokenBook> {
  return new Book(options);
}
