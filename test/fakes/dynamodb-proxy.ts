import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as DynamoDB's JSON protocol has it. */
export interface DynamoDbRequest {
  /** Name of the action, such as `PutItem`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * What becomes of a request.
 * - `pass`: DynamoDB answers.
 * - `lose`: DynamoDB answers, and the connection breaks before the answer arrives.
 * - `break`: the connection breaks before DynamoDB gets the request.
 * - `hang`: no answer.
 * - `first`: of a batch DynamoDB gets the first so many keys; the rest is unprocessed.
 * - `error`: DynamoDB's answer is this error.
 * - `reply`: it is this.
 */
export type Fate =
  | { readonly type: 'pass' | 'lose' | 'break' | 'hang' }
  | { readonly type: 'first'; readonly count: number }
  | { readonly type: 'error'; readonly name: string; readonly status?: number }
  | { readonly type: 'reply'; readonly body: unknown };

/** Stands between a client and a DynamoDB, and has a say in what arrives. */
export interface DynamoDbProxy {
  readonly endpoint: string;
  /** What has been asked since the last `reset`, in order. */
  readonly requests: readonly DynamoDbRequest[];
  /** Forgets the requests; from now on requests meet what `decide` says. */
  reset(decide: (request: DynamoDbRequest, index: number) => Fate): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

type Batch = Readonly<Record<string, unknown>>;

async function forward(target: string, incoming: IncomingMessage, input: unknown): Promise<Answer> {
  const response = await fetch(target, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': String(incoming.headers['x-amz-target']),
      authorization: String(incoming.headers.authorization),
      'x-amz-date': String(incoming.headers['x-amz-date']),
    },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: await response.text() };
}

function splitBatch(
  operation: string,
  request: unknown,
  count: number,
): readonly [unknown, unknown] {
  if (operation === 'BatchGetItem') {
    // A KeysAndAttributes of the API.
    const keys = request as { readonly Keys: readonly unknown[] };
    const { Keys } = keys;
    return [
      { ...keys, Keys: Keys.slice(0, count) },
      { ...keys, Keys: Keys.slice(count) },
    ];
  }
  // The write requests of one table.
  const writes = request as readonly unknown[];
  return [writes.slice(0, count), writes.slice(count)];
}

async function forwardFirst(
  target: string,
  incoming: IncomingMessage,
  { operation, input, count }: DynamoDbRequest & { readonly count: number },
): Promise<Answer> {
  const unprocessed = operation === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems';
  // Both batch requests have this, of one table.
  const items = input['RequestItems'] as Batch;
  if (count === 0) return { status: 200, body: JSON.stringify({ [unprocessed]: items }) };
  const [name = '', request] = Object.entries(items)[0] ?? [];
  const [first, rest] = splitBatch(operation, request, count);
  const answer = await forward(target, incoming, { ...input, RequestItems: { [name]: first } });
  return {
    status: answer.status,
    body: JSON.stringify({ ...JSON.parse(answer.body), [unprocessed]: { [name]: rest } }),
  };
}

function write(outgoing: ServerResponse, { status, body }: Answer): void {
  outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(body);
}

async function meet(
  fate: Fate,
  {
    request,
    target,
    incoming,
    outgoing,
  }: {
    readonly request: DynamoDbRequest;
    readonly target: string;
    readonly incoming: IncomingMessage;
    readonly outgoing: ServerResponse;
  },
): Promise<void> {
  switch (fate.type) {
    case 'pass':
      return write(outgoing, await forward(target, incoming, request.input));
    case 'lose':
      await forward(target, incoming, request.input);
      incoming.socket.destroy();
      return;
    case 'break':
      incoming.socket.destroy();
      return;
    case 'hang':
      return;
    case 'first':
      return write(
        outgoing,
        await forwardFirst(target, incoming, { ...request, count: fate.count }),
      );
    case 'error': {
      const body = JSON.stringify({
        __type: `com.amazonaws.dynamodb.v20120810#${fate.name}`,
        message: `a scripted ${fate.name}`,
      });
      return write(outgoing, { status: fate.status ?? 400, body });
    }
    case 'reply':
      return write(outgoing, { status: 200, body: JSON.stringify(fate.body) });
  }
}

/** Starts a proxy to the DynamoDB at an endpoint. Until `reset` is called every request passes. */
export async function startDynamoDbProxy(target: string): Promise<DynamoDbProxy> {
  let requests: DynamoDbRequest[] = [];
  let decide: (request: DynamoDbRequest, index: number) => Fate = () => ({ type: 'pass' });
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const request = { operation, input: JSON.parse(await text(incoming)) };
    requests.push(request);
    await meet(decide(request, requests.length - 1), { request, target, incoming, outgoing });
  };
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    // A TCP server that listens has an address of this type.
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    reset: (next) => {
      requests = [];
      decide = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
