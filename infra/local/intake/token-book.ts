import { createHash, timingSafeEqual } from 'node:crypto';
import { createCachedFile } from '#shared/adapters/http/cached-file.ts';
import type { EventSource } from '#shared/core/event.ts';
import { isEveryWec } from '#shared/state/senders.ts';
import { IntakeError } from './intake-error.ts';
import { parseTokens, type SourceToken, type TokensFile } from './tokens-file.ts';

/** Knows who may speak for which source, by their tokens. */
export interface TokenBook {
  /** Whom a token speaks for, as the file says now; `undefined`: nobody has it. */
  sourceOf(token: string): Promise<EventSource | undefined>;
  /** The WECs that have a token of their own, as the file said when it was last read. */
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

function readFault(file: string, error: unknown): IntakeError {
  if (error instanceof IntakeError) return error;
  const { code, message } = error as NodeJS.ErrnoException; // What else fails is the file system.
  return new IntakeError(
    `tokens file ${file}: it cannot be read (${code ?? message}): check the path and the right to read it`,
    { cause: error },
  );
}

class Book implements TokenBook {
  readonly #options: TokenBookOptions;
  readonly #read: () => Promise<readonly Entry[]>;
  #entries: readonly Entry[] = [];
  #fault: string | undefined;

  constructor(options: TokenBookOptions) {
    this.#options = options;
    this.#read = createCachedFile(options.file, (text) => parseTokens(options, text).map(entryOf));
  }

  async open(): Promise<void> {
    try {
      this.#entries = await this.#read();
    } catch (error) {
      throw readFault(this.#options.file, error);
    }
  }

  async #refresh(): Promise<void> {
    const fault = await this.open().then(
      () => undefined,
      (error: IntakeError) => `${error.message}; until then the tokens before it count`,
    );
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#options.onFault(fault);
  }

  async sourceOf(token: string): Promise<EventSource | undefined> {
    await this.#refresh();
    const hash = hashOf(token);
    let found: EventSource | undefined;
    // All of them, each in constant time: how long it takes says nothing of a token.
    for (const entry of this.#entries) if (timingSafeEqual(entry.hash, hash)) found = entry.source;
    return found;
  }

  wecs(): readonly string[] {
    return this.#entries
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
  const book = new Book(options);
  await book.open();
  return book;
}
