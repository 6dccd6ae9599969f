import { askJson, pathOf, RefusedError } from '#local/cli/door/ask-json.ts';
import type { Door } from '#local/cli/door/door.ts';
import { warning } from '#local/cli/door/messages.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import { follow } from './follow.ts';
import { noneFound, WATCH_ONE } from './messages.ts';
import { notFoundText, wordFault } from './missing.ts';
import { NeverHeard } from './never-heard.ts';
import type { Printer } from './printer.ts';
import { type PrinterChoice, Printers } from './printers.ts';
import {
  type Asked,
  type Asking,
  asList,
  pagesOf,
  resolveWanted,
  type Selecting,
} from './request.ts';
import { parseRows, typeFor } from './table.ts';
import { parseWanted, type Wanted } from './wanted.ts';

/** The options of `starfold get`, without those of the door. */
export interface GetOptions extends PrinterChoice {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly chunkSize: number;
}

/** The dependencies of the command. */
export interface GetWorld {
  readonly door: Door;
  readonly terminal: Terminal;
  readonly waiting: Waiting;
  /** Ends a watch. */
  readonly signal: AbortSignal;
}

const NOT_FOUND = 404;
const DEFAULT_NAMESPACE = 'default';

/** How a list is printed. */
interface Printing {
  readonly printer: Printer;
  /** Objects in a page. 0: all. */
  readonly limit: number;
  /** Resolves when the reader has taken what was printed. */
  readonly drained: () => Promise<void>;
  readonly neverHeard: NeverHeard;
}

/** Prints one object. */
async function printOne(
  asking: Asking,
  { collection, name = '' }: Asked,
  { printer, neverHeard }: Printing,
): Promise<void> {
  const { door, signal, onWarning } = asking;
  const path = pathOf(collection, name);
  const accept = typeFor(printer);
  const object = await askJson(door, { method: 'GET', path, accept, signal }, onWarning);
  const table = parseRows(object, printer, door.name);
  neverHeard.note(table);
  printer.print(
    table,
    table.rows.map((row) => ({ row })),
  );
}

/** Prints a list. Returns whether it has any object. */
async function printList(
  asking: Asking,
  asked: Asked,
  { printer, limit, drained, neverHeard }: Printing,
): Promise<boolean> {
  let count = 0;
  const request = { accept: typeFor(printer), limit };
  for await (const page of pagesOf(asking, asked, request)) {
    const table = parseRows(page, printer, asking.door.name);
    neverHeard.note(table);
    printer.print(
      table,
      table.rows.map((row) => ({ row })),
    );
    count += table.rows.length;
    await drained();
  }
  return count > 0;
}

/** Prints what is asked for. Returns what is missing. */
async function printAsked(
  asking: Asking,
  asked: Asked,
  printing: Printing,
): Promise<'found' | 'nothing' | { readonly missing: string }> {
  if (asked.name === undefined) {
    if (await printList(asking, asked, printing)) return 'found';
    return asked.title === undefined ? 'nothing' : { missing: notFoundText(asked) };
  }
  try {
    await printOne(asking, asked, printing);
    return 'found';
  } catch (error) {
    if (error instanceof RefusedError && error.code === NOT_FOUND)
      return { missing: error.message };
    throw error;
  }
}

/** Each warning is shown once. */
function warningsTo(terminal: Terminal): (text: string) => void {
  const shown = new Set<string>();
  return (text) => {
    if (!shown.has(text)) terminal.notice(warning(text));
    shown.add(text);
  };
}

function selectingOf(
  { allNamespaces, namespace, selector, fieldSelector }: GetOptions,
  door: Door,
): Selecting {
  const own = namespace ?? door.namespace ?? DEFAULT_NAMESPACE;
  return {
    ...(allNamespaces === true ? {} : { namespace: own }),
    ...(selector === undefined ? {} : { selector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** What the parts of a run share. */
interface Run {
  readonly asking: Asking;
  readonly selecting: Selecting;
  readonly printers: Printers;
  /** Whether the namespace was given. */
  readonly isChosen: boolean;
  readonly limit: number;
  readonly drained: () => Promise<void>;
  readonly notice: (text: string) => void;
  /** Whether people read the output, instead of programs. */
  readonly isForPeople: boolean;
}

/** What is missing, after nothing was found. Undefined if that is no error. */
async function whatIsMissing(
  asking: Asking,
  wanted: Wanted,
  result: 'nothing' | { readonly missing: string },
): Promise<string | undefined> {
  const fault = wanted.type === 'served' ? undefined : await wordFault(asking, wanted);
  if (fault !== undefined) return fault.message;
  return result === 'nothing' ? undefined : result.missing;
}

async function tell(neverHeard: NeverHeard, { asking, notice }: Run): Promise<void> {
  for (const text of await neverHeard.notices(asking)) notice(text);
}

/** @throws InputError if named objects are missing, after the others were printed */
async function printAll(all: readonly Wanted[], run: Run): Promise<void> {
  const { asking, printers, limit, drained, notice } = run;
  const missing: string[] = [];
  const neverHeard = new NeverHeard();
  for (const wanted of all) {
    const asked = await resolveWanted(asking, wanted, run.selecting);
    const result = await printAsked(asking, asked, {
      printer: printers.for(asked),
      limit,
      drained,
      neverHeard,
    });
    if (result === 'found') continue;
    const what = await whatIsMissing(asking, wanted, result);
    if (what === undefined) notice(noneFound(asked.collection.namespace, run.isChosen));
    else missing.push(what);
  }
  if (missing.length < all.length) printers.end();
  if (run.isForPeople) await tell(neverHeard, run);
  if (missing.length > 0) throw new InputError(missing.join('; '));
}

async function followAll(all: readonly Wanted[], run: Run, waiting: Waiting): Promise<void> {
  const [wanted, ...others] = all;
  if (wanted === undefined || others.length > 0) throw new UsageError(WATCH_ONE);
  const { asking, printers, limit, notice } = run;
  const fault = wanted.type === 'served' ? undefined : await wordFault(asking, wanted);
  if (fault !== undefined) throw fault;
  const asked = await resolveWanted(asking, wanted, run.selecting);
  const printer = printers.for(asked);
  await follow({ asking, asked: asList(asked), printer, waiting, notice, limit });
}

/**
 * `starfold get`.
 *
 * @throws UsageError for a wrong command line; InputError for what cannot be read, or is missing
 */
export async function runGet(
  args: readonly string[],
  options: GetOptions,
  { door, terminal, signal, waiting }: GetWorld,
): Promise<void> {
  const all = parseWanted(args);
  const run: Run = {
    asking: { door, signal, onWarning: warningsTo(terminal) },
    selecting: selectingOf(options, door),
    printers: new Printers(options, terminal, all.length === 1),
    isChosen: options.namespace !== undefined,
    limit: options.chunkSize,
    drained: () => terminal.drained(),
    notice: (text) => terminal.notice(text),
    isForPeople: options.output === undefined || options.output === 'wide',
  };
  if (options.watch === true) await followAll(all, run, waiting);
  else await printAll(all, run);
}
