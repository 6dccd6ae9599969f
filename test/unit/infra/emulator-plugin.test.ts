import { createRequire } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';

const HOOK = 'after:aws:package:finalize:mergeCustomProviderResources';

/** What of the plugin the framework uses. */
type Plugin = new (
  serverless: object,
) => { readonly hooks: Readonly<Record<string, () => unknown>> };

// The framework loads its plugins as CommonJS.
const EmulatorPlugin = createRequire(import.meta.url)(
  '../../../infra/emulator-plugin.cjs',
) as Plugin; // Its one export.

function statement(...actions: readonly string[]) {
  return { Effect: 'Allow', Action: [...actions], Resource: 'arn:aws:sqs:us-east-1:0:q' };
}

/** A compiled template with one role. */
function serverlessWith(...statements: readonly object[]) {
  const PolicyDocument = { Statement: statements };
  const role = { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyDocument }] } };
  const compiledCloudFormationTemplate = { Resources: { Role: role } };
  return {
    pluginManager: { plugins: [] },
    service: { provider: { compiledCloudFormationTemplate } },
  };
}

describe('the plugin for emulators', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('does nothing on AWS', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);
    expect(new EmulatorPlugin(serverlessWith(statement('sqs:SendMessage'))).hooks).toEqual({});
  });

  it('allows in batches what is allowed, and nothing else', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
    const [sending, receiving, other] = [
      statement('sqs:SendMessage'),
      statement('sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'),
      statement('dynamodb:PutItem'),
    ];
    const plugin = new EmulatorPlugin(serverlessWith(sending, receiving, other));
    plugin.hooks[HOOK]?.();
    expect(sending.Action).toEqual(['sqs:SendMessage', 'sqs:SendMessageBatch']);
    expect(receiving.Action).toEqual([
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessageBatch',
      'sqs:ChangeMessageVisibilityBatch',
    ]);
    expect(other.Action).toEqual(['dynamodb:PutItem']);
  });

  it('takes what policies of resources say of TLS away, and nothing else', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
    const tls = { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
    const other = statement('sns:Publish');
    const policy = (...Statement: readonly object[]) => ({
      Properties: { PolicyDocument: { Statement } },
    });
    const Resources = {
      Queue: { Properties: {} },
      QueuePolicy: policy(tls),
      TopicPolicy: policy(other, tls),
      ManagedPolicy: policy(other),
    };
    const plugin = new EmulatorPlugin({
      pluginManager: { plugins: [] },
      service: { provider: { compiledCloudFormationTemplate: { Resources } } },
    });
    plugin.hooks[HOOK]?.();
    expect(Resources).toEqual({
      Queue: { Properties: {} },
      TopicPolicy: policy(other),
      ManagedPolicy: policy(other),
    });
  });
});
