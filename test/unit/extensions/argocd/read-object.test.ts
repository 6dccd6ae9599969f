import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type ApiRequest } from '#extensions/argocd/api-client.ts';
import { ProblemError } from '#extensions/argocd/problem.ts';
import { type BoundReading, MAX_WECS, readObject } from '#extensions/argocd/read-object.ts';
import { readSettings } from '#extensions/argocd/settings.ts';
import { close, listen } from '#shared/adapters/http/listen.ts';
import type { JsonValue } from '#shared/core/json.ts';

const OBJECT = {
  ...{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' },
  created: '2026-11-20T10:00:00Z',
};
const EXPLANATION = {
  metadata: { creationTimestamp: OBJECT.created },
  ...{ decision: {}, wecs: {}, fields: [] },
};
const PAGE = 500;

function table(first: number, count: number, next = ''): JsonValue {
  const rows = Array.from({ length: count }, (_, row) => ({
    cells: [`edge-${first + row}`, 'Reported', 'Healthy'],
  }));
  const columnDefinitions = ['WEC', 'State', 'Health'].map((name) => ({ name }));
  return { metadata: next === '' ? {} : { continue: next }, columnDefinitions, rows };
}

/** Reads with an API that a function is. */
async function read(answer: (request: ApiRequest) => JsonValue | undefined, object = OBJECT) {
  const asked: ApiRequest[] = [];
  const parts: BoundReading[] = [];
  const reading = await readObject({
    client: {
      get: async (request) => {
        asked.push(request);
        return answer(request);
      },
    },
    object,
    signal: new AbortController().signal,
    onPart: (part) => parts.push(part),
  });
  return { reading, asked, parts };
}

/** An API with so many WECs. */
function wecs(total: number) {
  return ({ resource, query }: ApiRequest): JsonValue => {
    if (resource === 'explanations') return EXPLANATION;
    if (query?.['fieldSelector']?.includes('health!=') === true) return table(total - 1, 1);
    const first = Number(query?.['continue'] ?? 0);
    const next = first + PAGE;
    return table(first, Math.min(PAGE, total - first), next < total ? String(next) : '');
  };
}

describe('reading an object', () => {
  it('asks twice if one page has all WECs', async () => {
    const { reading, asked } = await read(wecs(3));
    expect(reading).toMatchObject({ type: 'bound', resource: 'deployments', isWhole: true });
    expect(asked.map(({ resource, name }) => [resource, name])).toEqual([
      ['explanations', 'deployments.apps:web'],
      ['wecstatuses', undefined],
    ]);
  });

  it('reads the worst WECs second if there are more pages', async () => {
    const { reading, asked, parts } = await read(wecs(1_200));
    expect(reading).toMatchObject({ isWhole: true });
    expect((reading as BoundReading).rows).toHaveLength(1_200);
    expect(parts[0]?.rows).toEqual([{ wec: 'edge-1199', state: 'Reported', health: 'Healthy' }]);
    expect(asked).toHaveLength(5);
  });

  it('ends after so many WECs, and says that it is not the whole', async () => {
    const { reading } = await read(wecs(MAX_WECS + 1));
    expect(reading).toMatchObject({ isWhole: false });
    expect((reading as BoundReading).rows.length).toBeLessThanOrEqual(MAX_WECS + 1);
  });

  it('finds no object that no Binding names', async () => {
    const { reading, asked } = await read(() => undefined);
    expect(reading).toEqual({ type: 'unbound' });
    expect(asked).toHaveLength(2);
  });

  it('asks for names with the signs of a selector as they are', async () => {
    const { asked } = await read(() => undefined, { ...OBJECT, name: 'a,b=c\\d' });
    expect(asked.at(-1)?.query?.['fieldSelector']).toContain('workload.name=a\\,b\\=c\\\\d');
  });

  it('shows nothing of another object of this name, also if it cannot be explained', async () => {
    const created = '2020-01-01T00:00:00Z';
    const other = { type: 'other-object', created };
    const explained = await read(() => ({
      ...EXPLANATION,
      metadata: { creationTimestamp: created },
    }));
    expect(explained.reading).toEqual(other);
    const { reading } = await read(({ resource }) => {
      if (resource === 'explanations')
        throw new ProblemError({ type: 'too-large', message: 'too large' });
      const workload = { resource: 'deployments' };
      return { items: [{ metadata: { creationTimestamp: created }, workload }] };
    });
    expect(reading).toEqual(other);
  });

  it('does not take anything else for an explanation', async () => {
    const { reading } = await read(({ resource }) =>
      resource === 'explanations' ? { kind: 'Explanation' } : table(0, 1),
    );
    expect(reading).toMatchObject({ type: 'bound', explanation: { type: 'failed' } });
  });
});

describe('a request', () => {
  const server = createServer((request, response) => {
    const { url, headers } = request;
    const body = { apiVersion: 'v1', url, application: headers['argocd-application-name'] };
    response.end(JSON.stringify(body));
  });
  let base = '';

  beforeAll(async () => {
    base = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}/argo/`;
  });
  afterAll(() => close(server, 0));

  function client(): ApiClient {
    const headers = {
      'Argocd-Application-Name': 'argocd:shop',
      'Argocd-Project-Name': 'default',
    };
    const settings = readSettings({ extension: 'wds2', path: '/wds/wds1' });
    return new ApiClient({ settings, headers, base });
  }

  it('goes to the proxy below the address of the page, with names encoded', async () => {
    const request = { namespace: 'shop', resource: 'explanations', name: 'a/b', query: { c: '&' } };
    expect(await client().get(request, new AbortController().signal)).toMatchObject({
      url: '/argo/extensions/wds2/wds/wds1/apis/status.starfold.dev/v1alpha1/namespaces/shop/explanations/a%2Fb?c=%26',
      application: 'argocd:shop',
    });
  });

  it('that was given up is no problem of the network', async () => {
    const gone = new AbortController();
    gone.abort(new Error('given up'));
    const request = { namespace: '', resource: 'x' };
    await expect(client().get(request, gone.signal)).rejects.toThrow('given up');
  });
});
