import type { Command, Option } from 'commander';

/** What a shell offers after an option: some words, a file, or nothing because only the user knows. */
export type OptionValue =
  | { readonly type: 'none' }
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'file' }
  | { readonly type: 'any' };

/** An option of a command. */
export interface OptionShape {
  /** `-o` and `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly value: OptionValue;
}

/** A command with what may follow it. */
export interface CommandShape {
  /** The words that call it, without the name of the program: `[]`, `['fleet', 'diff']`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly OptionShape[];
  readonly commands: readonly CommandShape[];
}

/** Placeholders of values that are files: `<file>`, `<name=file>`, `<path>`. */
const FILE = /(?:file|path)[>\]]$/;
/** A path in a document. */
const NO_FILES: ReadonlySet<string> = new Set(['--field']);

function valueShape(option: Option): OptionValue {
  const { argChoices, flags, long } = option;
  if (!(option.required || option.optional)) return { type: 'none' };
  if (argChoices !== undefined) return { type: 'words', words: argChoices };
  return { type: FILE.test(flags) && !NO_FILES.has(String(long)) ? 'file' : 'any' };
}

function optionOf(option: Option): OptionShape {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return { flags, description: option.description, value: valueShape(option) };
}

/** The shape of a command and those below it, as its help shows them. */
export function shapeOf(command: Command, path: readonly string[] = []): CommandShape {
  const help = command.createHelp();
  return {
    path,
    description: command.summary() || command.description(),
    options: help.visibleOptions(command).map(optionOf),
    commands: help.visibleCommands(command).map((one) => shapeOf(one, [...path, one.name()])),
  };
}

/** A command and all below it. */
export function allCommands(shape: CommandShape): readonly CommandShape[] {
  return [shape, ...shape.commands.flatMap(allCommands)];
}
