import { allCommands, type CommandShape, type OptionShape } from './shape.ts';

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}

/** When a command has been written, and none below it. */
function condition({ path, commands }: CommandShape): string {
  if (path.length === 0) return '__fish_use_subcommand';
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = commands.map((one) => one.path.at(-1)).join(' ');
  const none = below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`];
  return [...seen, ...none].join('; and ');
}

function valueText({ value }: OptionShape): string {
  switch (value.type) {
    case 'none':
      return '';
    case 'words':
      return ` -x -a ${quoted(value.words.join(' '))}`;
    case 'file':
      return ' -r -F';
    case 'any':
      return ' -x';
  }
}

function flagText(flag: string): string {
  return flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`;
}

function linesOf(command: CommandShape): readonly string[] {
  const head = `complete -c starfold -n ${quoted(condition(command))}`;
  return [
    ...command.commands.map(
      ({ path, description }) => `${head} -a ${path.at(-1)} -d ${quoted(description)}`,
    ),
    ...command.options.map(
      (option) =>
        `${head}${option.flags.map(flagText).join('')}${valueText(option)} -d ${quoted(option.description)}`,
    ),
  ];
}

/** A script for fish. */
export function fishScript(program: CommandShape): string {
  return [
    '# Completion of starfold for fish: starfold completion fish | source',
    'complete -c starfold -f',
    ...allCommands(program).flatMap(linesOf),
    '',
  ].join('\n');
}
