import { StatusApi } from '#shared/api/api.ts';
import { OPEN_WDS } from '#shared/api/open-wds.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import type { Figure } from './figure.ts';
import { collectGarbage, longestBlock } from './longest-block.ts';

const ROUNDS = 5;
/** About the questions: few of many rows, with a regular expression; groups of all rows; every row. */
const QUERIES: Readonly<Record<string, JsonObject>> = {
  'a filter that few rows pass': {
    filter:
      'returned.status.availableReplicas < obj.spec.replicas && inventory.name.matches("^edge-")',
    select: [{ name: 'available', def: 'returned.status.availableReplicas' }],
    limit: 10_000,
  },
  'groups of all rows': {
    groupBy: [{ name: 'available', def: 'returned.status.availableReplicas' }],
    combinedFields: [
      { name: 'wecs', type: 'COUNT' },
      { name: 'stale', type: 'SUM', subject: 'propagation.stale ? 1 : 0' },
    ],
    limit: 10_000,
  },
  'the status of every row': {
    select: [{ name: 'status', def: 'returned.status' }],
    limit: 10_000,
  },
};

interface Asked {
  readonly rows: number;
  readonly answers: number;
  readonly ms: number;
}

/** Asks until there are no more answers. */
async function ask(api: StatusApi, namespace: string, spec: JsonObject): Promise<Asked> {
  const begun = performance.now();
  let [rows, answers, token] = [0, 0, ''];
  do {
    const object = { spec: { ...spec, ...(token === '' ? {} : { continue: token }) } };
    const { body } = await api.handle({
      ...{ method: 'POST', accept: '', query: new URLSearchParams() },
      path: `/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/statusqueries`,
      authenticate: async () => ({ username: 'bench', uid: '', groups: [], extra: {} }),
      body: { contentType: '', bytes: async () => Buffer.from(stringifyJson(object)) },
      signal: new AbortController().signal,
    });
    let text = '';
    for await (const piece of body) text += piece;
    // Parsing the answer is the work of a client.
    rows += text.split('"columns":').length - 1;
    answers += 1;
    token = /"continue":"([^"]+)"}}$/.exec(text)?.[1] ?? '';
  } while (token !== '');
  return { rows, answers, ms: performance.now() - begun };
}

/** Measures queries over all rows of a namespace, and how long other requests wait for them. */
export async function queryFigures(
  source: StatusSource,
  {
    title,
    section,
    namespace,
    rows,
  }: {
    readonly title: string;
    readonly section: string;
    readonly namespace: string;
    readonly rows: number;
  },
): Promise<readonly Figure[]> {
  const onError = (error: unknown): void => {
    throw error;
  };
  const api = new StatusApi({ source, wds: OPEN_WDS, now: Date.now, watch: false, onError });
  const figures: Figure[] = [];
  for (const [what, spec] of Object.entries(QUERIES)) {
    let [best, block] = [Number.POSITIVE_INFINITY, 0];
    let asked: Asked | undefined;
    collectGarbage();
    for (let round = 0; round < ROUNDS; round += 1) {
      const longest = await longestBlock(async () => {
        asked = await ask(api, namespace, spec);
      });
      best = Math.min(best, asked?.ms ?? best);
      block = Math.max(block, round === 0 ? 0 : longest);
    }
    const name = `${title}: query, ${what} (${asked?.rows} in ${asked?.answers})`;
    figures.push(
      { section, what: name, value: rows / (best / 1000), unit: 'rows/s' },
      {
        section,
        what: `${name}, longest block of CPU time`,
        value: block,
        unit: 'ms',
        goal: { type: 'at most', value: 50 },
      },
    );
  }
  return figures;
}
