'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

const POLL_MS = 200;
const DONE = /(?<!ROLLBACK)_COMPLETE$/;
const FAILED = /FAILED$|ROLLBACK_COMPLETE$/;

/** Status of a stack, and its reason. If a stack that is being deleted no longer exists, it is deleted. */
async function statusOf(client, StackName, action) {
  const { DescribeStacksCommand } = require('@aws-sdk/client-cloudformation');
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    const [{ StackStatus: status, StackStatusReason: reason = 'no reason given' }] = Stacks;
    return { status, reason };
  } catch (error) {
    if (action === 'delete') return { status: 'DELETE_COMPLETE', reason: '' };
    throw error;
  }
}

/** Waits until a stack has settled. */
async function follow(action, { StackId: name }) {
  const { CloudFormationClient } = require('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient({});
  for (;;) {
    const { status, reason } = await statusOf(client, name, action);
    if (FAILED.test(status)) throw new Error(`stack ${name}: ${status}: ${reason}`);
    if (DONE.test(status)) return status;
    await sleep(POLL_MS);
  }
}

/** SQS authorises a batch by the actions of its entries (Service Authorization Reference, "Amazon SQS"). */
const BATCHED = ['sqs:SendMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'];

/** Every statement that allows an action of {@link BATCHED} also allows it in batches. */
function allowBatches(value) {
  if (typeof value !== 'object' || value === null) return;
  if (value.Effect === 'Allow' && Array.isArray(value.Action))
    value.Action.push(
      ...BATCHED.filter((action) => value.Action.includes(action)).map((one) => `${one}Batch`),
    );
  for (const child of Object.values(value)) allowBatches(child);
}

function isAboutTls({ Condition }) {
  return Condition?.Bool?.['aws:SecureTransport'] !== undefined;
}

/**
 * Removes TLS rules from the policies of resources, because an emulator has no TLS. A policy without other rules is
 * removed.
 */
function allowPlainHttp(resources) {
  for (const [name, { Properties }] of Object.entries(resources)) {
    const { Statement: all } = Properties?.PolicyDocument ?? {};
    if (!Array.isArray(all) || !all.some(isAboutTls)) continue;
    const others = all.filter((statement) => !isAboutTls(statement));
    if (others.length === 0) delete resources[name];
    else Properties.PolicyDocument.Statement = others;
  }
}

/**
 * Adapts a deployment to an emulator of AWS. Without AWS_ENDPOINT_URL, it does nothing.
 *
 * - The emulator has no ValidateTemplate for a template in S3.
 * - For the emulator, a batch of messages is an action of its own, which AWS does not have.
 * - The emulator uses HTTP, and the policies of queues and topic reject requests without TLS.
 * - Events of a stack within one millisecond have no order, so following them may never end. The status of the stack is
 *   read instead.
 */
module.exports = class EmulatorPlugin {
  constructor(serverless) {
    this.serverless = serverless;
    // biome-ignore lint/style/noProcessEnv: a plugin of the deployment, outside of the code that shared/env.ts serves.
    this.hooks = process.env.AWS_ENDPOINT_URL
      ? {
          initialize: () => this.adapt(),
          'after:aws:package:finalize:mergeCustomProviderResources': () => {
            const { Resources } = serverless.service.provider.compiledCloudFormationTemplate;
            allowBatches(Resources);
            allowPlainHttp(Resources);
          },
        }
      : {};
  }

  adapt() {
    for (const plugin of this.serverless.pluginManager.plugins) {
      if (plugin.validateTemplate) plugin.validateTemplate = async () => {};
      if (plugin.checkStackProgress) plugin.checkStackProgress = follow;
    }
  }
};
