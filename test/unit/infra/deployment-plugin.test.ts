import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type HttpApiServer, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const STACK = 'starfold-prod';
const POLICY = 'arn:aws-cn:iam::111122223333:policy/starfold-prod-ForwarderPolicy-1';
const OUTPUTS = {
  TableName: 'starfold-prod-Table-1ABC',
  EventsQueueUrl: 'https://sqs.cn-north-1.amazonaws.com.cn/111122223333/starfold-prod-events',
  ForwarderPolicyArn: POLICY,
};

/** What of the plugin the framework uses. */
type Plugin = new (
  serverless: object,
) => { readonly hooks: Readonly<Record<string, () => Promise<void>>> };

// The framework loads its plugins as CommonJS.
const DeploymentPlugin = createRequire(import.meta.url)(
  '../../../infra/deployment-plugin.cjs',
) as Plugin; // Its one export.

class FrameworkError extends Error {}

let server: HttpApiServer;
/** The stack's outputs; `undefined`: there is no stack. */
let outputs: Readonly<Record<string, string>> | undefined;
/** Pages of those who have the policy. */
let entities: readonly string[];
let sections: Map<string, readonly string[]>;

function element(name: string, ...content: readonly string[]): string {
  return `<${name}>${content.join('')}</${name}>`;
}

function result(action: string, content: string): string {
  return element(`${action}Response`, element(`${action}Result`, content));
}

function stacks(): string | undefined {
  if (outputs === undefined) return undefined;
  const members = Object.entries(outputs).map(([key, value]) =>
    element('member', element('OutputKey', key), element('OutputValue', value)),
  );
  const fields = [
    element('StackName', STACK),
    element('CreationTime', '2026-11-20T12:00:00.000Z'),
    element('StackStatus', 'CREATE_COMPLETE'),
    element('Outputs', ...members),
  ];
  return result('DescribeStacks', element('Stacks', element('member', ...fields)));
}

function page(marker: number): string {
  const isLast = marker === entities.length - 1;
  const rest = isLast ? '' : element('Marker', String(marker + 1));
  const content = entities[marker] + element('IsTruncated', String(!isLast)) + rest;
  return result('ListEntitiesForPolicy', content);
}

beforeAll(async () => {
  server = await startHttpApiServer();
  server.answer = ({ body }, response) => {
    const asked = new URLSearchParams(body);
    const isStack = asked.get('Action') === 'DescribeStacks';
    const known = isStack ? stacks() : page(Number(asked.get('Marker') ?? 0));
    const missing = element(
      'ErrorResponse',
      element(
        'Error',
        element('Code', 'ValidationError'),
        element('Message', `Stack with id ${STACK} does not exist`),
      ),
    );
    response.writeHead(known === undefined ? 400 : 200, { 'Content-Type': 'text/xml' });
    response.end(known ?? missing);
  };
});

beforeEach(() => {
  outputs = OUTPUTS;
  entities = [''];
  sections = new Map();
});

afterAll(() => server.close());

function run(hook: string): Promise<void> {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const provider = {
    getAwsSdkV3Config: async () => ({ endpoint: server.url, region: 'cn-north-1', credentials }),
    getRegion: () => 'cn-north-1',
    getStage: () => 'prod',
    naming: { getStackName: () => STACK },
  };
  const plugin = new DeploymentPlugin({
    getProvider: () => provider,
    classes: { Error: FrameworkError },
    addServiceOutputSection: (name: string, lines: readonly string[]) => sections.set(name, lines),
  });
  return plugin.hooks[hook]?.() ?? Promise.reject(new Error(`no hook ${hook}`));
}

describe('after packing', () => {
  it('the temporary folders of this process are gone, and those of others are there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'starfold-plugin-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const left = (pid: number): string => `aggregate-workload-${pid}-1795384943865-2bb234be`;
    const others = [left(process.pid + 1), 'starfold-e2e'];
    for (const name of [left(process.pid), ...others])
      mkdirSync(join(folder, name, 'functions'), { recursive: true });
    await run('after:package:finalize');
    expect(readdirSync(folder).sort()).toEqual(others);
  });
});

describe('after a deployment', () => {
  it('the user is told the next steps, with the values of the stack', async () => {
    await run('after:deploy:deploy');
    expect([...sections]).toEqual([
      [
        'next',
        [
          'export AWS_REGION=cn-north-1',
          `aws iam attach-role-policy --role-name ROLE-OF-THE-FORWARDER --policy-arn ${POLICY}`,
          'npx starfold register wec/CLUSTER --role ARN-OF-THAT-ROLE --stage prod',
          `helm install ... --set queue.sqs.url=${OUTPUTS.EventsQueueUrl}   # docs/install.md`,
          'npx starfold doctor --stage prod',
          `table: ${OUTPUTS.TableName}`,
        ],
      ],
    ]);
  });

  it('the address of the HTTP API is among it if there is one', async () => {
    outputs = { ...OUTPUTS, ApiUrl: 'https://a1.execute-api.cn-north-1.amazonaws.com.cn' };
    await run('after:deploy:deploy');
    expect(sections.get('next')?.at(-1)).toBe(
      'HTTP API: https://a1.execute-api.cn-north-1.amazonaws.com.cn',
    );
  });
});

describe('before a removal', () => {
  const HOOK = 'before:remove:remove';

  it('the user is told who still has the policy, and how to remove it', async () => {
    entities = [
      element('PolicyRoles', element('member', element('RoleName', 'forwarder-its1'))),
      element('PolicyUsers', element('member', element('UserName', 'wec1'))) +
        element('PolicyGroups', element('member', element('GroupName', 'forwarders'))),
    ];
    const error = await run(HOOK).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FrameworkError);
    expect(Object(error).message.split('\n')).toEqual([
      'The policy of forwarders is attached, so AWS would not remove it. Stop these forwarders, then:',
      `aws iam detach-role-policy --role-name forwarder-its1 --policy-arn ${POLICY}`,
      `aws iam detach-user-policy --user-name wec1 --policy-arn ${POLICY}`,
      `aws iam detach-group-policy --group-name forwarders --policy-arn ${POLICY}`,
    ]);
  });

  it.each([
    ['nobody has the policy', OUTPUTS],
    ['the stack has none', { TableName: OUTPUTS.TableName }],
    ['there is no stack', undefined],
  ])('nothing is in the way if %s', async (_what, found) => {
    outputs = found;
    await expect(run(HOOK)).resolves.toBeUndefined();
  });
});
