import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKED } from './command-checks.ts';
import { codeBlocks, documents, ROOT } from './markdown.ts';
import { isRun } from './run-commands.ts';
import { commandsOf, documentsWithCommands, PROGRAMS, TOOLS, typedLines } from './shell.ts';

const SHELLS = ['bash', 'console', 'sh', 'shell', 'zsh'];
const DOCUMENTS = documentsWithCommands();

describe('the commands of the documents', () => {
  it('are in the documents that a user begins with', () => {
    const paths = DOCUMENTS.map(({ path }) => path);
    const first = ['README.md', 'docs/install.md', 'docs/tutorial.md', 'docs/operations.md'];
    expect(paths).toEqual(expect.arrayContaining(first));
    expect(DOCUMENTS.flatMap(commandsOf).length).toBeGreaterThan(200);
  });

  it.each(DOCUMENTS)('$path: each can work as it stands', async (document) => {
    const commands = commandsOf(document);
    expect(commands.length).toBeGreaterThan(0);
    const faults: string[] = [];
    for (const { program, args } of commands) {
      const fault = await CHECKED[program]?.check(args);
      if (fault !== undefined) faults.push(`${program} ${args.join(' ')}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  it('stand in blocks of sh, or behind prompts in blocks of console', () => {
    const hidden = documents().flatMap(({ path, text }) =>
      codeBlocks(text)
        .filter(({ language, code }) => SHELLS.includes(language) || /^\$ /m.test(code))
        .filter((block) => typedLines(block) === '')
        .map(({ code }) => ({ path, code })),
    );
    expect(hidden).toEqual([]);
  });
});

/** Those that ask a service, build, or take hours. A test has to run each new command. */
const ONLY_CHECKED = 47;

describe('the tests that run commands of documents', () => {
  const all = DOCUMENTS.flatMap(commandsOf);
  const run = all.filter(isRun);

  it(`run ${run.length} of ${all.length}, and check the others`, () => {
    expect(all.length - run.length).toBeLessThanOrEqual(ONLY_CHECKED);
  });
});

describe('the programs that the commands of the documents use', () => {
  it('are each tested somewhere', () => {
    expect(Object.keys(CHECKED).sort()).toEqual([...PROGRAMS, ...TOOLS].sort());
    const named = Object.values(CHECKED).flatMap(({ tests }) => tests);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('are all used', () => {
    const used = new Set(DOCUMENTS.flatMap(commandsOf).map(({ program }) => program));
    expect(Object.keys(CHECKED).filter((program) => !used.has(program))).toEqual([]);
  });
});

describe('a command of a document that cannot work', () => {
  const faultOf = async (typed: string): Promise<string | undefined> => {
    const document = { path: 'new.md', text: `\`\`\`console\n$ ${typed}\n\`\`\`\n`, prose: '' };
    const [command] = commandsOf(document);
    return CHECKED[command?.program ?? '']?.check(command?.args ?? []);
  };

  it.each([
    ['npx starfold get deployment/web --namespce shop', "unknown option '--namespce'"],
    ['starfold takeover', '--context'],
    ['starfold explain', "missing required argument 'object'"],
    ['starfold evaluate', "unknown command 'evaluate'"],
    ['npm start -- --wds', 'argument missing'],
    ['npm start -- --wec cluster1', '--wds'],
    ['npx starfold eval -f docs/examples/wds2.yaml', 'wds2.yaml: there is no such file'],
    ['npm run benchmark', 'no such script: benchmark'],
    ['npm run bench -- latencies', 'no such section: latencies'],
    ['kubectl apply -f infra/crd', 'no such file: infra/crd'],
    ['kubectl exec starfold-0 -- sh -c ls', 'this is not the program of the image'],
    ['kubectl exec starfold-0 -- node starfold.js get', 'this is not the program of the image'],
    [
      'kubectl exec starfold-0 -- node ../opt/starfold/bin/starfold.js get --wec',
      "option '--wec <name=file>' argument missing",
    ],
    ['docker build -f infra/Dockerfile --target forward .', 'no such target: forward'],
    ['aws ssm put-parameters --name n', 'no such command: ssm put-parameters'],
    ['aws ssm put-parameter --nme n', 'no such option: Nme'],
    ['curl https://api.example.com/v1/fleets/rancher1/differences', '404'],
    ['infra/local/kind.sh start-all', 'kind.sh knows no start-all'],
    ['bash docs/protocol/run.sh', 'no such script'],
  ])('is refused: %s', async (typed, fault) => {
    expect(await faultOf(typed)).toContain(fault);
  });

  it.each(['kubctl get pods', 'kubectl get "pods'])(
    'is refused if no test knows the program, or bash cannot read it: %s',
    async (typed) => {
      await expect(faultOf(typed)).rejects.toThrow(SyntaxError);
    },
  );
});
