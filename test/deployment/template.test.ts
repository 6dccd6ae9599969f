import { beforeAll, describe, expect, it } from 'vitest';
import { localContext } from '#local/stack/poller.ts';
import { STATE_TAG } from '#shared/adapters/sqs/receiver-state.ts';
import { ARGO_CD_ORDER, NO_VERDICT } from '#shared/core/health/verdict.ts';
import { at, isArray, isObject, type JsonValue, member } from '#shared/core/json.ts';
import type { CountName } from '#shared/ports/telemetry.ts';
import { withMiddleware } from '#shared/runtime/batch.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { readDocument } from '#test/unit/docs/markdown.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { synthesise, type Template, type TemplateResource } from './synthesised-template.ts';

const FUNCTIONS = [
  'record-events',
  'aggregate-workload',
  'write-results',
  'sweep-stale',
  'send-notifications',
  'serve-api',
];
const QUEUES = ['Events', 'Dirty', 'Hints', 'Notifications'];
/** Every metric of Starfold's own. */
const METRICS = {
  EventsRecorded: true,
  EventsCoalesced: true,
  RefusedEvents: true,
  ForgedSenders: true,
  Folds: true,
  Writes: true,
  WriteConflicts: true,
  WritesRefused: true,
  Redriven: true,
  Notifications: true,
  NotificationsRefused: true,
  FleetDifferences: true,
  SubjectsSetAside: true,
  ChangeToWds: true,
  RetryableFailures: true,
  TerminalFailures: true,
} as const satisfies Record<
  CountName | 'ChangeToWds' | 'RetryableFailures' | 'TerminalFailures',
  true
>;
const FIFO = new Set(['Dirty', 'Hints', 'Notifications']);

const SETTINGS = {
  region: 'eu-central-1',
  wdses: { wds1: 'ssm:/starfold/wds1/kubeconfig' },
  alarmEmail: 'operators@example.com',
};
const OPTIONAL = {
  workloadMetrics: true,
  warmThroughput: { readUnitsPerSecond: 60_000, writeUnitsPerSecond: 20_000 },
  notifications: { document: 'ssm:/starfold/notifications' },
};
const VPC = {
  subnetIds: ['subnet-0a1b2c3d', 'subnet-1a2b3c4d'],
  securityGroupIds: ['sg-0a1b2c3d'],
};

/** With all that may be left out. */
let template: Template;
/** With nothing of that. */
let smallest: Template;
/** Where the WDS decides which statuses may be read. */
let reviewing: Template;

beforeAll(async () => {
  template = await synthesise({ ...SETTINGS, api: true, vpc: VPC, ...OPTIONAL });
  smallest = await synthesise(SETTINGS);
  reviewing = await synthesise({ ...SETTINGS, api: { readers: 'wds' }, vpc: VPC });
});

function ofType(type: string, { Resources } = template): readonly [string, TemplateResource][] {
  return Object.entries(Resources).filter(([, resource]) => resource.Type === type);
}

function resource(name: string): TemplateResource['Properties'] {
  const found = template.Resources[name];
  expect(found, `the template has no ${name}`).toBeDefined();
  return found?.Properties ?? {};
}

function lambda(name: string, among = template): TemplateResource['Properties'] {
  const found = ofType('AWS::Lambda::Function', among).find(
    ([, { Properties }]) => Properties['FunctionName'] === `starfold-test-${name}`,
  );
  expect(found, `the template has no function ${name}`).toBeDefined();
  return found?.[1].Properties ?? {};
}

function mappingOf(queue: string): TemplateResource['Properties'] {
  const arn = { 'Fn::GetAtt': [`${queue}Queue`, 'Arn'] };
  const found = ofType('AWS::Lambda::EventSourceMapping').find(
    ([, { Properties }]) => JSON.stringify(Properties['EventSourceArn']) === JSON.stringify(arn),
  );
  expect(found, `nothing is fed by ${queue}`).toBeDefined();
  return found?.[1].Properties ?? {};
}

