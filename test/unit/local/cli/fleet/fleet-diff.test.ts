import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  moreFields,
  NO_DIFFERENCES,
  NO_UPSTREAM,
  NOT_A_DURATION,
  notReadYet,
  REJECTED,
  TWO_PLACES,
  unknownUpstream,
} from '#local/cli/fleet/messages.ts';
import { objectsDiffer } from '#local/start/display-messages.ts';
import { givenAlone } from '#local/start/option-messages.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { FILE_PROBLEMS } from '#shared/adapters/sqlite/messages.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putDifferences } from '#shared/state/fleet/differences.ts';
import { markListed } from '#shared/state/fleet/listed.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { type Run, STARFOLD, starfold } from '#test/unit/local/cli/command.ts';

const MINUTE_MS = 60_000;

function newFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'starfold-diff-')), 'state.sqlite');
}

interface Found {
  readonly upstream?: string;
  readonly name: string;
  readonly minutesAgo?: number;
  readonly refused?: string;
  readonly value?: string;
  readonly total?: number;
}

async function putFound(store: ItemStore, found: Found): Promise<void> {
  const { upstream = 'rancher1', name, minutesAgo = 1, refused, value = '"NotReady"' } = found;
  const subject: FleetSubject = {
    type: 'fleet',
    upstream,
    resource: 'gitrepos',
    namespace: 'fleet-default',
    name,
  };
  await putDifferences(store, subject, {
    revision: 1,
    nowMs: Date.now() - minutesAgo * MINUTE_MS,
    total: found.total ?? 1,
    differences: [{ field: 'status.display.state', fleet: value, starfold: null }],
    ...(refused === undefined ? {} : { refused }),
  });
}

/** A state file in which these management clusters have spoken, of which some have not told everything yet. */
async function stateFile(
  upstreams: readonly string[],
  found: readonly Found[],
  {
    unlisted = [],
    whileOpen = () => undefined,
  }: {
    readonly unlisted?: readonly string[];
    readonly whileOpen?: (file: string) => void;
  } = {},
): Promise<string> {
  const file = newFile();
  const database = openSqliteDatabase(file);
  const store = createSqliteItemStore(database);
  for (const name of upstreams)
    await store.put([
      { item: heartbeatItem({ type: 'fleet', name }, { epoch: 1, sequence: 1 }, Date.now()) },
    ]);
  for (const name of upstreams)
    if (!unlisted.includes(name)) await markListed(store, name, { epoch: 1, sequence: 1 });
  for (const one of found) await putFound(store, one);
  whileOpen(file);
  database.close();
  return file;
}

function diff(...args: readonly string[]): Run {
  return starfold(['fleet', 'diff', ...args]);
}

