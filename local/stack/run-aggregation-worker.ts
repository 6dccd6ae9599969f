import { Writable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { type AggregateDeps, rememberState } from '#functions/aggregate-workload/deps.ts';
import { createAggregateWorkload } from '#functions/aggregate-workload/lambda.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { BatchResponse } from '#shared/runtime/batch.ts';
import { collectAtRest } from '#shared/runtime/idle-memory.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import type {
  FromWorker,
  PortCall,
  PortCalls,
  SaidByWorker,
  ToWorker,
  WorkerSetup,
} from './aggregation-calls.ts';
import { localContext } from './poller.ts';
import { errorOf, errorText } from './thread-messages.ts';

/** Calls that the main thread has not answered yet. */
class Calls {
  readonly #say: (message: SaidByWorker) => void;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;

  constructor(say: (message: SaidByWorker) => void) {
    this.#say = say;
  }

  /** A method of a port that is called in the main thread. Signals are not passed, because no caller gives one. */
  method<Name extends PortCall>(call: Name): PortCalls[Name] {
    const ask = (...args: readonly unknown[]): Promise<unknown> => {
      this.#last += 1;
      const answer = Promise.withResolvers<unknown>();
      this.#open.set(this.#last, answer);
      this.#say({ type: 'call', id: this.#last, call, args });
      return answer.promise;
    };
    // The main thread answers with the result of the method of this name.
    return ask as PortCalls[Name];
  }

  settle(answer: Extract<ToWorker, { type: 'answer' | 'failure' }>): void {
    const call = this.#open.get(answer.id);
    this.#open.delete(answer.id);
    if (answer.type === 'answer') call?.resolve(answer.value);
    else call?.reject(errorOf(answer.error));
  }
}

/** Passes log lines and metrics to the main thread, which writes them with its own. */
function lineStream(say: (message: SaidByWorker) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      say({ type: 'line', text: String(chunk).replace(/\n$/, '') });
      done();
    },
  });
}

/**
 * Runs the function aggregate-workload in this worker thread. Invocations come from the main thread, and writes to the store
 * and calls of queues go to it. The worker reads the store by a connection of its own, and has its own cache of the store. A
 * write is committed before the main thread answers, so what is read afterwards includes it.
 *
 * @param change what a test replaces
 */
export function runAggregationWorker(
  change: (deps: AggregateDeps) => AggregateDeps = (deps) => deps,
): void {
  const port = parentPort;
  if (port === null) throw new Error('not in a worker thread');
  const tell = (message: FromWorker): void => port.postMessage(message);
  const say = (message: SaidByWorker): void => tell({ type: 'other', message });
  const calls = new Calls(say);
  // The pool passes this type.
  const setup = workerData as WorkerSetup;
  const observability = createObservability({
    service: 'aggregate-workload',
    stream: lineStream(say),
    ...setup.observability,
  });
  const database = openSqliteDatabase(setup.file, { readOnly: true });
  const { get, query } = createSqliteItemStore(database);
  const store: ItemStore = {
    get,
    query,
    put: calls.method('store.put'),
    delete: calls.method('store.delete'),
  };
  const deps: AggregateDeps = {
    store,
    ...rememberState(store),
    schemas: createBuiltInSchemas(),
    dirty: { send: calls.method('dirty.send') },
    hints: { send: calls.method('hints.send') },
    ...(setup.notifiesOfVerdicts
      ? { notifications: { send: calls.method('notifications.send') } }
      : {}),
    telemetry: createTelemetry(observability),
    clock: Date.now,
  };
  const handler = createAggregateWorkload(change(deps), observability, {
    namesSuspects: true,
  });
  const invoke = async (message: Extract<ToWorker, { type: 'invoke' }>): Promise<BatchResponse> => {
    const { event, functionName, requestId } = message;
    return handler(event, localContext(functionName, requestId));
  };
  port.on('message', (message: ToWorker) => {
    if (message.type !== 'invoke') return calls.settle(message);
    void invoke(message).then(
      (result) => tell({ type: 'done', result }),
      (error: unknown) => tell({ type: 'failed', error: errorText(error) }),
    );
  });
  collectAtRest();
  tell({ type: 'ready' });
}
