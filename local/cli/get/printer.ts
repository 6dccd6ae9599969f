import { type Format, ObjectTexts, prettyJson } from '#local/cli/terminal/print.ts';
import { ShortenedColumns } from '#local/cli/terminal/shortened-columns.ts';
import { GROUP } from '#shared/api/api-group.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';
import { plainText } from '#shared/core/plain-text.ts';
import type { TableColumn, TablePage, TableRow } from './table.ts';

/** How objects are printed. */
export type GetFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name';

/** What has happened to an object. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Something that is printed of one object. */
export interface Shown {
  readonly row: TableRow;
  /** Absent in a list. */
  readonly event?: EventType;
}

/** Prints objects as they come. */
export interface Printer {
  /** Whether it needs rows instead of whole objects. */
  readonly isTable: boolean;
  /** Some objects of a list, or an event. `columns` may be empty after the first page. */
  print(page: Pick<TablePage, 'columns'>, shown: readonly Shown[]): void;
  /** The list is complete. */
  end(): void;
}

/** What printers are made of. */
export interface PrinterOptions {
  readonly format: GetFormat;
  readonly out: (text: string) => void;
  /** The name of the resource. */
  readonly singular: string;
  /** The width in which a table fits. Absent for no limit. */
  readonly columns?: number;
  /** Whether objects of several namespaces are shown. */
  readonly hasNamespaces: boolean;
  /** Whether the type of each event is shown. */
  readonly hasEvents: boolean;
  /** Whether objects are printed as a list, instead of one after the other. */
  readonly isList: boolean;
}

class TablePrinter implements Printer {
  readonly isTable = true;
  readonly #options: PrinterOptions;
  readonly #text: ShortenedColumns;
  #columns: readonly TableColumn[] = [];
  #hasHead = false;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#text = new ShortenedColumns(options.columns);
  }

  print({ columns }: Pick<TablePage, 'columns'>, shown: readonly Shown[]): void {
    if (columns.length > 0) this.#columns = columns;
    if (shown.length === 0) return;
    const rows = shown.map((one) => this.#row(one));
    const { out } = this.#options;
    out(this.#text.lines(this.#hasHead ? rows : [this.#head(), ...rows]));
    this.#hasHead = true;
  }

  end(): void {
    // Nothing is left.
  }

  #isShown(index: number): boolean {
    const { format } = this.#options;
    return format === 'wide' || (this.#columns[index]?.priority ?? 0) === 0;
  }

  #head(): readonly string[] {
    const { hasEvents, hasNamespaces } = this.#options;
    return [
      ...(hasEvents ? ['EVENT'] : []),
      ...(hasNamespaces ? ['NAMESPACE'] : []),
      ...this.#columns
        .filter((_column, index) => this.#isShown(index))
        .map(({ name }) => name.toUpperCase()),
    ];
  }

  #row({ row, event }: Shown): readonly string[] {
    const { hasEvents, hasNamespaces } = this.#options;
    const isGone = event === 'DELETED' && !hasEvents;
    return [
      ...(hasEvents ? [event ?? 'ADDED'] : []),
      ...(hasNamespaces ? [textAt(row.object, 'metadata', 'namespace')] : []),
      ...row.cells.filter((_cell, index) => this.#isShown(index)),
      ...(isGone ? ['(deleted)'] : []),
    ];
  }
}

function documentOf({ row, event }: Shown, hasEvents: boolean): JsonObject {
  return hasEvents ? { type: event ?? 'ADDED', object: row.object } : row.object;
}

/** One text for each object, one after the other. */
function eachPrinter(
  out: (text: string) => void,
  text: (shown: Shown) => string,
  isTable = false,
): Printer {
  return {
    isTable,
    print: (_page, shown) => {
      for (const one of shown) out(text(one));
    },
    end: () => undefined,
  };
}

/** Whole objects for programs, of which one page is in memory at a time. */
function objectsPrinter(format: Format, { out, hasEvents }: PrinterOptions): Printer {
  const texts = new ObjectTexts(format);
  return {
    isTable: false,
    print: (_page, shown) => {
      for (const one of shown) out(texts.next(documentOf(one, hasEvents)));
    },
    end: () => out(texts.end()),
  };
}

/** Creates the printer of a format. */
export function createPrinter(options: PrinterOptions): Printer {
  const { format, out, singular, isList, hasEvents } = options;
  switch (format) {
    case 'table':
    case 'wide':
      return new TablePrinter(options);
    case 'name':
      // A name that kubectl accepts.
      return eachPrinter(
        out,
        ({ row }) => `${singular}.${GROUP}/${plainText(textAt(row.object, 'metadata', 'name'))}\n`,
        true,
      );
    case 'yaml':
      return objectsPrinter('yaml', options);
    case 'json':
      return isList
        ? objectsPrinter('json', options)
        : eachPrinter(out, (shown) => `${prettyJson(documentOf(shown, hasEvents))}\n`);
  }
}
