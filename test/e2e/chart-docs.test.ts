import { describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { commandsOf, documentsWithCommands } from '#test/unit/docs/shell.ts';
import { helm, objectsOf, valuesFile } from './helm.ts';

/** Each `helm install` and `helm template` of the documents: the words behind it. */
const INSTALLATIONS = documentsWithCommands()
  .flatMap(commandsOf)
  .filter(({ program }) => program.endsWith('helm'))
  .map(({ path, args: [, ...args] }) => ({ path, words: args.join(' '), args }));

/** The file that a reader writes himself is one of the chart's examples. */
function withValues(args: readonly string[]): readonly string[] {
  return args.map((word) => (word === 'values.yaml' ? valuesFile('wec-selector') : word));
}

describe('docs/install.md', () => {
  it('installs each kind of forwarder, and Starfold itself', () => {
    const of = (chart: string): number =>
      INSTALLATIONS.filter(
        ({ path, args }) => path === 'docs/install.md' && args[1] === `infra/charts/${chart}`,
      ).length;
    expect([of('event-forwarder'), of('starfold')]).toEqual([9, 3]);
  });

  it('names the objects that the chart makes', async () => {
    const access = INSTALLATIONS.find(({ args }) => args[0] === 'wds1-access');
    const secrets = objectsOf(await helm('template', ...(access?.args ?? []))).filter(
      ({ kind }) => kind === 'Secret',
    );
    expect(secrets.map((secret) => at(secret, 'metadata', 'name'))).toEqual([
      'wds1-access-event-forwarder',
    ]);
  });
});

describe('the documents', () => {
  it.each(INSTALLATIONS)('have values that the chart takes: $path: $words', async ({ args }) => {
    const objects = objectsOf(await helm('template', ...withValues(args)));
    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
    expect(accounts.map((account) => at(account, 'metadata', 'namespace'))).toEqual(['starfold']);
  });
});
