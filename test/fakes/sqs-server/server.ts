import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SQSClientConfig } from '@aws-sdk/client-sqs';
import type { MessageCounts } from '#shared/adapters/sqlite/message-table.ts';
import { namedSigner } from '../named-signer.ts';
import { PATIENT } from '../patient.ts';
import { createMessageOperations } from './message-operations.ts';
import { type Caller, SqsRefusal } from './protocol.ts';
import { createQueueOperations } from './queue-operations.ts';
import { createQueues } from './queues.ts';

/** An entry of a batch, of whichever operation. */
interface SqsEntry {
  readonly Id: string;
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly ReceiptHandle?: string;
}

/** A request as it arrived. */
export interface SqsCall {
  /** `SendMessageBatch` */
  readonly operation: string;
  readonly senderId: string;
  readonly input: { readonly Entries?: readonly SqsEntry[] } & Readonly<Record<string, unknown>>;
}

/** What goes wrong with a request. */
export type SqsFault =
  /** Nothing is done. */
  | { readonly type: 'refusal'; readonly code: string; readonly status?: number }
  /** Nothing is done, and the connection stays open. */
  | { readonly type: 'no-answer' }
  /** It is done, and the connection breaks. */
  | { readonly type: 'lost-answer' }
  /** Nothing is done, whatever this answer says. */
  | { readonly type: 'answer'; readonly body: unknown }
  /** Some entries of a batch fail; the others are done. */
  | {
      readonly type: 'failed-entries';
      readonly failed: (
        entry: SqsEntry,
      ) => { readonly Code: string; readonly SenderFault: boolean } | undefined;
    };

/** SQS over HTTP on the loopback interface, its queues in memory. */
export interface SqsServer {
  readonly url: string;
  /** In the order of arrival. */
  readonly calls: SqsCall[];
  /** Decides for each request what goes wrong with it. */
  fault: (call: SqsCall) => SqsFault | undefined;
  /** What makes a client one of this server, as the principal given. */
  config(senderId?: string): SQSClientConfig;
  /** What is in a queue, by its name. */
  counts(queueName: string): Promise<MessageCounts>;
  close(): Promise<void>;
}

type Operation = (input: never, caller: Caller) => unknown;

const CREDENTIAL = /Credential=([^/]+)\//;

function readCall(request: IncomingMessage, body: string): SqsCall {
  const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
  const [, senderId] = CREDENTIAL.exec(request.headers.authorization ?? '') ?? [];
  if (senderId === undefined)
    throw new SqsRefusal('MissingAuthenticationToken', 'The request is not signed.', 403);
  return { operation, senderId, input: JSON.parse(body) };
}

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(body ?? {}));
}

function refuse(response: ServerResponse, refusal: SqsRefusal): void {
  response.writeHead(refusal.status, {
    'Content-Type': 'application/x-amz-json-1.0',
    'x-amzn-query-error': refusal.queryError,
  });
  response.end(JSON.stringify(refusal.body));
}

/** Does what a batch asks for, except for the entries that fail. */
async function withFailedEntries(
  call: SqsCall,
  { failed }: Extract<SqsFault, { type: 'failed-entries' }>,
  run: (input: SqsCall['input']) => Promise<unknown>,
): Promise<unknown> {
  const entries = call.input.Entries ?? [];
  const Entries = entries.filter((entry) => failed(entry) === undefined);
  const Failed = entries.flatMap((entry) => {
    const failure = failed(entry);
    return failure === undefined ? [] : [{ Id: entry.Id, Message: 'as the test says', ...failure }];
  });
  if (Entries.length === 0) return { Successful: [], Failed };
  const done = await run({ ...call.input, Entries });
  // Only a batch has entries, and the answers to batches have this form.
  const result = done as { readonly Successful: unknown[]; readonly Failed: unknown[] };
  return { Successful: result.Successful, Failed: [...result.Failed, ...Failed] };
}

/** Starts a server on a free port. Its clock, in milliseconds since the epoch, is real time unless given. */
export async function startSqsServer({
  clock = Date.now,
}: {
  readonly clock?: () => number;
} = {}): Promise<SqsServer> {
  const queues = createQueues(clock);
  const operations: Readonly<Record<string, Operation>> = {
    ...createQueueOperations(queues, () => started.url),
    ...createMessageOperations(queues),
  };

  const run = async (call: SqsCall, input: SqsCall['input'], signal: AbortSignal) => {
    const operation = operations[call.operation];
    if (operation === undefined)
      throw new SqsRefusal('UnsupportedOperation', `There is no ${call.operation}.`);
    // The SDK has written the input of this operation.
    return operation(input as never, { senderId: call.senderId, signal });
  };

  const serve = async (call: SqsCall, response: ServerResponse, signal: AbortSignal) => {
    const fault = started.fault(call);
    switch (fault?.type) {
      case 'refusal':
        throw new SqsRefusal(fault.code, 'as the test says', fault.status);
      case 'no-answer':
        return;
      case 'lost-answer':
        await run(call, call.input, signal);
        response.destroy();
        return;
      case 'answer':
        answer(response, fault.body);
        return;
      case 'failed-entries':
        answer(response, await withFailedEntries(call, fault, (input) => run(call, input, signal)));
        return;
      case undefined:
        answer(response, await run(call, call.input, signal));
    }
  };

  const server = createServer(async (request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    try {
      const call = readCall(request, await text(request));
      started.calls.push(call);
      await serve(call, response, gone.signal);
    } catch (error) {
      const isRefusal = error instanceof SqsRefusal;
      refuse(response, isRefusal ? error : new SqsRefusal('InternalError', String(error), 500));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a path.

  const started: SqsServer = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    fault: () => undefined,
    config: (senderId = 'test') => ({
      endpoint: started.url,
      region: 'us-east-1',
      credentials: { accessKeyId: senderId, secretAccessKey: 'secret' },
      signer: namedSigner(senderId),
      requestHandler: PATIENT,
    }),
    counts: (queueName) => queues.byName(queueName).messages.counts(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return started;
}
