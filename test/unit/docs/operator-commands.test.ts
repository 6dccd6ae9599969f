import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_STATE } from '#local/cli/state/default-state.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { file, starfoldBeside } from '#test/unit/local/cli/command.ts';
import {
  type AwsWorld,
  CREDENTIALS,
  startAwsWorld,
} from '#test/unit/local/cli/deployment/aws-world.ts';
import { commandsOf, documentsWithCommands } from './shell.ts';
import { isOperators } from './starfold-commands.ts';

/** What each document has an operator type, in order. */
const DOCUMENTS = documentsWithCommands()
  .map((document) => ({
    path: document.path,
    commands: commandsOf(document)
      .map(({ args }) => args.filter((word) => word !== 'starfold'))
      .filter(isOperators),
  }))
  .filter(({ commands }) => commands.length > 0);

let world: AwsWorld;
let stateFile: string;

beforeEach(async () => {
  world = await startAwsWorld();
  stateFile = file('state.sqlite', '');
});

afterEach(() => world.close());

/** The WEC of the documents has reported. */
async function reportTo(store: ItemStore): Promise<void> {
  const source = { type: 'wec', name: 'cluster1' } as const;
  await store.put([{ item: heartbeatItem(source, { epoch: 1, sequence: 1 }, 0) }]);
}

/** To the deployment, or to an embedded stack. */
async function report(args: readonly string[]): Promise<void> {
  if (!args.includes('--state')) {
    const { client } = world.dynamoDb;
    return reportTo(createDynamoDbItemStore({ client, tableName: 'table' }));
  }
  const database = openSqliteDatabase(stateFile);
  await reportTo(createSqliteItemStore(database));
  database.close();
}

it('stand in the documents for operators', () => {
  const paths = DOCUMENTS.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['docs/cli.md', 'docs/operations.md']));
});

it.each(DOCUMENTS)(
  '$path: its commands for operators work on the APIs of AWS, or on a state file',
  async ({ commands }) => {
    for (const words of commands) {
      const args = words.map((word) =>
        word === DEFAULT_STATE ? stateFile : word.replace('PARTITION', 'aws'),
      );
      if (args[0] === 'unregister') await report(args);
      // Nobody answers its question here.
      const sure = args[0] === 'unregister' && !args.includes('--role') ? ['--yes'] : [];
      const { code, out, err } = await starfoldBeside(
        [...args, ...sure],
        world.environment(CREDENTIALS),
      );
      const outcome = { code, err, isSilent: out === '' };
      expect.soft(outcome, args.join(' ')).toEqual({ code: 0, err: '', isSilent: false });
    }
  },
);
