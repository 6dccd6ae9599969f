import { beforeAll, describe, expect, it } from 'vitest';
import { DYNAMODB_ACTIONS } from '#shared/adapters/dynamodb/item-store.ts';
import { EVENT_BUS_ACTIONS } from '#shared/adapters/eventbridge/event-bus.ts';
import { KUBECONFIG_ACTIONS } from '#shared/adapters/parameters/kubeconfig-locations.ts';
import { SQS_ACTIONS } from '#shared/adapters/sqs/message-queue.ts';
import { isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { SENDERS_PARTITION } from '#shared/state/senders.ts';
import { FUNCTION_CALLS, type FunctionCalls } from '#test/unit/infra/function-calls.ts';
import { synthesise, type Template } from './synthesised-template.ts';

const SECRET = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:starfold/wds2-AbCdEf';

/** What Lambda itself does with the queue that feeds a function (Lambda Developer Guide, "Using Lambda with Amazon SQS"). */
const EVENT_SOURCE_MAPPING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

const BUS = 'arn:aws:events:eu-central-1:111122223333:event-bus/starfold';

const SETTINGS = {
  region: 'eu-central-1',
  wdses: { wds1: 'ssm:/starfold/wds1/kubeconfig', wds2: `secretsmanager:${SECRET}` },
  fleet: { upstreams: { rancher: 'ssm:/starfold/rancher/kubeconfig' } },
  alarmEmail: '',
  api: true,
  notifications: { document: 'ssm:/starfold/notifications', eventBus: BUS },
};
const VPC = { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] };
/** What changes an item (Service Authorization Reference, "Amazon DynamoDB"), PartiQL aside, which no role may use. */
const WRITES = [
  'dynamodb:BatchWriteItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];

let template: Template;
/** Where the WDS decides which statuses may be read. */
let reviewing: Template;
/** The same in a VPC. */
let inside: Template;

beforeAll(async () => {
  const settings = { ...SETTINGS, api: { readers: 'wds' } } as const;
  template = await synthesise(SETTINGS);
  reviewing = await synthesise(settings);
  inside = await synthesise({ ...settings, vpc: VPC });
});

interface Statement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: JsonValue;
  readonly Condition?: JsonObject;
}

function roleOf(name: string, { Resources } = template): JsonObject {
  const found = Object.values(Resources).find(
    ({ Type, Properties }) =>
      Type === 'AWS::Lambda::Function' && Properties['FunctionName'] === `starfold-test-${name}`,
  );
  const role = found?.Properties['Role'];
  const [id] = (role as { 'Fn::GetAtt': readonly [string] })['Fn::GetAtt'];
  const own = Resources[id]?.Properties ?? {};
  const policies = own['Policies'];
  // Policies of the template that name the role.
  const attached = Object.values(Resources)
    .filter(({ Type, Properties }) => {
      const roles = Properties['Roles'];
      return Type === 'AWS::IAM::Policy' && JSON.stringify(roles).includes(`{"Ref":"${id}"}`);
    })
    .map(({ Properties }) => Properties);
  return { ...own, Policies: [...attached, ...(isArray(policies) ? policies : [])] };
}

function statementsOf(role: JsonObject): readonly Statement[] {
  const policies = role['Policies'];
  if (!isArray(policies)) return [];
  // A policy of the template, of which the test looks at each statement.
  return policies.flatMap(
    (policy) =>
      (policy as unknown as { PolicyDocument: { Statement: readonly Statement[] } }).PolicyDocument
        .Statement,
  );
}

/** Each permission that is given as `action resource`. */
function permissions(statements: readonly Statement[]): readonly string[] {
  return statements
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action, Resource }) =>
      Action.flatMap((action) =>
        (isArray(Resource) ? Resource : [Resource]).map(
          (resource) => `${action} ${JSON.stringify(resource)}`,
        ),
      ),
    )
    .sort();
}

function arnOf(resource: string): string {
  return JSON.stringify({ 'Fn::GetAtt': [resource, 'Arn'] });
}

/** The permission to read one parameter. */
function parameterRead(name: string): string {
  const arn = `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter/starfold/${name}`;
  return `${KUBECONFIG_ACTIONS.ssm[0]} ${JSON.stringify({ 'Fn::Sub': arn })}`;
}

/** The permission to read the kubeconfigs of some clusters from Parameter Store, and that of wds2. */
function reading(...clusters: readonly string[]): readonly string[] {
  return [
    ...clusters.map((cluster) => parameterRead(`${cluster}/kubeconfig`)),
    `${KUBECONFIG_ACTIONS.secretsmanager[0]} ${JSON.stringify(SECRET)}`,
  ];
}

