import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writingOf } from '#local/cli/deployment/letter-messages.ts';
import { AWS_FAULTS, existingStages, noStack } from '#local/cli/deployment/messages.ts';
import { permitted } from '#local/cli/doctor/cluster-messages.ts';
import { noDeadLetters, queueReport } from '#local/cli/doctor/queue-messages.ts';
import { credentialsInUse, problemCount, stackState } from '#local/cli/doctor/stack-messages.ts';
import { NO_DIFFERENCES } from '#local/cli/fleet/messages.ts';
import { redriveSummary } from '#local/cli/redrive/messages.ts';
import { registered } from '#local/cli/register/messages.ts';
import { notInAccount } from '#local/cli/register/principal-messages.ts';
import { objectsDiffer } from '#local/start/display-messages.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { putDifferences } from '#shared/state/fleet/differences.ts';
import { markListed } from '#shared/state/fleet/listed.ts';
import { heartbeatItem, heartbeatKey } from '#shared/state/heartbeats.ts';
import { redriverUntil, sendersOf } from '#shared/state/senders.ts';
import { PACKAGED_STARFOLD } from '#test/packaged-command.ts';
import { type Run, starfoldBeside, type Variables } from '#test/unit/local/cli/command.ts';
import { type AwsWorld, CREDENTIALS, type QueueKey, startAwsWorld } from './aws-world.ts';
import { eventsBody, hint } from './dead-letter-messages.ts';
import { OPERATOR } from './fake-account.ts';

let world: AwsWorld;
let aws: AwsWorld['aws'];
let sqs: AwsWorld['sqs'];
let dynamoDb: AwsWorld['dynamoDb'];
let environment: AwsWorld['environment'];

beforeAll(async () => {
  world = await startAwsWorld();
  ({ aws, sqs, dynamoDb, environment } = world);
});

beforeEach(() => {
  aws.outputs = world.urls;
  aws.refusals.clear();
});

afterAll(() => world.close());

function queue(key: QueueKey, senderId: string): MessageQueue {
  const client = new SQSClient({ ...sqs.config(senderId), useQueueUrlAsEndpoint: false });
  const queueUrl = world.urls[key] ?? '';
  return createSqsMessageQueue({ client, queueUrl, fifo: queueUrl.endsWith('.fifo') });
}

/** Runs the command as an operator does. */
function starfold(args: readonly string[], variables: Variables = CREDENTIALS): Promise<Run> {
  return starfoldBeside(args, environment(variables));
}

