import { Argument, type Command } from 'commander';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { bashScript, zshScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type CommandShape, shapeOf } from './shape.ts';

const SCRIPTS: Readonly<Record<string, (program: CommandShape) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const HELP = `
The script has the commands and options of this version, so print it again after an update.

Examples:
  $ source <(starfold completion bash)
  $ starfold completion zsh > ~/.starfold-completion.zsh && echo 'source ~/.starfold-completion.zsh' >> ~/.zshrc
  $ starfold completion fish > ~/.config/fish/completions/starfold.fish`;

/**
 * Adds `starfold completion`.
 *
 * @param whole makes the program with the options of every command
 */
export function addCompletionCommand(
  program: Command,
  terminal: Terminal,
  whole: () => Promise<Command>,
): void {
  program
    .command('completion')
    .summary('print the script by which a shell completes commands and options')
    .description('Prints the script by which a shell completes commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action(async (shell: string) => {
      terminal.out(SCRIPTS[shell]?.(shapeOf(await whole())) ?? '');
    });
}