describe('starfold fleet diff', () => {
  it('ends with 0 if there are no differences', async () => {
    const file = await stateFile(['rancher1'], []);
    expect(diff('--state', file)).toEqual({ code: 0, out: NO_DIFFERENCES, err: '' });
    expect(JSON.parse(diff('--state', file, '-o', 'json').out)).toEqual({ objects: [] });
  });

  it('shows both values, and ends with 1', async () => {
    const file = await stateFile(
      ['rancher1'],
      [
        { name: 'shop', minutesAgo: 12 },
        { name: 'web', refused: 'too long', total: 7 },
      ],
    );
    const { code, out, err } = diff('--state', file);
    expect(code).toBe(1);
    expect(err).toBe(`starfold: ${objectsDiffer(2)}\n`);
    expect(out).toMatch(
      /rancher1 +│ GitRepo +│ fleet-default\/shop +│ 12 min +│ status\.display\.state +│ "NotReady" +│ - +│/,
    );
    const web = out.split('\n').find((line) => line.includes('fleet-default/web'));
    expect(web?.split('│').map((cell) => cell.trim())).toEqual([
      ...['', 'rancher1', 'GitRepo', 'fleet-default/web', expect.stringMatching(/^\d+ s$/)],
      ...[REJECTED, 'too long', '', ''],
    ]);
    expect(out).toContain(moreFields(6));
  });

  it.each([
    ['json', (text: string): unknown => JSON.parse(text)],
    ['yaml', (text: string): unknown => parse(text)],
  ] as const)('has everything for programs as %s', async (format, read) => {
    const file = await stateFile(['rancher1'], [{ name: 'web', refused: 'too long' }]);
    const { code, out } = diff('--state', file, '-o', format);
    expect(code).toBe(1);
    expect(read(out)).toEqual({
      objects: [
        {
          upstream: 'rancher1',
          kind: 'GitRepo',
          namespace: 'fleet-default',
          name: 'web',
          since: expect.stringMatching(/^\d{4}-.*Z$/),
          total: 1,
          differences: [{ field: 'status.display.state', fleet: '"NotReady"', starfold: null }],
          refused: 'too long',
        },
      ],
    });
  });

  it('reads the state while the stack has it open, and changes nothing', async () => {
    let run: Run | undefined;
    await stateFile(['rancher1'], [{ name: 'web' }], {
      whileOpen: (file) => {
        run = diff('--state', file);
      },
    });
    expect(run).toMatchObject({ code: 1, out: expect.stringContaining('fleet-default/web') });
  });

  it('looks at all management clusters, or at one', async () => {
    const both = [{ name: 'web' }, { name: 'db', upstream: 'rancher2' }];
    const file = await stateFile(['rancher1', 'rancher2'], both);
    const names = (run: Run): unknown =>
      JSON.parse(run.out).objects.map(({ name }: { name: string }) => name);
    expect(names(diff('--state', file, '-o', 'json'))).toEqual(['web', 'db']);
    expect(names(diff('--state', file, '-o', 'json', '--upstream', 'rancher2'))).toEqual(['db']);
  });

  it('leaves out what has not differed for long', async () => {
    const file = await stateFile(
      ['rancher1'],
      [
        { name: 'old', minutesAgo: 30 },
        { name: 'new', minutesAgo: 2 },
      ],
    );
    const old = diff('--state', file, '--older-than', '5m');
    expect(old).toMatchObject({ code: 1, err: `starfold: ${objectsDiffer(1)}\n` });
    expect(old.out).not.toContain('fleet-default/new');
    expect(diff('--state', file, '--older-than', '1h30m')).toMatchObject({ code: 0 });
  });

  it('does not take a management cluster that has not been read completely for one without differences', async () => {
    const unlisted = ['rancher2'];
    const file = await stateFile(['rancher1', 'rancher2'], [], { unlisted });
    const run = diff('--state', file);
    expect(run).toEqual({ code: 1, out: '', err: `starfold: ${notReadYet('rancher2')}\n` });
    expect(JSON.parse(diff('--state', file, '-o', 'json').out)).toEqual({ objects: [] });
    expect(diff('--state', file, '--upstream', 'rancher1')).toMatchObject({ code: 0, err: '' });
  });

  it('shows what is known before it says that not everything has been read', async () => {
    const unlisted = ['rancher2'];
    const file = await stateFile(['rancher1', 'rancher2'], [{ name: 'web' }], { unlisted });
    expect(diff('--state', file)).toMatchObject({
      code: 1,
      out: expect.stringContaining('fleet-default/web'),
      err: `starfold: ${objectsDiffer(1)}; ${notReadYet('rancher2')}\n`,
    });
  });

  it('shows values without what steers the terminal', async () => {
    const file = await stateFile(['rancher1'], [{ name: 'web', value: '"\u001b[31m"' }]);
    for (const format of ['table', 'json', 'yaml'])
      expect(diff('--state', file, '-o', format).out).not.toContain('\u001b[31m');
  });
});

describe('starfold fleet diff, asked for what there is not', () => {
  it('names --state and --stage if there is no state file, and makes none', () => {
    const file = newFile();
    const { code, err } = diff('--state', file);
    expect(code).toBe(1);
    expect(err).toMatch(/there is no such file: .*--state.*--stage/);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(dirname(file))).toEqual([]);
  });

  it('says that a file is not a state', () => {
    const file = newFile();
    writeFileSync(file, 'x'.repeat(10_000));
    expect(diff('--state', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining(FILE_PROBLEMS['not-a-database']),
    });
  });

  it('does not take a name that nobody has for one without differences', async () => {
    const file = await stateFile(['rancher1', 'rancher2'], []);
    expect(diff('--state', file, '--upstream', 'rancher3')).toMatchObject({
      code: 1,
      err: `starfold: ${unknownUpstream('rancher3', ['rancher1', 'rancher2'])}\n`,
    });
    expect(diff('--state', await stateFile([], []))).toMatchObject({
      code: 1,
      err: `starfold: ${NO_UPSTREAM}\n`,
    });
  });

  it.each([
    [['--state', 'f', '--stage', 'prod'], TWO_PLACES],
    [['--region', 'eu-west-1'], givenAlone('--region', '--stage')],
    [['--older-than', 'soon'], NOT_A_DURATION],
    [['--older-than', '-5m'], NOT_A_DURATION],
    [['-o', 'xml'], 'Allowed choices are table, json, yaml'],
  ])('reports wrong usage: %j', (args, says) => {
    expect(diff(...args)).toMatchObject({ code: 2, err: expect.stringContaining(says) });
  });
});

describe('what starfold fleet diff loads', () => {
  const HOOK = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;
  const loaded = (args: readonly string[]): string =>
    spawnSync(
      process.execPath,
      [
        ...['--import', `data:text/javascript,${encodeURIComponent(HOOK)}`, STARFOLD],
        ...['fleet', 'diff', ...args],
      ],
      { encoding: 'utf8' },
    ).stderr;

  it('is nothing of stores before it looks, and then only of the one that it looks at', () => {
    const help = loaded(['--help']);
    expect(help).toContain('local/cli/fleet/fleet.ts');
    expect(help).not.toMatch(
      /node_modules\/(?:@aws-|zod|string-width|slice-ansi|wrap-ansi)|shared\/adapters|sqlite/,
    );
    const state = loaded(['--state', newFile()]);
    expect(state).toContain('shared/adapters/sqlite/database.ts');
    expect(state).not.toMatch(/node_modules\/@aws-|shared\/adapters\/dynamodb/);
  });
});
