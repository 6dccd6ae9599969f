import type { Command, Option } from 'commander';
import { missingOption } from './option-messages.ts';

/**
 * Adds an option that must be given. Commander checks mandatory options before unknown ones, and would report that
 * `--context` is missing if the user wrote `--contxt`. This option is checked right before the action, so an unknown
 * option is reported first.
 *
 * @throws CommanderError if the command runs without it, as for a mandatory option
 */
export function addRequiredOption(command: Command, option: Option): Command {
  return command.addOption(option).hook('preAction', () => {
    if (command.getOptionValue(option.attributeName()) !== undefined) return;
    command.error(missingOption(option.flags), {
      code: 'commander.missingMandatoryOptionValue',
    });
  });
}