/** Runs the command of the package as a process. */
async function spawnPackaged(args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, [PACKAGED_STARFOLD, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(CREDENTIALS),
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

describe('the commands of an operator, on the APIs of AWS', () => {
  it('register, list and unregister', async () => {
    const role = 'arn:aws:iam::111122223333:role/forwarder';
    const store = createDynamoDbItemStore({ client: dynamoDb.client, tableName: 'table' });
    const source = { type: 'wec', name: 'cluster1' } as const;
    expect(await starfold(['register', 'wec/cluster1', '--role', role])).toEqual({
      code: 0,
      out: `wec/cluster1: ${registered(source, `AROAFORWARDER (${role})`)}\n`,
      err: '',
    });
    expect(await sendersOf(store, source)).toMatchObject([{ principal: 'AROAFORWARDER' }]);
    const user = 'arn:aws:iam::111122223333:user/forwarder';
    await starfold(['register', 'wec/cluster1', '--role', user]);
    expect((await starfold(['register', '--list'])).out).toBe(
      `wec/cluster1  AIDAFORWARDER (${user})\nwec/cluster1  AROAFORWARDER (${role})\n`,
    );
    expect(await starfold(['unregister', 'wec/cluster1', '--yes'])).toMatchObject({
      code: 0,
      err: '',
    });
    expect(await sendersOf(store, source)).toEqual([]);
  });

  it('doctor explains what is in the dead-letter queues and leaves it there', async () => {
    const deadLetters = queue('HintsDeadLetterQueueUrl', 'AROAWRITER');
    await deadLetters.send([hint('1')]);
    const { code, out, err } = await starfold(['doctor']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(credentialsInUse('arn:aws:iam::111122223333:user/operator', 'eu-west-1'));
    expect(out).toContain(
      stackState(
        'starfold-prod',
        { status: 'CREATE_COMPLETE', reason: '' },
        '2026-11-20T12:00:00.000Z',
      ),
    );
    expect(out).toContain(queueReport('events', { waiting: 0, inFlight: 0 }, '12 s'));
    expect(out).toContain(`hints: failed: ${writingOf('deployments.apps shop/web of wds1')}`);
    expect(out).toContain(permitted('wds1'));
    const [left] = await deadLetters.receive({ max: 10, waitSeconds: 0 });
    expect(left?.body).toBe(hint('1').body);
    await deadLetters.delete([left?.receiptHandle ?? '']);
  });

  it('redrive sends back as the operator, who is a redriver then', async () => {
    await queue('EventsDeadLetterQueueUrl', 'AROAFORWARDER:session').send([{ body: eventsBody() }]);
    await queue('DirtyDeadLetterQueueUrl', 'AROAX').send([{ body: 'hello', group: 'g' }]);
    const { code, out, err } = await starfold(['redrive', '--yes']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(redriveSummary({ sent: 1, left: 1 }));
    const [sent] = await queue('EventsQueueUrl', 'AROAX').receive({ max: 10, waitSeconds: 0 });
    expect(sent?.senderId).toBe(OPERATOR);
    const store = createDynamoDbItemStore({ client: dynamoDb.client, tableName: 'table' });
    expect(await redriverUntil(store, OPERATOR)).toBeGreaterThan(0);
    expect((await starfold(['redrive', '--discard', '--yes'])).out).toContain(
      redriveSummary({ deleted: 1 }),
    );
  });

  it('fleet diff shows what the table of a stage says', async () => {
    const store = createDynamoDbItemStore({ client: dynamoDb.client, tableName: 'table' });
    const source = { type: 'fleet', name: 'rancher1' } as const;
    await store.put([{ item: heartbeatItem(source, { epoch: 1, sequence: 1 }, 0) }]);
    await markListed(store, source.name, { epoch: 1, sequence: 1 });
    const args = ['fleet', 'diff', '--stage', 'prod'];
    expect(await starfold(args)).toEqual({ code: 0, out: NO_DIFFERENCES, err: '' });
    await putDifferences(
      store,
      {
        type: 'fleet',
        upstream: 'rancher1',
        resource: 'bundles',
        namespace: 'fleet-default',
        name: 'web',
      },
      {
        revision: 1,
        nowMs: 0,
        total: 1,
        differences: [{ field: 'status.summary.ready', fleet: '2', starfold: '3' }],
      },
    );
    expect(await starfold(args)).toMatchObject({
      code: 1,
      out: expect.stringContaining('fleet-default/web'),
      err: `starfold: ${objectsDiffer(1)}\n`,
    });
    expect(await starfold(['fleet', 'diff', '--stage', 'test'])).toMatchObject({
      code: 1,
      out: '',
      err: `starfold: ${noStack('starfold-test', 'eu-west-1', existingStages(['prod']))}\n`,
    });
    // It is no source that doctor should look for.
    await store.delete([{ key: heartbeatKey(source) }]);
  });

  it('print JSON alone on standard output, as a process as well', async () => {
    const args = ['redrive', '--dry-run', '-o', 'json'];
    const run = await starfold(args);
    expect(JSON.parse(run.out)).toEqual({ messages: [] });
    expect(await spawnPackaged(args)).toEqual(run);
  });
});

describe('what goes wrong with AWS is one line', () => {
  it.each<[string, readonly string[], string]>([
    ['ExpiredToken', ['register', '--list'], AWS_FAULTS.expired],
    [
      'InvalidClientTokenId',
      ['register', '--list'],
      AWS_FAULTS.notAccepted('InvalidClientTokenId'),
    ],
  ])('%s', async (code, args, message) => {
    aws.refusals.set('DescribeStacks', { code, message: 'as the test says' });
    expect(await starfold(args)).toEqual({ code: 1, out: '', err: `starfold: ${message}\n` });
  });

  it('a denial names the action and the principal', async () => {
    const message =
      'User: arn:aws:iam::111122223333:user/operator is not authorized to perform: iam:GetRole on resource: role forwarder';
    aws.refusals.set('GetRole', { code: 'AccessDenied', message });
    const role = 'arn:aws:iam::111122223333:role/forwarder';
    expect(await starfold(['register', 'wec/a', '--role', role])).toEqual({
      code: 1,
      out: '',
      err: `starfold: ${AWS_FAULTS.denied('iam:GetRole', 'arn:aws:iam::111122223333:user/operator')}\n`,
    });
  });

  it('a denial of one check of doctor leaves the others', async () => {
    const message = 'User: x is not authorized to perform: lambda:InvokeFunction on resource: y';
    aws.refusals.set('Invoke', { code: 'AccessDeniedException', message });
    const { code, out, err } = await starfold(['doctor']);
    expect(code).toBe(1);
    expect(out).toContain(
      `problem  WDSes         ${AWS_FAULTS.denied('lambda:InvokeFunction', 'x')}`,
    );
    expect(out).toContain(`ok       dead letters  ${noDeadLetters('events')}`);
    expect(err).toBe(`starfold: ${problemCount(1, 1)}\n`);
  });

  it('a table that does not answer is named by its host', async () => {
    const { code, err } = await starfold(['register', '--list'], {
      ...CREDENTIALS,
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(err).toBe(`starfold: ${AWS_FAULTS.silent('127.0.0.1', 'ECONNREFUSED')}\n`);
  });

  it.each(['notaurl', '127.0.0.1:4566'])('no URL as the endpoint: %s', async (url) => {
    const variables = { ...CREDENTIALS, AWS_ENDPOINT_URL: url };
    const told = AWS_FAULTS.noUrl(`"${url}"`);
    const listing = await starfold(['register', '--list'], variables);
    expect(listing).toEqual({ code: 1, out: '', err: `starfold: ${told}\n` });
    const doctor = await starfold(['doctor'], variables);
    expect(doctor).toEqual({
      code: 1,
      out: `problem  credentials   ${told}\n`,
      err: `starfold: ${problemCount(1, 0)}\n`,
    });
  });

  it.each(['', 'no', '<html></html>'])(
    'an endpoint at which something else answers: %j',
    async (body) => {
      const other = createServer((_request, response) => response.writeHead(404).end(body));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo; // It listens on a port, not on a path.
      const AWS_ENDPOINT_URL = `http://127.0.0.1:${port}`;
      const { code, err } = await starfold(['register', '--list'], {
        ...CREDENTIALS,
        AWS_ENDPOINT_URL,
      });
      other.close();
      expect(code).toBe(1);
      expect(err).toBe(`starfold: ${AWS_FAULTS.notAws(' (HTTP 404)')}\n`);
    },
  );

  it.each<{
    readonly name: string;
    readonly args: readonly string[];
    readonly variables?: Variables;
    readonly message: string;
  }>([
    {
      name: 'no credentials',
      args: ['redrive', '--dry-run'],
      variables: {},
      message: AWS_FAULTS.noCredentials('Could not load credentials from any providers'),
    },
    {
      name: 'no region',
      args: ['redrive', '--dry-run'],
      variables: { ...CREDENTIALS, AWS_REGION: '' },
      message: AWS_FAULTS.noRegion,
    },
    {
      name: 'no such stage',
      args: ['redrive', '--dry-run', '--stage', 'test'],
      message: noStack('starfold-test', 'eu-west-1', existingStages(['prod'])),
    },
    {
      name: 'no such role',
      args: ['register', 'wec/a', '--role', 'arn:aws:iam::111122223333:role/nobody'],
      message: notInAccount('arn:aws:iam::111122223333:role/nobody', {
        account: '111122223333',
        type: 'role',
        name: 'nobody',
      }),
    },
  ])('$name', async ({ args, variables, message }) => {
    const run = await starfold(args, variables);
    expect(run).toEqual({ code: 1, out: '', err: `starfold: ${message}\n` });
  });

  it.each([
    [['register', 'cluster1', '--principal', 'AROAX']],
    [['register', 'wec/a']],
    [['unregister']],
    [['redrive']],
    [['unregister', 'wec/a']],
    [['register', 'wec/a', '--principal', '111122223333:fwd']],
    [['redrive', '--queue', 'other', '--yes']],
  ])('wrong usage ends with 2, before AWS is asked: %j', async (args) => {
    const before = aws.actions.length;
    expect(await starfold(args)).toMatchObject({ code: 2, out: '' });
    expect(aws.actions.length).toBe(before);
  });
});
