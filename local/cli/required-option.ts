import type { Command, Option } from 'commander';

/**
 * Adds an option that must be given. Commander looks for a mandatory option before it looks for unknown ones, and would say
 * that `--context` is missing where `--contxt` was written. This one is looked for right before the action: what is unknown
 * is named first.
 *
 * @throws CommanderError when the command runs without it, as for a mandatory option
 */
export function addRequiredOption(command: Command, option: Option): Command {
  return command.addOption(option).hook('preAction', () => {
    if (command.getOptionValue(option.attributeName()) !== undefined) return;
    command.error(`error: required option '${option.flags}' not specified`, {
      code: 'commander.missingMandatoryOptionValue',
    });
  });
}
