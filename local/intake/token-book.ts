import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createFollowedFiles } from '#shared/adapters/http/cached-file.ts';
import type { EventSource } from '#shared/core/event.ts';
import { isEveryWec } from '#shared/state/senders.ts';
import { IntakeError } from './intake-error.ts';
import { parseTokens, type SourceToken, type TokensFile } from './tokens-file.ts';

/** Knows who may speak for which source, by their tokens. */
export interface TokenBook {
  /** Whom a token speaks for, as the file says now; `undefined`: nobody has it. */
  sourceOf(token: string): Promise<EventSource | undefined>;
  /** The WECs that have a token of their own, as the file says now. */
  wecs(): readonly string[];
}

/** What a book is made of. */
export interface TokenBookOptions extends TokensFile {
  /** Told what is wrong with the file since it has changed (the old tokens count on), and `undefined` when it is mended. */
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
    throw new IntakeError(
      `tokens file ${file}: it cannot be read (${code}): check the path and the right to read it`,
      { cause: error },
    );
  }
}

class Book implements TokenBook {
  readonly #entries: () => readonly Entry[];

  constructor(options: TokenBookOptions) {
    const { file, onFault } = options;
    this.#entries = createFollowedFiles({
      files: [file],
      make: () => parseTokens(options, read(file)).map(entryOf),
      onFault: (fault) => onFault(fault && `${fault}; until then the tokens before it count`),
    });
  }

  async sourceOf(token: string): Promise<EventSource | undefined> {
    const hash = hashOf(token);
    let found: EventSource | undefined;
    // All of them, each in constant time: how long it takes says nothing of a token.
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
 * Opens a tokens file. It is looked at again at each question, and read again when it has changed; what is wrong with it
 * then leaves the old tokens valid.
 *
 * @throws IntakeError when it cannot be used.
 */
export async function openTokenBook(options: TokenBookOptions): Promise<TokenBook> {
  return new Book(options);
}
