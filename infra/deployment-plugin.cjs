'use strict';

const { readdirSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** The kinds of principals that may have a policy: where IAM lists them, and by which name. */
const ENTITIES = [
  { list: 'PolicyRoles', name: 'RoleName', kind: 'role' },
  { list: 'PolicyUsers', name: 'UserName', kind: 'user' },
  { list: 'PolicyGroups', name: 'GroupName', kind: 'group' },
];
const POLICY = 'ForwarderPolicyArn';

/** Outputs of a stack by key. Empty if there is no such stack. */
async function readOutputs(config, StackName) {
  const { CloudFormationClient, DescribeStacksCommand } = require('@aws-sdk/client-cloudformation');
  try {
    const client = new CloudFormationClient(config);
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    const [{ Outputs = [] }] = Stacks;
    return new Map(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  } catch (error) {
    if (/does not exist/.test(error.message)) return new Map();
    throw error;
  }
}

/** The commands that detach a policy from all principals. */
async function detachments(config, arn) {
  const { IAMClient, paginateListEntitiesForPolicy } = require('@aws-sdk/client-iam');
  const pages = paginateListEntitiesForPolicy(
    { client: new IAMClient(config) },
    { PolicyArn: arn },
  );
  const commands = [];
  for await (const page of pages)
    for (const { list, name, kind } of ENTITIES)
      for (const entity of page[list] ?? [])
        commands.push(
          `aws iam detach-${kind}-policy --${kind}-name ${entity[name]} --policy-arn ${arn}`,
        );
  return commands;
}

/**
 * serverless-esbuild 1.57 copies what it packs into `<function>-<pid>-<time>-<8 hex digits>` among the temporary files. It
 * leaves the folder there, because it removes it as if it were empty.
 */
function removeLeftovers() {
  const own = new RegExp(`^[\\w-]+-${process.pid}-\\d{13}-[0-9a-f]{8}$`);
  for (const name of readdirSync(tmpdir()).filter((found) => own.test(found)))
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

/** The next steps for a user, from the outputs of the stack. */
function nextSteps(outputs, { region, stage }) {
  const url = outputs.get('ApiUrl');
  return [
    `export AWS_REGION=${region}`,
    `aws iam attach-role-policy --role-name ROLE-OF-THE-FORWARDER --policy-arn ${outputs.get(POLICY)}`,
    `npx starfold register wec/CLUSTER --role ARN-OF-THAT-ROLE --stage ${stage}`,
    `helm install ... --set queue.sqs.url=${outputs.get('EventsQueueUrl')}   # docs/install.md`,
    `npx starfold doctor --stage ${stage}`,
    `table: ${outputs.get('TableName')}`,
    ...(url === undefined ? [] : [`HTTP API: ${url}`]),
  ];
}

/**
 * Does what the deployment framework does not: it removes the folders that packing leaves, shows the next steps after a
 * deployment, and lists the principals that still have the policy of forwarders before a removal. AWS refuses to remove an
 * attached policy only when half of the stack is gone.
 */
module.exports = class DeploymentPlugin {
  constructor(serverless) {
    this.serverless = serverless;
    this.provider = serverless.getProvider('aws');
    this.hooks = {
      'after:deploy:deploy': () => this.tell(),
      'before:remove:remove': () => this.check(),
      'after:package:finalize': async () => removeLeftovers(),
    };
  }

  async outputs() {
    const config = await this.provider.getAwsSdkV3Config();
    return { config, outputs: await readOutputs(config, this.provider.naming.getStackName()) };
  }

  async tell() {
    const { outputs } = await this.outputs();
    const place = { region: this.provider.getRegion(), stage: this.provider.getStage() };
    this.serverless.addServiceOutputSection('next', nextSteps(outputs, place));
  }

  /** @throws Error with the commands that detach the policy from its principals. */
  async check() {
    const { config, outputs } = await this.outputs();
    const arn = outputs.get(POLICY);
    if (arn === undefined) return;
    const commands = await detachments(config, arn);
    if (commands.length === 0) return;
    throw new this.serverless.classes.Error(
      [
        'The policy of forwarders is attached, so AWS would not remove it. Stop these forwarders, then:',
        ...commands,
      ].join('\n'),
    );
  }
};