function functionFedBy(queue: string): TemplateResource['Properties'] {
  const name = at(mappingOf(queue), 'FunctionName', 'Fn::GetAtt');
  return resource(String(Array.isArray(name) ? name[0] : name));
}

function first(list: JsonValue | undefined): JsonValue | undefined {
  return isArray(list) ? list[0] : undefined;
}

/** Dimensions by name. */
type Dimensions = Readonly<Record<string, unknown>>;

/** Dimensions that a function of the stack gives its metrics, by what it prints for CloudWatch. */
async function emittedBy(name: string): Promise<Dimensions> {
  const stage = String(at(lambda(name), 'Environment', 'Variables', 'STAGE'));
  const { observability, lines } = createObservedOutput({ service: name, stage });
  const telemetry = createTelemetry(observability);
  const run = withMiddleware(async () => telemetry.count('Writes'), observability);
  await run({}, localContext(name, 'request-1'));
  const [line] = lines();
  const sets = at(first(at(line, '_aws', 'CloudWatchMetrics')), 'Dimensions');
  const names = first(sets);
  expect(sets).toEqual([names]);
  return Object.fromEntries(
    (isArray(names) ? names : []).map((key) => [key, member(line, String(key))]),
  );
}

/** Dimensions of metrics of Starfold's own that the dashboard shows, by the metric's name. */
function shownMetrics(): readonly (readonly [string, Dimensions])[] {
  const body = at(resource('Dashboard'), 'DashboardBody', 'Fn::Sub');
  const { widgets } = JSON.parse(String(body)) as {
    widgets: { properties: { metrics: unknown[][] } }[];
  };
  return widgets
    .flatMap(({ properties }) => properties.metrics)
    .filter(([namespace]) => namespace === 'Starfold')
    .map(([, metric, ...rest]) => {
      const texts = rest.filter((part) => typeof part === 'string');
      const pairs = texts.flatMap((key, index) =>
        index % 2 === 0 ? [[key, texts[index + 1]]] : [],
      );
      return [String(metric), Object.fromEntries(pairs)] as const;
    });
}

function alarmsOn(metric: string): readonly JsonValue[] {
  return ofType('AWS::CloudWatch::Alarm')
    .filter(([, { Properties }]) => Properties['MetricName'] === metric)
    .map(([, { Properties }]) => member(first(Properties['Dimensions']), 'Value') ?? null);
}

describe('the table (docs/architecture.md, section 5)', () => {
  it('stays when the stack goes, cannot be deleted by mistake, and is not in the way of the next one', () => {
    const { DeletionPolicy, UpdateReplacePolicy, Properties } = template.Resources['Table'] ?? {};
    expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
    expect(Properties).toMatchObject({ DeletionProtectionEnabled: true });
    expect(Properties).not.toHaveProperty('TableName');
  });

  it('is on demand, encrypted, recoverable, and lets tombstones expire', () => {
    expect(ofType('AWS::DynamoDB::Table')).toHaveLength(1);
    expect(resource('Table')).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
    });
  });

  it('has the warm throughput of the settings, and otherwise what AWS gives it', () => {
    expect(resource('Table')['WarmThroughput']).toEqual({
      ReadUnitsPerSecond: 60_000,
      WriteUnitsPerSecond: 20_000,
    });
    expect(smallest.Resources['Table']?.Properties).not.toHaveProperty('WarmThroughput');
  });
});

describe('the queue of events', () => {
  it('names the table, so that forwarders notice another one', () => {
    expect(resource('EventsQueue')['Tags']).toEqual(
      expect.arrayContaining([{ Key: STATE_TAG, Value: { Ref: 'Table' } }]),
    );
  });
});

