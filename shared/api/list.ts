import type { JsonObject } from '#shared/core/json.ts';
import type { Scope, StatusPage, StatusSource } from '#shared/ports/status-source.ts';
import type { BoundedReads } from './bounded-reads.ts';
import { decodePosition, encodePosition, type Position } from './continue-token.ts';
import type { Reader } from './fair-limit.ts';
import { pastVersion } from './list-messages.ts';
import type { ListOptions } from './list-options.ts';
import type { Presenter } from './presentation.ts';
import type { Readable } from './readable.ts';
import type { ItemRequest, ServedResource } from './served-resource.ts';
import { expired, tooLargeResourceVersion } from './status-error.ts';

/** What one answer may be at most. A list that has more is continued. */
export interface AnswerBounds {
  /** Of the objects, in UTF-8. An object that is larger by itself is an answer of its own. */
  readonly maxBytes: number;
  /** After so many milliseconds nothing more is read. */
  readonly maxMs: number;
}

/** A list. */
export interface ListRequest<T> {
  readonly source: Pick<StatusSource, 'revision'>;
  readonly reads: BoundedReads;
  readonly served: ServedResource<T>;
  readonly presenter: Presenter<T>;
  readonly scope: Scope;
  readonly readable: Readable;
  readonly options: ListOptions;
  /** Absent if an answer may have any size. */
  readonly bounds?: AnswerBounds | undefined;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Its signal aborts when the client has gone. */
  readonly reader: Reader;
}

/** So many objects are read at a time, for one piece of the answer. */
const PAGE_SIZE = 500;

/**
 * Checks that a request can be answered at the revision that it names. Only the present can be read.
 *
 * @returns the revision of now
 * @throws StatusError 504 for a revision of the future, 410 for a past one that must be met exactly
 */
export async function checkRevision(
  source: Pick<StatusSource, 'revision'>,
  { resourceVersion = 0, match }: ListOptions,
  signal: AbortSignal,
): Promise<number> {
  const now = await source.revision(signal);
  if (resourceVersion > now) throw tooLargeResourceVersion(resourceVersion, now);
  if (match === 'Exact' && resourceVersion !== now) throw expired(pastVersion(resourceVersion));
  return now;
}

async function firstPosition<T>({
  source,
  options,
  reader,
}: ListRequest<T>): Promise<Partial<Position> & Pick<Position, 'revision'>> {
  const { continueToken } = options;
  if (continueToken !== undefined) return decodePosition(continueToken);
  return { revision: await checkRevision(source, options, reader.signal) };
}

function metadataOf(revision: number, next: string | undefined): JsonObject {
  return {
    resourceVersion: String(revision),
    ...(next === undefined ? {} : { continue: encodePosition({ revision, after: next }) }),
  };
}

/** Some elements of a list as text, and where the list goes on after them. */
interface Piece {
  readonly elements: readonly string[];
  readonly next: string | undefined;
}

/** Reads the next elements of a list. */
async function readPiece<T>(
  { reads, served, presenter, scope, readable, options, reader }: ListRequest<T>,
  revision: number,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<Piece> {
  const request: ItemRequest = {
    scope,
    selector: options.selector,
    limit,
    readable: (resource) => readable.has(resource),
    ...(after === undefined ? {} : { after }),
  };
  const page: StatusPage<T> = await reads.page(served, request, reader);
  const elements = page.items.map((item) => presenter.element(item, revision));
  return { elements, next: page.next };
}

/** The bytes of elements, with a comma each. */
function bytesOf(elements: readonly string[]): number {
  return elements.reduce((sum, element) => sum + Buffer.byteLength(element) + 1, 0);
}

/** How many of the elements fit into so many bytes. */
function fitting(elements: readonly string[], maxBytes: number): number {
  let left = maxBytes;
  const excess = elements.findIndex((element) => {
    left -= Buffer.byteLength(element) + 1;
    return left < 0;
  });
  return excess < 0 ? elements.length : excess;
}

/** What an answer has so far, and whether it may have more. */
class Room {
  readonly #bounds: AnswerBounds | undefined;
  readonly #now: () => number;
  readonly #end: number;
  #bytes = 0;
  #largest = 0;

  constructor({ bounds, now }: Pick<ListRequest<unknown>, 'bounds' | 'now'>) {
    this.#bounds = bounds;
    this.#now = now;
    this.#end = now() + (bounds?.maxMs ?? Number.POSITIVE_INFINITY);
  }

  /** How many of the elements may be added. The first element always may. */
  roomFor(elements: readonly string[]): number {
    if (this.#bounds === undefined) return elements.length;
    const room = fitting(elements, this.#bounds.maxBytes - this.#bytes);
    return this.#bytes === 0 ? Math.max(room, Math.min(elements.length, 1)) : room;
  }

  add(elements: readonly string[]): void {
    const bytes = bytesOf(elements);
    this.#bytes += bytes;
    this.#largest = Math.max(this.#largest, bytes);
  }

  /** Whether another piece would probably be read in vain. */
  get isOver(): boolean {
    if (this.#bounds === undefined) return false;
    return this.#bytes + this.#largest > this.#bounds.maxBytes || this.#now() >= this.#end;
  }
}

/**
 * Reads as many of the next elements as there is room for, or `full` if there is none for any. Only the source knows where a list goes on, and only after a page, so a
 * page that does not fit is read again with fewer objects. They may have grown in between.
 */
async function readFitting<T>(
  request: ListRequest<T>,
  revision: number,
  { room, limit, after }: { room: Room; limit: number; after: string | undefined },
): Promise<Piece | 'full'> {
  let piece = await readPiece(request, revision, { limit, after });
  for (;;) {
    const fits = room.roomFor(piece.elements);
    if (fits === piece.elements.length) return piece;
    if (fits === 0) return 'full';
    piece = await readPiece(request, revision, { limit: fits, after });
  }
}

/**
 * The text of a list, in pieces. Its pages are not of one moment. Every page has the revision at which the first was begun, so a
 * watch from there repeats what a page may have missed. Without a limit and without bounds, the whole list is one answer, of which
 * one piece is in memory at a time.
 *
 * @throws StatusError before the first piece: 400 for an invalid `continue`; as {@link checkRevision}
 */
export async function* listText<T>(request: ListRequest<T>): AsyncGenerator<string> {
  const { presenter, options, reader } = request;
  const { revision, after } = await firstPosition(request);
  const { head, tail } = presenter.list();
  const room = new Room(request);
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let next = after;
  let text = head;
  let separator = '';
  do {
    const limit = Math.min(left, PAGE_SIZE);
    const piece = await readFitting(request, revision, { room, limit, after: next });
    if (piece === 'full') break;
    const { elements } = piece;
    for (const element of elements) {
      text += `${separator}${element}`;
      separator = ',';
    }
    room.add(elements);
    left -= elements.length;
    next = piece.next;
    // The end is one piece with the last objects.
    if (left <= 0 || next === undefined || room.isOver) break;
    yield text;
    text = '';
  } while (!reader.signal.aborted);
  yield `${text}${tail(metadataOf(revision, next))}`;
}
