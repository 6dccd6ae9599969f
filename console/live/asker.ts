import { type ReadonlySignal, signal } from '@preact/signals';
import type { SentQuery } from '#console/model/query/query.ts';
import { type QueryResult, resultWith } from '#console/model/query/result.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { API, ApiProblem, askApi } from './client.ts';

/** An answer: what was asked, and what was found. */
export interface Answer<Asked> {
  readonly asked: Asked;
  readonly result: QueryResult;
  /** How long the API took for all of it, in milliseconds. */
  readonly tookMs: number;
}

/** What a screen shows of a question. */
export interface Asking<Asked> {
  readonly isRunning: boolean;
  /** The last answer. It stays while a later question is asked or wrong. */
  readonly answer?: Answer<Asked>;
  /** Why there is no answer to the last question. */
  readonly problem?: { readonly asked: Asked; readonly error: Error };
}

const BUSY = 429;
/** The API answers few queries at a time. When it is busy, it is asked again after this time. */
const BUSY_MS = 1_000;

function pathOf({ namespace }: SentQuery): string {
  return namespace === undefined
    ? `${API}/clusterstatusqueries`
    : `${API}/namespaces/${encodeURIComponent(namespace)}/statusqueries`;
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(stop.reason as Error);
    });
  });
}

/** One answer of the API. A busy API is asked again and again. */
async function send(sent: SentQuery, next: string | undefined, stop: AbortSignal) {
  const more = next === undefined ? {} : { continue: next };
  const body: JsonObject = {
    ...{ apiVersion: API.slice('/apis/'.length), kind: sent.kind },
    spec: { ...sent.spec, ...more },
  };
  for (;;) {
    try {
      return await askApi(pathOf(sent), body, stop);
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== BUSY) throw error;
      await pause(BUSY_MS, stop);
    }
  }
}

/** Asks one question at a time. A new one takes the place of that which is running. */
export class Asker<Asked extends { readonly sent: SentQuery }> {
  readonly #state = signal<Asking<Asked>>({ isRunning: false });
  #stopping = new AbortController();

  get state(): ReadonlySignal<Asking<Asked>> {
    return this.#state;
  }

  /**
   * Asks, and shows the answer when it is whole.
   *
   * @param answers how many answers are followed, if there are so many: as many as were shown before
   */
  async ask(asked: Asked, answers = 1): Promise<void> {
    await this.#run(asked, undefined, answers);
  }

  /** Adds the next answer to the last one. */
  async more(): Promise<void> {
    const { answer } = this.#state.peek();
    if (answer?.result.next === undefined) return;
    await this.#run(answer.asked, answer, answer.result.answers + 1);
  }

  /** Gives up the question that is running. The last answer stays. */
  cancel(): void {
    this.#stopping.abort();
    this.#state.value = { ...this.#state.peek(), isRunning: false };
  }

  /** Forgets everything. */
  clear(): void {
    this.#stopping.abort();
    this.#state.value = { isRunning: false };
  }

  async #run(asked: Asked, before: Answer<Asked> | undefined, answers: number): Promise<void> {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    const { signal: stop } = this.#stopping;
    const { answer } = this.#state.peek();
    this.#state.value = { ...this.#state.peek(), isRunning: true };
    try {
      const result = await this.#answers(asked, { before: before?.result, answers, stop });
      this.#state.value = { isRunning: false, answer: { asked, ...result } };
    } catch (error) {
      if (stop.aborted) return;
      const problem = { asked, error: error instanceof Error ? error : new Error(String(error)) };
      this.#state.value = {
        isRunning: false,
        ...(answer === undefined ? {} : { answer }),
        problem,
      };
    }
  }

  async #answers(
    { sent }: Asked,
    {
      before,
      answers,
      stop,
    }: {
      readonly before: QueryResult | undefined;
      readonly answers: number;
      readonly stop: AbortSignal;
    },
  ): Promise<Pick<Answer<Asked>, 'result' | 'tookMs'>> {
    const startedMs = performance.now();
    let result = before;
    do result = resultWith(result, await send(sent, result?.next, stop), sent.columns);
    while (result.next !== undefined && result.answers < answers);
    stop.throwIfAborted();
    return { result, tookMs: performance.now() - startedMs };
  }
}
