import { StatusApi } from '#shared/api/api.ts';
import { OPEN_WDS } from '#shared/api/open-wds.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { type Figure, quantile } from './figure.ts';
import { collectGarbage, longestBlock } from './longest-block.ts';

const WATCHES = 100;
const CHANGES = 20;
const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const BYTES = 1024 * 1024;

/** The bytes in use after a garbage collection. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A watch whose client reads all that comes. */
class Client {
  readonly #gone = new AbortController();
  readonly #pieces: AsyncIterator<string>;

  private constructor(pieces: AsyncIterable<string>, gone: AbortController) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#gone = gone;
  }

  static async begin(api: StatusApi, namespace: string): Promise<Client> {
    const gone = new AbortController();
    const { body } = await api.handle({
      ...{ method: 'GET', accept: '', query: new URLSearchParams(`watch=true&${INITIAL}`) },
      path: `/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/wecstatuses`,
      authenticate: async () => ({ username: 'bench', uid: '', groups: [], extra: {} }),
      signal: gone.signal,
    });
    return new Client(body, gone);
  }

  /** Reads until a piece has a text. */
  async until(text: string): Promise<void> {
    for (;;) {
      const { value = '', done } = await this.#pieces.next();
      if (value.includes(text)) return;
      if (done === true) throw new Error('the watch has ended');
    }
  }

  async leave(): Promise<void> {
    this.#gone.abort();
    await this.#pieces.return?.();
  }
}

/** Measures watches of all rows of a namespace that begin at once, and how soon they are told of a change. */
export async function watchFigures(
  source: StatusSource,
  {
    title,
    section,
    namespace,
    change,
  }: {
    readonly title: string;
    readonly section: string;
    readonly namespace: string;
    /** Changes a row. */
    readonly change: (round: number) => Promise<unknown>;
  },
): Promise<readonly Figure[]> {
  const onError = (error: unknown): void => {
    throw error;
  };
  const api = new StatusApi({
    source,
    wds: OPEN_WDS,
    now: Date.now,
    watch: true,
    onError,
    maxWatches: 4 * WATCHES,
  });
  const before = usedBytes();
  // A watch does not keep the process alive.
  const alive = setInterval(() => undefined, 1_000);
  const begun = performance.now();
  let clients: readonly Client[] = [];
  const block = await longestBlock(async () => {
    clients = await Promise.all(
      Array.from({ length: WATCHES }, () => Client.begin(api, namespace)),
    );
    await Promise.all(clients.map((client) => client.until('k8s.io/initial-events-end')));
  });
  const ms = performance.now() - begun;
  const bytes = usedBytes() - before;
  const told: number[] = [];
  for (let round = 0; round < CHANGES; round += 1) {
    const changed = performance.now();
    const waiting = clients.map(async (client) => {
      await client.until('"MODIFIED"');
      told.push(performance.now() - changed);
    });
    await change(round);
    await Promise.all(waiting);
  }
  await Promise.all(clients.map((client) => client.leave()));
  clearInterval(alive);
  const what = `${title}: ${WATCHES} watches of all rows`;
  const atMost = (value: number) => ({ goal: { type: 'at most', value } as const });
  return [
    { section, what: `${what}, until all have them`, value: ms / 1000, unit: 's' },
    {
      ...{ section, what: `${what}, longest block of CPU time`, value: block, unit: 'ms' },
      ...atMost(50),
    },
    { section, what: `${what}, memory`, value: bytes / BYTES, unit: 'MiB', ...atMost(300) },
    {
      ...{ section, what: `${what}, change to watcher, p99`, unit: 'ms' },
      ...{ value: quantile(told, 0.99), ...atMost(1000) },
    },
  ];
}
