import { allCommands, type CommandShape, type OptionShape } from './shape.ts';

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The patterns of a `case` for a command and the word after it. The words of a command are joined by slashes. */
function patterns({ path }: CommandShape, words: readonly string[]): string {
  return words.map((word) => quoted(`${path.join('/')} ${word}`)).join(' | ');
}

/** What is done after an option. Undefined for an option without a value. */
function afterValue({ value }: OptionShape): string | undefined {
  switch (value.type) {
    case 'none':
      return undefined;
    case 'words':
      return `_starfold_offer ${quoted(value.words.join(' '))}; return`;
    case 'file':
      return 'return';
    case 'any':
      return "_starfold_offer ''; return";
  }
}

function afterOption(command: CommandShape, option: OptionShape): readonly string[] {
  const action = afterValue(option);
  return action === undefined ? [] : [`    ${patterns(command, option.flags)}) ${action} ;;`];
}

function wordsOf(command: CommandShape): string {
  const names = command.commands.map(({ path }) => path.at(-1) ?? '');
  return `    ${quoted(command.path.join('/'))}) commands=${quoted(names.join(' '))} options=${quoted(
    command.options.flatMap(({ flags }) => flags).join(' '),
  )} ;;`;
}

/**
 * A script for bash, which only uses what bash has itself. Files are completed by bash where nothing else is offered.
 */
export function bashScript(program: CommandShape): string {
  const all = allCommands(program);
  const known = all
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => quoted(`${path.slice(0, -1).join('/')} ${path.at(-1)}`));
  return `# Completion of starfold for bash: source <(starfold completion bash)

# Offers words, and no files.
_starfold_offer() {
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_starfold() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local command='' commands='' options='' index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$command \${COMP_WORDS[index]}" in
    ${known.join(' | ')})
      command=\${command:+$command/}\${COMP_WORDS[index]} ;;
    esac
  done
  case "$command $before" in
${all.flatMap((command) => command.options.flatMap((option) => afterOption(command, option))).join('\n')}
  esac
  case "$command" in
${all.map(wordsOf).join('\n')}
  esac
  if [[ $current == -* ]]; then
    _starfold_offer "$options"
  elif [[ -n $commands ]]; then
    _starfold_offer "$commands"
  else
    _starfold_offer ''
  fi
}

complete -o default -F _starfold starfold
`;
}

/** A script for zsh, which runs that for bash. */
export function zshScript(program: CommandShape): string {
  const script = bashScript(program).replace(/^.*\n/, '');
  return `# Completion of starfold for zsh: source <(starfold completion zsh)
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${script}`;
}
