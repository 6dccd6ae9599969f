import { type ReadonlySignal, signal } from '@preact/signals';
import type { SentQuery } from '#console/model/query/query.ts';
import { type QueryResult, resultWith } from '#console/model/query/result.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { API, ApiProblem, askApi } from './client.ts';

/** An answer: what was asked, and what was found. */
export interface Answer<Asked> {
  readonly asked: Asked;
  readonly result: QueryResult;
  /** What the API warns of: objects that are left out. */
  readonly warnings: readonly string[];
  /** How long the API took for all of it, in milliseconds. */
  readonly tookMs: number;
  /** When it came, in milliseconds of `performance.now`. */
  readonly atMs: number;
}

/** What a screen shows of a question. */
export interface Asking<Asked> {
  /** Whether the user waits for an answer. */
  readonly isRunning: boolean;
  /** Whether he has waited so long that he may want to give it up. */
  readonly isSlow: boolean;
  /** The last answer. It stays while a later question is asked or wrong. */
  readonly answer?: Answer<Asked>;
  /** Why there is no answer to the last question. */
  readonly problem?: { readonly asked: Asked; readonly error: Error };
}

/** After this time, the user reads that the answer is slow. */
const SLOW_MS = 300;
const IDLE = { isRunning: false, isSlow: false } as const;

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

/** Up to how many answers are wanted, together with those before. */
interface Wanted {
  readonly before?: QueryResult;
  readonly answers: number;
}

/** Asks one question at a time. A new one takes the place of that which is running. */
export class Asker<Asked extends { readonly sent: SentQuery }> {
  readonly #state = signal<Asking<Asked>>(IDLE);
  #stopping = new AbortController();
  #isBusy = false;

  get state(): ReadonlySignal<Asking<Asked>> {
    return this.#state;
  }

  /** Whether something is asked, also what nobody waits for. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Asks, and shows the answer when it is whole. */
  async ask(asked: Asked): Promise<void> {
    await this.#run(asked, { answers: 1 });
  }

  /** Asks the same again, for which nobody waits: as many answers as are shown. */
  async again(asked: Asked): Promise<void> {
    const answers = this.#state.peek().answer?.result.answers ?? 1;
    await this.#run(asked, { answers, isQuiet: true });
  }

  /** Adds the next answer to the last one. */
  async more(): Promise<void> {
    const { answer } = this.#state.peek();
    if (answer?.result.next === undefined) return;
    const { result } = answer;
    await this.#run(answer.asked, { before: result, answers: result.answers + 1 });
  }

  /** Gives up the question that is running. The last answer stays. */
  cancel(): void {
    this.#stopping.abort();
    this.#isBusy = false;
    this.#state.value = { ...this.#state.peek(), ...IDLE };
  }

  /** Forgets everything. */
  clear(): void {
    this.#stopping.abort();
    this.#isBusy = false;
    this.#state.value = IDLE;
  }

  async #run(
    asked: Asked,
    { isQuiet = false, ...wanted }: Wanted & { readonly isQuiet?: boolean },
  ): Promise<void> {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    const { signal: stop } = this.#stopping;
    this.#isBusy = true;
    const slow = this.#begin(isQuiet);
    try {
      const answer = { asked, ...(await this.#answers(asked, wanted, stop)) };
      this.#state.value = { ...IDLE, answer };
    } catch (error) {
      if (stop.aborted) return;
      const problem = { asked, error: error instanceof Error ? error : new Error(String(error)) };
      const { answer } = this.#state.peek();
      this.#state.value = { ...IDLE, ...(answer === undefined ? {} : { answer }), problem };
    } finally {
      clearTimeout(slow);
      // What was given up is followed by something else, which is busy itself.
      if (!stop.aborted) this.#isBusy = false;
    }
  }

  /** Shows that something is asked, and after a time that it is slow. */
  #begin(isQuiet: boolean): ReturnType<typeof setTimeout> | undefined {
    if (isQuiet) return undefined;
    this.#state.value = { ...this.#state.peek(), isRunning: true };
    return setTimeout(() => {
      this.#state.value = { ...this.#state.peek(), isSlow: true };
    }, SLOW_MS);
  }

  async #answers(
    { sent }: Asked,
    { before, answers }: Wanted,
    stop: AbortSignal,
  ): Promise<Omit<Answer<Asked>, 'asked'>> {
    const startedMs = performance.now();
    const warned = new Set<string>();
    let result = before;
    do {
      const { body, warnings } = await send(sent, result?.next, stop);
      result = resultWith(result, body, sent.columns);
      for (const warning of warnings) warned.add(warning);
    } while (result.next !== undefined && result.answers < answers);
    stop.throwIfAborted();
    const atMs = performance.now();
    return { result, warnings: [...warned], tookMs: atMs - startedMs, atMs };
  }
}