describe.each(QUEUES)('the queue %s', (name) => {
  it('has a dead-letter queue of its own kind, which keeps messages longer', () => {
    const queue = resource(`${name}Queue`);
    const letters = resource(`${name}DeadLetterQueue`);
    expect(at(queue, 'RedrivePolicy', 'deadLetterTargetArn')).toEqual({
      'Fn::GetAtt': [`${name}DeadLetterQueue`, 'Arn'],
    });
    expect(letters['FifoQueue']).toBe(queue['FifoQueue']);
    expect(letters['MessageRetentionPeriod']).toBe(14 * 24 * 3600);
    expect(Number(queue['MessageRetentionPeriod'])).toBeLessThan(14 * 24 * 3600);
  });

  it(`is ${FIFO.has(name) ? 'FIFO with high throughput' : 'standard'}, encrypted, and takes messages of 1 MiB`, () => {
    const queue = resource(`${name}Queue`);
    expect(queue['SqsManagedSseEnabled']).toBe(true);
    expect(queue['MaximumMessageSize']).toBe(1024 * 1024);
    expect([queue['FifoQueue'], queue['DeduplicationScope'], queue['FifoThroughputLimit']]).toEqual(
      FIFO.has(name)
        ? [true, 'messageGroup', 'perMessageGroupId']
        : [undefined, undefined, undefined],
    );
  });

  it('hides a message for a minute, which is as long as its function may have it (Lambda Developer Guide, SQS)', () => {
    const window = Number(mappingOf(name)['MaximumBatchingWindowInSeconds'] ?? 0);
    const timeout = Number(functionFedBy(name)['Timeout']);
    expect(resource(`${name}Queue`)['VisibilityTimeout']).toBe(60);
    expect(timeout + window).toBeLessThanOrEqual(60);
  });

  it('takes nothing that comes without TLS, nor does its dead-letter queue', () => {
    for (const queue of [`${name}Queue`, `${name}DeadLetterQueue`])
      expect(resource(`${queue}Policy`)).toEqual({
        Queues: [{ Ref: queue }],
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Sid: 'OnlyByTls',
              Effect: 'Deny',
              Principal: '*',
              Action: 'sqs:*',
              Resource: { 'Fn::GetAtt': [queue, 'Arn'] },
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            },
          ],
        },
      });
  });

  it('feeds a function that answers which messages it could not handle, at a bounded concurrency', () => {
    const mapping = mappingOf(name);
    expect(mapping['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures']);
    expect(Number(at(mapping, 'ScalingConfig', 'MaximumConcurrency'))).toBeGreaterThanOrEqual(2);
    // Lambda takes no larger batch from a FIFO queue, and no window.
    if (FIFO.has(name)) {
      expect(Number(mapping['BatchSize'])).toBeLessThanOrEqual(10);
      expect(mapping['MaximumBatchingWindowInSeconds']).toBeUndefined();
    } else {
      // A larger batch than 10 needs a window of at least a second.
      expect(Number(mapping['MaximumBatchingWindowInSeconds'])).toBeGreaterThanOrEqual(1);
    }
  });

  it('is tried often enough, but not forever', () => {
    const receives = Number(at(resource(`${name}Queue`), 'RedrivePolicy', 'maxReceiveCount'));
    // AWS advises 5 or more with Lambda, so that throttled invocations bury nothing.
    expect(receives).toBeGreaterThanOrEqual(5);
    expect(receives).toBeLessThanOrEqual(1000);
    // An outage of an hour buries nothing: neither one in which the function fails, nor one in which it is throttled and
    // Lambda receives messages for nothing, again and again.
    const delays = Array.from({ length: receives - 1 }, (_, index) => exponentialRetry(index + 1));
    expect(delays.reduce((sum, delay) => sum + delay)).toBeGreaterThan(3600);
    expect(receives * Number(resource(`${name}Queue`)['VisibilityTimeout'])).toBeGreaterThan(3600);
  });

  it('has alarms for the age of its oldest message and for dead letters', () => {
    expect(alarmsOn('ApproximateAgeOfOldestMessage')).toContainEqual({
      'Fn::GetAtt': [`${name}Queue`, 'QueueName'],
    });
    expect(alarmsOn('ApproximateNumberOfMessagesVisible')).toContainEqual({
      'Fn::GetAtt': [`${name}DeadLetterQueue`, 'QueueName'],
    });
  });
});

