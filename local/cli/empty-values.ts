import type { Command } from 'commander';
import { emptyValue } from '#local/cli/terminal/option-messages.ts';

/** An empty selector selects everything, as in kubectl. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['selector', 'fieldSelector']);

/**
 * Refuses an option whose value is empty. A shell gives one for a variable that is not set, and the command would do what it does
 * without the option.
 *
 * @throws CommanderError
 */
export function refuseEmptyValues(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const value: unknown = command.getOptionValue(name);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!values.includes('') || MAY_BE_EMPTY.has(name)) continue;
    command.error(emptyValue(option.flags), { code: 'commander.invalidArgument' });
  }
}
