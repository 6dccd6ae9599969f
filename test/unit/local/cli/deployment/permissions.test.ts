import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DYNAMODB_ACTIONS } from '#shared/adapters/dynamodb/item-store.ts';
import { SQS_ACTIONS } from '#shared/adapters/sqs/message-queue.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..', '..');
const IMPORT = /import \{([^}]+)\} from '@aws-sdk\/client-(\w+)'/g;
const COMMAND = /\b(\w+)Command\b/g;
/** The only operation whose action has another name (Service Authorization Reference). */
const ACTION_NAMES: Readonly<Record<string, string>> = { Invoke: 'InvokeFunction' };

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** What the commands can ask AWS for. */
function possibleActions(): readonly string[] {
  const source = read('local/cli/deployment/aws-account.ts');
  const ofAccount = [...source.matchAll(IMPORT)].flatMap(([, names = '', service = '']) =>
    [...names.matchAll(COMMAND)].map(
      ([, operation = '']) => `${service}:${ACTION_NAMES[operation] ?? operation}`,
    ),
  );
  const ofAdapters = [SQS_ACTIONS, DYNAMODB_ACTIONS].flatMap((actions) =>
    Object.values<readonly string[]>(actions).flat(),
  );
  return [...new Set([...ofAccount, ...ofAdapters])].sort();
}

it('docs/cli.md names every action of AWS that an operator needs, and no other', () => {
  const [, permissions = ''] = read('docs/cli.md').split('### Permissions');
  const named = [...permissions.matchAll(/`([a-z]+:[A-Z]\w+)`/g)].map(([, action = '']) => action);
  expect([...new Set(named)].sort()).toEqual(possibleActions());
});