describe.each(FUNCTIONS)('the function %s', (name) => {
  it('runs on nodejs24.x on arm64, with memory and a timeout of its own', () => {
    expect(lambda(name)).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    expect(Number(lambda(name)['MemorySize'])).toBeGreaterThanOrEqual(512);
    expect(Number(lambda(name)['Timeout'])).toBeGreaterThan(6);
  });

  it('keeps its log for a month', () => {
    const group = ofType('AWS::Logs::LogGroup').find(
      ([, { Properties }]) => Properties['LogGroupName'] === `/aws/lambda/starfold-test-${name}`,
    );
    expect(group?.[1].Properties['RetentionInDays']).toBe(30);
  });

  it('has alarms for errors and throttles', () => {
    expect(alarmsOn('Errors')).toContain(`starfold-test-${name}`);
    expect(alarmsOn('Throttles')).toContain(`starfold-test-${name}`);
  });
});

describe('alarms', () => {
  it('fire if a sender reports a cluster that it is not registered for', () => {
    expect(alarmsOn('ForgedSenders')).toEqual(['record-events']);
  });

  it('ring while a subject is set aside', () => {
    expect(alarmsOn('SubjectsSetAside')).toEqual(['sweep-stale']);
  });

  it.each([
    ...['record-events', 'aggregate-workload', 'write-results'],
    ...['send-notifications', 'serve-api'],
  ])('ring when %s keeps failing for minutes, and at once when it can never succeed', (name) => {
    const onFailures = ofType('AWS::CloudWatch::Alarm').filter(
      ([, { Properties }]) =>
        ['RetryableFailures', 'TerminalFailures'].includes(String(Properties['MetricName'])) &&
        member(first(Properties['Dimensions']), 'Value') === name,
    );
    expect(
      onFailures.map(([, { Properties }]) => [
        Properties['Namespace'],
        Properties['MetricName'],
        Properties['DatapointsToAlarm'],
        Properties['EvaluationPeriods'],
      ]),
    ).toEqual([
      ['Starfold', 'RetryableFailures', 3, 5],
      ['Starfold', 'TerminalFailures', 1, 1],
    ]);
  });

  it('ring above nothing, but for the age of messages, and for what does not run', () => {
    for (const [name, { Properties }] of ofType('AWS::CloudWatch::Alarm')) {
      const metric = String(Properties['MetricName']);
      const rule = [
        Properties['Threshold'],
        Properties['ComparisonOperator'],
        Properties['TreatMissingData'],
      ];
      if (metric === 'Invocations')
        expect([name, ...rule]).toEqual([name, 1, 'LessThanThreshold', 'breaching']);
      else {
        const threshold = metric === 'ApproximateAgeOfOldestMessage' ? 300 : 0;
        expect([name, ...rule]).toEqual([name, threshold, 'GreaterThanThreshold', 'notBreaching']);
      }
    }
  });

  it('ring when sweep-stale has not run for five minutes', () => {
    expect(alarmsOn('Invocations')).toEqual(['starfold-test-sweep-stale']);
    expect(resource('SweepStaleStoppedAlarm')).toMatchObject({
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 5,
    });
  });

  it('ring for metrics that exist', () => {
    const names = ofType('AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => Properties['Namespace'] === 'Starfold')
      .map(([, { Properties }]) => String(Properties['MetricName']));
    expect(names.filter((name) => !Object.hasOwn(METRICS, name))).toEqual([]);
  });

  it('go to a topic that the operator is subscribed to', () => {
    for (const [, { Properties }] of ofType('AWS::CloudWatch::Alarm'))
      expect(Properties['AlarmActions']).toEqual([{ Ref: 'AlarmTopic' }]);
    expect(resource('AlarmSubscription')).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operators@example.com',
      TopicArn: { Ref: 'AlarmTopic' },
    });
  });
});

