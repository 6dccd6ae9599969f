import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { OPERATOR, RECORDER } from './fake-account.ts';

const ACCOUNT = '111122223333';

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The APIs of an account with one stack, over HTTP: STS, CloudFormation, IAM, Lambda and CloudWatch. */
export interface AwsServer {
  readonly url: string;
  /** Actions that were asked for, such as `DescribeStacks`. */
  readonly actions: string[];
  /** Outputs of the stack `starfold-prod`. */
  outputs: Readonly<Record<string, string>>;
  /** What is answered instead, by the action. */
  readonly refusals: Map<string, { readonly code: string; readonly message: string }>;
  close(): Promise<void>;
}

function xml(action: string, result: string): string {
  return `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
}

function element(name: string, value: string): string {
  return `<${name}>${value}</${name}>`;
}

function stackXml(name: string, outputs: AwsServer['outputs']): string {
  const members = Object.entries(outputs).map(([key, value]) =>
    element('member', element('OutputKey', key) + element('OutputValue', value)),
  );
  const fields = [
    element('StackName', name),
    element('CreationTime', '2026-11-20T12:00:00.000Z'),
    element('StackStatus', 'CREATE_COMPLETE'),
    element('Outputs', members.join('')),
  ];
  return element('Stacks', element('member', fields.join('')));
}

function refusal(code: string, message: string, status = 400): Answer {
  const error = element('Code', code) + element('Message', message);
  return { status, body: element('ErrorResponse', element('Error', error)) };
}

/** The query protocol: parameters in, XML out. */
function answerQuery(parameters: URLSearchParams, outputs: AwsServer['outputs']): Answer {
  const action = parameters.get('Action') ?? '';
  const ok = (result: string): Answer => ({ status: 200, body: xml(action, result) });
  const named = (name: string): string => parameters.get(name) ?? '';
  switch (action) {
    case 'GetCallerIdentity':
      return ok(
        element('Arn', `arn:aws:iam::${ACCOUNT}:user/operator`) +
          element('UserId', OPERATOR) +
          element('Account', ACCOUNT),
      );
    case 'DescribeStacks': {
      const name = named('StackName') || 'starfold-prod';
      if (name === 'starfold-prod') return ok(stackXml(name, outputs));
      return refusal('ValidationError', `Stack with id ${name} does not exist`);
    }
    case 'GetRole':
      if (named('RoleName') === 'nobody') return refusal('NoSuchEntity', 'no such role', 404);
      return ok(
        element(
          'Role',
          element('RoleId', named('RoleName') === 'record-events' ? RECORDER : 'AROAFORWARDER') +
            element('Arn', `arn:aws:iam::${ACCOUNT}:role/${named('RoleName')}`),
        ),
      );
    default:
      return ok(
        element(
          'User',
          element('UserId', 'AIDAFORWARDER') +
            element('Arn', `arn:aws:iam::${ACCOUNT}:user/${named('UserName')}`),
        ),
      );
  }
}

function answerMetrics(body: string): string {
  const { MetricDataQueries = [] } = JSON.parse(body);
  return JSON.stringify({
    MetricDataResults: MetricDataQueries.map(({ Id }: { readonly Id: string }) => ({
      Id,
      Values: Id === 'q0' ? [7, 12] : [],
    })),
  });
}

function answerLambda(path: string): string {
  if (path.endsWith('/invocations'))
    return JSON.stringify([{ wds: 'wds1', reachable: true, missing: [] }]);
  const name = path.split('/').at(-2) ?? '';
  return JSON.stringify({
    FunctionName: name,
    State: 'Active',
    LastUpdateStatus: 'Successful',
    LastModified: '2026-11-20T12:00:00.000+0000',
    Role: `arn:aws:iam::${ACCOUNT}:role/${name.replace('starfold-prod-', '')}`,
  });
}

/** The action that a request asks for. */
function actionOf(request: IncomingMessage, body: string): string {
  const path = request.url ?? '';
  if (path.endsWith('/invocations')) return 'Invoke';
  if (path.endsWith('/configuration')) return 'GetFunctionConfiguration';
  const [, target] = String(request.headers['x-amz-target'] ?? '').split('.');
  return target ?? new URLSearchParams(body).get('Action') ?? '';
}

/** Starts a server on a free port. */
export async function startAwsServer(): Promise<AwsServer> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const action = actionOf(request, body);
    started.actions.push(action);
    const refused = started.refusals.get(action);
    const send = (status: number, type: string, content: string): void => {
      response.writeHead(status, {
        'Content-Type': type,
        ...(refused === undefined ? {} : { 'x-amzn-errortype': refused.code }),
      });
      response.end(content);
    };
    const isJson = /^(Invoke|GetFunctionConfiguration|GetMetricData)$/.test(action);
    if (refused !== undefined) {
      const { code, message } = refused;
      const json = JSON.stringify({ __type: code, message });
      return isJson
        ? send(403, 'application/json', json)
        : send(403, 'text/xml', refusal(code, message).body);
    }
    if (action === 'GetMetricData') return send(200, 'application/json', answerMetrics(body));
    if (isJson) return send(200, 'application/json', answerLambda(request.url ?? ''));
    const answer = answerQuery(new URLSearchParams(body), started.outputs);
    return send(answer.status, 'text/xml', answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a path.
  const started: AwsServer = {
    url: `http://127.0.0.1:${port}`,
    actions: [],
    outputs: {},
    refusals: new Map(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return started;
}