/** What the functions read from stores. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  'write-results': reading('wds1', 'rancher'),
  'send-notifications': [
    parameterRead('notifications'),
    ...EVENT_BUS_ACTIONS.map((action) => `${action} ${JSON.stringify(BUS)}`),
  ],
};

function expected(name: string, calls: FunctionCalls): readonly string[] {
  const { store, sends, fedBy, receives = [] } = calls;
  const log = {
    'Fn::Sub': `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/starfold-test-${name}:log-stream:*`,
  };
  const own = fedBy === undefined ? [] : [...EVENT_SOURCE_MAPPING, ...SQS_ACTIONS.changeVisibility];
  const receiving = [SQS_ACTIONS.receive, SQS_ACTIONS.delete, SQS_ACTIONS.changeVisibility].flat();
  const places = PLACES[name] ?? [];
  const all = [
    ...['logs:CreateLogStream', 'logs:PutLogEvents'].map(
      (action) => `${action} ${JSON.stringify(log)}`,
    ),
    ...store.flatMap((method) =>
      DYNAMODB_ACTIONS[method].map((action) => `${action} ${arnOf('Table')}`),
    ),
    ...sends.flatMap((queue) => SQS_ACTIONS.send.map((action) => `${action} ${arnOf(queue)}`)),
    ...own.map((action) => `${action} ${arnOf(fedBy ?? '')}`),
    ...receives.flatMap((queue) => receiving.map((action) => `${action} ${arnOf(queue)}`)),
    ...places,
  ];
  return [...new Set(all)].sort();
}

describe.each(Object.entries(FUNCTION_CALLS))('the role of %s', (name, calls) => {
  it('allows what the function and its adapters can call, and nothing else', () => {
    expect(permissions(statementsOf(roleOf(name)))).toEqual(expected(name, calls));
  });

  it('gives no way to change who may report whom', () => {
    const denied = statementsOf(roleOf(name)).filter(({ Effect }) => Effect === 'Deny');
    const isWriting = calls.store.some((method) => method === 'put' || method === 'delete');
    expect(denied).toEqual(
      isWriting
        ? [
            {
              Effect: 'Deny',
              Action: WRITES,
              Resource: { 'Fn::GetAtt': ['Table', 'Arn'] },
              Condition: {
                'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': [SENDERS_PARTITION] },
              },
            },
          ]
        : [],
    );
  });

  it('is for Lambda alone', () => {
    expect(roleOf(name)['AssumeRolePolicyDocument']).toMatchObject({
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'lambda.amazonaws.com' },
          Action: 'sts:AssumeRole',
        },
      ],
    });
  });
});

describe('serve-api, if the WDS decides which statuses may be read', () => {
  it('may read the kubeconfigs of the WDSes as well, and nothing else', () => {
    const name = 'serve-api';
    const before = expected(name, FUNCTION_CALLS[name] ?? { store: [], sends: [] });
    const found = permissions(statementsOf(roleOf(name, reviewing)));
    expect(found).toEqual([...before, ...reading('wds1')].sort());
  });

  it('changes no other role', () => {
    for (const name of Object.keys(FUNCTION_CALLS).filter((one) => one !== 'serve-api'))
      expect(roleOf(name, reviewing)).toEqual(roleOf(name));
  });
});

describe.each(['write-results', 'serve-api'])('%s in a VPC', (name) => {
  it('can be put there by Lambda; its own code can do nothing of that', () => {
    const before = statementsOf(roleOf(name, reviewing));
    const [allowed, denied, ...others] = statementsOf(roleOf(name, inside)).slice(before.length);
    expect(others).toEqual([]);
    expect(allowed).toMatchObject({ Effect: 'Allow', Resource: '*' });
    expect(allowed?.Action).toContain('ec2:CreateNetworkInterface');
    expect(denied).toEqual({
      ...allowed,
      Effect: 'Deny',
      Condition: {
        ArnEquals: {
          'lambda:SourceFunctionArn': {
            'Fn::Sub': `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:starfold-test-${name}`,
          },
        },
      },
    });
  });
});

describe('the permissions', () => {
  it('have no wildcard but the streams in the log group of each function, which Lambda names', () => {
    const all = Object.values(template.Resources)
      .filter(({ Type }) => Type === 'AWS::IAM::Role' || Type === 'AWS::IAM::ManagedPolicy')
      .flatMap(({ Properties }) => JSON.stringify(Properties).match(/"[^"]*\*[^"]*"/g) ?? []);
    expect(all.length).toBe(Object.keys(FUNCTION_CALLS).length);
    for (const text of all)
      expect(text).toMatch(/:log-group:\/aws\/lambda\/starfold-test-[a-z-]+:log-stream:\*"$/);
  });

  it('are in no role but those of the functions', () => {
    const roles = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::IAM::Role');
    expect(roles).toHaveLength(Object.keys(FUNCTION_CALLS).length);
  });

  it('of a forwarder are to send events, and to read which table they go to', () => {
    expect(template.Resources['ForwarderPolicy']?.Properties['PolicyDocument']).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: [...SQS_ACTIONS.send, 'sqs:ListQueueTags'],
          Resource: { 'Fn::GetAtt': ['EventsQueue', 'Arn'] },
        },
      ],
    });
  });
});
