import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { createPrinter, type GetFormat, type Printer } from './printer.ts';
import type { Asked } from './request.ts';

/** Which form a user wants. */
export interface PrinterChoice {
  readonly output?: Exclude<GetFormat, 'table'>;
  readonly watch?: boolean;
  readonly outputWatchEvents?: boolean;
}

/** All objects are one list, whatever their resource. */
const FOR_PROGRAMS: ReadonlySet<GetFormat> = new Set(['json', 'yaml']);

/** The printers of one run. Lists of one resource are one table, and all objects for programs are one list. */
export class Printers {
  readonly #options: PrinterChoice;
  readonly #terminal: Terminal;
  readonly #isOne: boolean;
  #last: { readonly plural: string; readonly printer: Printer } | undefined;

  constructor(options: PrinterChoice, terminal: Terminal, isOne: boolean) {
    this.#options = options;
    this.#terminal = terminal;
    this.#isOne = isOne;
  }

  for(asked: Asked): Printer {
    const { plural } = asked.names;
    const { output = 'table' } = this.#options;
    const last = this.#last;
    if (last !== undefined && (last.plural === plural || FOR_PROGRAMS.has(output)))
      return last.printer;
    if (last !== undefined && output !== 'name') this.#terminal.out('\n');
    const printer = this.#create(asked, output);
    this.#last = { plural, printer };
    return printer;
  }

  #create({ names, collection, name }: Asked, format: GetFormat): Printer {
    const { watch = false, outputWatchEvents = false } = this.#options;
    const { isTerminal, columns } = this.#terminal;
    return createPrinter({
      format,
      out: (text) => this.#terminal.out(text),
      singular: names.singular,
      hasNamespaces: names.namespaced && collection.namespace === undefined,
      hasEvents: watch && outputWatchEvents,
      isList: !watch && (name === undefined || !this.#isOne),
      ...(isTerminal ? { columns } : {}),
    });
  }

  end(): void {
    this.#last?.printer.end();
  }
}