describe('the topic of alarms', () => {
  it('is encrypted with a key that alarms may use', () => {
    expect(resource('AlarmTopic')['KmsMasterKeyId']).toEqual({ 'Fn::GetAtt': ['AlarmKey', 'Arn'] });
    expect(at(resource('AlarmKey'), 'KeyPolicy', 'Statement')).toContainEqual({
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
  });

  it('takes what alarms of the account say, and nothing that comes without TLS', () => {
    expect(resource('AlarmTopicPolicy')['Topics']).toEqual([{ Ref: 'AlarmTopic' }]);
    expect(at(resource('AlarmTopicPolicy'), 'PolicyDocument', 'Statement')).toEqual([
      {
        Sid: 'Alarms',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: 'AlarmTopic' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
      {
        Sid: 'OnlyByTls',
        Effect: 'Deny',
        Principal: '*',
        Action: 'sns:Publish',
        Resource: { Ref: 'AlarmTopic' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ]);
  });
});

describe('metrics of a stage', () => {
  it('are what alarms ring for: the dimensions are those that the function gives them', async () => {
    const own = ofType('AWS::CloudWatch::Alarm').filter(
      ([, { Properties }]) => Properties['Namespace'] === 'Starfold',
    );
    expect(own).not.toEqual([]);
    for (const [, { Properties }] of own) {
      const list = Properties['Dimensions'];
      const dimensions = Object.fromEntries(
        (isArray(list) ? list : []).map((one) => [member(one, 'Name'), member(one, 'Value')]),
      );
      expect(dimensions).toEqual(await emittedBy(String(dimensions['service'])));
      expect(dimensions).toMatchObject({ stage: 'test' });
    }
  });

  it('are what the dashboard shows', async () => {
    expect(shownMetrics()).not.toEqual([]);
    expect(shownMetrics().filter(([name]) => !Object.hasOwn(METRICS, name))).toEqual([]);
    for (const [, dimensions] of shownMetrics())
      expect(dimensions).toEqual(await emittedBy(String(dimensions['service'])));
  });
});

describe('the code of a deployment', () => {
  it('is not kept when the next one comes', () => {
    expect(ofType('AWS::Lambda::Version')).toEqual([]);
  });
});

describe('the HTTP API', () => {
  const FLEET = [
    ['GET /v1/fleet/{upstream}/differences', 'AWS_IAM'],
    ['GET /v1/fleet/{upstream}/{resource}/{namespace}/{name}/deployments', 'AWS_IAM'],
  ];
  const routesOf = (among: Template) =>
    ofType('AWS::ApiGatewayV2::Route', among)
      .map(([, { Properties }]) => [Properties['RouteKey'], Properties['AuthorizationType']])
      .sort();

  it('lets nobody in but principals of AWS whom IAM allows it', () => {
    expect(routesOf(template)).toEqual([['ANY /wds/{wds}/{proxy+}', 'AWS_IAM'], ...FLEET]);
    expect(lambda('serve-api')['Handler']).toBe('functions/serve-api/handler.handler');
  });

  it('leaves it to serve-api and the WDS who may read statuses if the settings say so', () => {
    expect(routesOf(reviewing)).toEqual([['ANY /wds/{wds}/{proxy+}', undefined], ...FLEET]);
    const reader = lambda('serve-api', reviewing);
    expect(reader['Handler']).toBe('functions/serve-api/reviewed/handler.handler');
    expect(reader['VpcConfig']).toEqual(lambda('write-results', reviewing)['VpcConfig']);
  });

  it('asks serve-api, which answers sooner than the API gives up', () => {
    const [integration, ...others] = ofType('AWS::ApiGatewayV2::Integration');
    expect(others).toEqual([]);
    expect(integration?.[1].Properties).toMatchObject({
      IntegrationType: 'AWS_PROXY',
      PayloadFormatVersion: '2.0',
      IntegrationUri: { 'Fn::GetAtt': ['ServeDashapiLambdaFunction', 'Arn'] },
    });
    expect(Number(lambda('serve-api')['Timeout'])).toBeLessThan(30);
  });

  it('is throttled, and keeps a line of each request for a month', () => {
    const [stage] = ofType('AWS::ApiGatewayV2::Stage');
    const { DefaultRouteSettings, AccessLogSettings } = stage?.[1].Properties ?? {};
    expect(DefaultRouteSettings).toEqual({ ThrottlingBurstLimit: 20, ThrottlingRateLimit: 10 });
    expect(at(AccessLogSettings ?? null, 'DestinationArn')).toEqual({
      'Fn::GetAtt': ['HttpApiLogGroup', 'Arn'],
    });
    const format = JSON.parse(String(at(AccessLogSettings ?? null, 'Format'))) as object;
    expect(format).toMatchObject({
      caller: '$context.identity.userArn',
      path: '$context.path',
      status: '$context.status',
    });
    expect(resource('HttpApiLogGroup')['RetentionInDays']).toBe(30);
  });

  it('is completely missing if the settings do not ask for it', () => {
    expect(JSON.stringify(smallest)).not.toMatch(/serve-?api|ApiGateway|HttpApi|ApiUrl/i);
    const body = at(smallest.Resources['Dashboard']?.Properties ?? {}, 'DashboardBody', 'Fn::Sub');
    const { widgets } = JSON.parse(String(body)) as { widgets: unknown[] };
    expect(widgets.length).toBeGreaterThanOrEqual(8);
  });
});

describe('notifications', () => {
  it('are read from where the settings say, and their queues are known to the functions that use them', () => {
    const variables = (name: string) => at(lambda(name), 'Environment', 'Variables');
    expect(variables('send-notifications')).toMatchObject({
      NOTIFICATIONS: 'ssm:/starfold/notifications',
      NOTIFICATIONS_DLQ_URL: { Ref: 'NotificationsDeadLetterQueue' },
    });
    for (const name of ['aggregate-workload', 'write-results', 'sweep-stale', 'send-notifications'])
      expect(variables(name)).toMatchObject({
        NOTIFICATIONS_QUEUE_URL: { Ref: 'NotificationsQueue' },
      });
  });

  it('are completely missing if the settings do not name any', () => {
    const { Resources, Outputs } = smallest;
    expect(Object.keys({ ...Resources, ...Outputs }).filter((key) => /notif/i.test(key))).toEqual(
      [],
    );
    const { Properties = {} } = Resources['Dashboard'] ?? {};
    expect(JSON.stringify(Properties)).not.toMatch(/notif/i);
    for (const name of ['aggregate-workload', 'write-results', 'sweep-stale'])
      expect(at(lambda(name, smallest), 'Environment', 'Variables')).toMatchObject({
        NOTIFICATIONS_QUEUE_URL: '',
      });
  });
});

describe('a VPC', () => {
  it('has write-results in it, and no other function', () => {
    const { securityGroupIds, subnetIds } = VPC;
    for (const name of FUNCTIONS)
      expect(lambda(name)['VpcConfig']).toEqual(
        name === 'write-results'
          ? { SecurityGroupIds: securityGroupIds, SubnetIds: subnetIds }
          : undefined,
      );
  });

  it('is not there if the settings name none', () => {
    expect(JSON.stringify(smallest)).not.toMatch(/VpcConfig|NetworkInterface/);
  });
});

describe('schedules', () => {
  it('start sweep-stale each minute, and each hour for stuck work', () => {
    const rules = ofType('AWS::Events::Rule').map(([, { Properties }]) => [
      Properties['ScheduleExpression'],
      member(first(Properties['Targets']), 'Input') ?? null,
    ]);
    expect(rules).toEqual([
      ['rate(1 minute)', null],
      ['rate(1 hour)', '{"task":"redrive"}'],
      ['rate(5 minutes)', '{"task":"count"}'],
    ]);
  });

  it('count the workload objects of the WDSes only if the settings say so', () => {
    const counting = (among: Template) => [
      ...ofType('AWS::Events::Rule', among)
        .filter(([, { Properties }]) => JSON.stringify(Properties).includes('count'))
        .map(([, { Properties }]) => Properties['State']),
      at(lambda('sweep-stale', among), 'Environment', 'Variables', 'COUNTED_WDSES'),
    ];
    expect(counting(template)).toEqual(['ENABLED', 'wds1']);
    expect(counting(smallest)).toEqual(['DISABLED', '']);
  });

  it('are what starts it again when it failed or came late: Lambda itself does not', () => {
    expect(
      ofType('AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => Properties),
    ).toEqual([
      expect.objectContaining({
        FunctionName: { Ref: 'SweepDashstaleLambdaFunction' },
        MaximumEventAgeInSeconds: 60,
        MaximumRetryAttempts: 0,
      }),
    ]);
  });
});

describe('the dashboard', () => {
  it('is JSON, and shows metrics that exist', () => {
    const body = at(resource('Dashboard'), 'DashboardBody', 'Fn::Sub');
    const parsed = JSON.parse(String(body)) as {
      widgets: { properties: { metrics: unknown[][] } }[];
    };
    const own = parsed.widgets
      .flatMap(({ properties }) => properties.metrics)
      .filter(([namespace]) => namespace === 'Starfold')
      .map(([, metric]) => metric);
    expect(own.length).toBeGreaterThan(0);
    expect(parsed.widgets.length).toBeGreaterThanOrEqual(8);
  });

  it('shows the workload objects of each verdict with the dimensions that they are published with, if they are counted', () => {
    const expressions = (among: Template) => {
      const { Properties = {} } = among.Resources['Dashboard'] ?? {};
      const body = String(at(Properties, 'DashboardBody', 'Fn::Sub'));
      return [...body.matchAll(/"SUM\(SEARCH\('(.*?)', 'Maximum', 300\)\)"/g)].map(
        ([, one]) => one,
      );
    };
    const { observability, lines } = createObservedOutput({
      service: 'sweep-stale',
      stage: 'test',
    });
    const gauge = { wds: 'w', resource: 'services', verdict: 'None', objects: 1 };
    createTelemetry(observability).workloads(gauge);
    const [line] = lines();
    const names = first(at(first(at(line, '_aws', 'CloudWatchMetrics')), 'Dimensions'));
    expect(expressions(template)).toEqual(
      [...ARGO_CD_ORDER, NO_VERDICT].map(
        (verdict) =>
          `{Starfold,${String(names)}} MetricName=\\"Workloads\\" stage=\\"test\\" verdict=\\"${verdict}\\"`,
      ),
    );
    expect(expressions(smallest)).toEqual([]);
  });
});

describe('the template', () => {
  it('writes no partition of AWS out: it is another in China', () => {
    expect(JSON.stringify([template, smallest]).match(/"arn:aws[\w-]*:[^"]*/g)).toBeNull();
  });
});

describe('the outputs', () => {
  it('name what the command line and forwarders need', () => {
    expect(Object.keys(template.Outputs)).toEqual(
      expect.arrayContaining([
        'TableName',
        ...QUEUES.flatMap((name) => [`${name}QueueUrl`, `${name}DeadLetterQueueUrl`]),
        'ForwarderPolicyArn',
        'AlarmTopicArn',
        'ApiUrl',
      ]),
    );
    expect(Object.values(template.Outputs).every((output) => isObject(output))).toBe(true);
  });
});

describe('docs/operations.md', () => {
  /** The first column of every table. */
  const told =
    readDocument('docs/operations.md')
      .text.match(/^\| `[^|]*/gm)
      ?.join(' ') ?? '';

  it('says of each alarm what it means and what to do', () => {
    const names = ofType('AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
      String(Properties['AlarmName']).replace('starfold-test-', ''),
    );
    expect(names.length).toBeGreaterThan(20);
    const patterns = [...told.matchAll(/`([\w<>-]+)`/g)].map(
      ([, name = '']) => new RegExp(`^${name.replace('<function>', '[a-z-]+')}$`),
    );
    expect(names.filter((name) => !patterns.some((one) => one.test(name)))).toEqual([]);
  });

  it('says of each setting what it is', () => {
    for (const setting of [
      'region',
      'wdses',
      'fleet',
      'alarmEmail',
      'api',
      'vpc',
      'workloadMetrics',
      'notifications',
    ])
      expect(told).toContain(`| \`${setting}\` `);
  });
});
