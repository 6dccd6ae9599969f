import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { helm, objectsOf } from './helm.ts';

const IMAGE = 'registry.example.com/starfold/event-forwarder';
const EVENTS = 'https://sqs.eu-central-1.amazonaws.com/111122223333/starfold-prod-events';

/** Each `helm install` of docs/install.md, one line each. */
const commands = (await readFile('docs/install.md', 'utf8'))
  .replaceAll(/ \\\n +/g, ' ')
  .split('\n')
  .flatMap((line) => /^\$ helm install (.*)$/.exec(line)?.[1] ?? []);

/** The words of a command, as a shell takes them. */
async function wordsOf(command: string): Promise<readonly string[]> {
  const script = `printf '%s\\n' ${command}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { EVENTS, IMAGE } });
  return stdout.trimEnd().split('\n');
}

describe('docs/install.md', () => {
  it('installs each kind of forwarder, and Starfold itself', () => {
    const of = (chart: string) =>
      commands.filter((command) => command.includes(`/charts/${chart} `));
    expect([of('event-forwarder').length, of('starfold').length]).toEqual([8, 3]);
    expect(commands).toHaveLength(11);
  });

  it.each(commands)('has values that its chart takes: %s', async (command) => {
    const objects = objectsOf(await helm('template', ...(await wordsOf(command))));
    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
    expect(accounts.map((account) => at(account, 'metadata', 'namespace'))).toEqual(['starfold']);
  });

  it('names the objects that the chart makes', async () => {
    const access = commands.find((command) => command.startsWith('wds1-access ')) ?? '';
    const secrets = objectsOf(await helm('template', ...(await wordsOf(access)))).filter(
      ({ kind }) => kind === 'Secret',
    );
    expect(secrets.map((secret) => at(secret, 'metadata', 'name'))).toEqual([
      'wds1-access-event-forwarder',
    ]);
  });
});
