import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, starfold as runStarfold } from '#test/unit/local/cli/command.ts';
import { ROOT } from './markdown.ts';

/** Whether a command reads files and needs no installation. */
export function isOffline(args: readonly string[]): boolean {
  const [command = ''] = args;
  return (
    ['eval', 'health', 'completion', '--version'].includes(command) ||
    (command === 'explain' && args.includes('-f'))
  );
}

/** Whether a command asks the APIs of AWS, or changes a state file: operator-commands.test.ts runs it. */
export function isOperators([command = '']: readonly string[]): boolean {
  return ['doctor', 'register', 'unregister'].includes(command);
}

/** Whether a command asks an installation on this machine: documented-questions.test.ts runs it. */
export function isQuestion([command = '', ...args]: readonly string[]): boolean {
  return ['get', 'query', 'console', 'fleet'].includes(command) && !args.includes('--stage');
}

/** The user's own files are those of the examples that have their names. */
function withExamples(args: readonly string[]): readonly string[] {
  return args.map((word) => {
    const [, name = '', file = ''] = /^(\w+=)?(\w+\.yaml)$/.exec(word) ?? [];
    const example = `docs/examples/${file}`;
    return file !== '' && existsSync(join(ROOT, example)) ? `${name}${example}` : word;
  });
}

/** Runs a command if it needs no installation; the result is `undefined` if it does. */
export function runOffline(args: readonly string[]): Run | undefined {
  return isOffline(args) ? runStarfold(withExamples(args)) : undefined;
}
