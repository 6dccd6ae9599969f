import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  MAX_DISCOVERY_BYTES,
  MAX_OBJECT_BYTES,
  MAX_PAGE_BYTES,
} from '#shared/adapters/kubernetes/answer-body.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import {
  EndlessListError,
  ListBudget,
  MAX_LIST_BYTES,
  MAX_LIST_OBJECTS,
} from '#shared/adapters/kubernetes/list-budget.ts';
import {
  ENDLESS_LIST,
  largeAnswer,
  longList,
  returnedBy,
} from '#shared/adapters/kubernetes/messages.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { ApiInvalidError, ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const WEB = { ...MAPS, namespace: 'shop', name: 'web' };
/** What lies in the kernel and in the two ends beside what has been read. */
const IN_FLIGHT_BYTES = 16 * 1024 * 1024;

let server: HttpApiServer;
let api: ObjectApi & ResourceApi;
let written: number;

beforeEach(async () => {
  server = await startHttpApiServer();
  api = createKubernetesApi(server.kubeConfig(), {
    requestTimeoutMs: 60_000,
    fieldManager: 'starfold',
  });
  written = 0;
});
afterEach(() => server.close());

/** Writes for as long as somebody reads: only the client can end it. */
function writeWithoutEnd(response: ServerResponse, code = 200): void {
  const chunk = Buffer.alloc(256 * 1024, 'a');
  response.writeHead(code, { 'Content-Type': 'application/json' });
  response.write('{"a":"');
  const more = (): void => {
    if (response.destroyed) return;
    written += chunk.length;
    if (response.write(chunk)) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

describe('an API server whose answer has no end', () => {
  it('is not read beyond the limit of an object', async () => {
    server.answer = (_request, response) => writeWithoutEnd(response);
    const failure = api.get(WEB);
    await expect(failure).rejects.toThrow(ApiUnavailableError);
    await expect(failure).rejects.toThrow(`get configmaps/v1 shop/web: ${largeAnswer('8 MiB')}`);
    expect(written).toBeLessThan(MAX_OBJECT_BYTES + IN_FLIGHT_BYTES);
  });

  it('is not read beyond the beginning of a refusal', async () => {
    server.answer = (_request, response) => writeWithoutEnd(response, 422);
    const failure = api.create(WEB, {});
    await expect(failure).rejects.toThrow(ApiInvalidError);
    expect(written).toBeLessThan(IN_FLIGHT_BYTES);
  });

  it('is not read beyond the limit of a line of a watch', async () => {
    server.answer = (_request, response) => writeWithoutEnd(response);
    const failure = api.watch(MAPS, { resourceVersion: '1', onEvent: () => {} });
    await expect(failure).rejects.toThrow(largeAnswer('8 MiB'));
    expect(written).toBeLessThan(MAX_OBJECT_BYTES + IN_FLIGHT_BYTES);
  });

  it('is not read beyond the limit of discovery', async () => {
    server.answer = (_request, response) => writeWithoutEnd(response);
    await expect(api.discover()).rejects.toThrow(largeAnswer('8 MiB'));
    expect(written).toBeLessThan(MAX_DISCOVERY_BYTES + IN_FLIGHT_BYTES);
  });
});

describe('a list that has no end', () => {
  const list = (items: readonly object[], next: string): object => ({
    metadata: { resourceVersion: '7', continue: next },
    items,
  });

  it('is read up to half a million objects, whatever page was asked for', async () => {
    const page = JSON.stringify(Array.from({ length: 250_000 }, () => ({})));
    server.answer = (_request, response) => {
      const next = `page-${server.requests.length}`;
      json(response, `{"metadata":{"resourceVersion":"7","continue":"${next}"},"items":${page}}`);
    };
    const failure = api.list(MAPS, { reduce: () => ({}), pageSize: 1 });
    await expect(failure).rejects.toThrow(ApiUnavailableError);
    await expect(failure).rejects.toThrow(
      `list configmaps/v1: ${returnedBy(server.url, longList(`${MAX_LIST_OBJECTS} objects`))}`,
    );
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ['the same token', ['a', 'a']],
    ['a circle of tokens', ['a', 'b', 'c', 'a']],
  ])('is left where it begins anew: %s', async (_what, tokens) => {
    server.answer = (_request, response) =>
      json(response, list([{}], tokens[server.requests.length - 1] ?? 'further'));
    const failure = api.list(MAPS, {});
    await expect(failure).rejects.toThrow(
      `list configmaps/v1: ${returnedBy(server.url, ENDLESS_LIST)}`,
    );
    await expect(failure).rejects.toHaveProperty('cause.name', 'EndlessListError');
    expect(server.requests).toHaveLength(tokens.length);
  });

  it('counts what holds nothing', () => {
    const budget = new ListBudget();
    const read = (pages: number): void => {
      for (let page = 0; page < pages; page += 1)
        budget.take({ objects: 0, bytes: 0, cursor: undefined });
    };
    read(MAX_LIST_OBJECTS);
    expect(() => read(1)).toThrow(EndlessListError);
  });

  it('is read up to 1 GiB', () => {
    const budget = new ListBudget();
    const pages = MAX_LIST_BYTES / MAX_PAGE_BYTES;
    const read = (bytes: number): void => budget.take({ objects: 500, bytes, cursor: undefined });
    for (let page = 0; page < pages; page += 1) read(MAX_PAGE_BYTES);
    expect(() => read(1)).toThrow(longList('1 GiB'));
  });
});

describe('a page of a list that is too large', () => {
  const limitOf = (line: string): number => Number(/limit=(\d+)/.exec(line)?.[1]);

  it('is read with fewer objects in it', async () => {
    server.answer = ({ line }, response) => {
      if (limitOf(line) > 2) writeWithoutEnd(response);
      else json(response, { metadata: { resourceVersion: '7' }, items: [{ data: {} }] });
    };
    expect((await api.list(MAPS, { pageSize: 5 })).items).toEqual([{ data: {} }]);
    expect(server.requests.map(({ line }) => limitOf(line))).toEqual([5, 3, 2]);
  });

  it('is read with fewer objects in it if they have many values, and so are the pages after it', async () => {
    const many = { data: Array.from({ length: 40_000 }, () => 0) };
    server.answer = ({ line }, response) => {
      const items = Array.from({ length: limitOf(line) }, () => many);
      const cursor = server.requests.length < 4 ? { continue: `${server.requests.length}` } : {};
      json(response, { metadata: { resourceVersion: '7', ...cursor }, items });
    };
    expect((await api.list(MAPS, { pageSize: 8 })).items).toHaveLength(4);
    expect(server.requests.map(({ line }) => limitOf(line))).toEqual([8, 4, 2, 2]);
  });

  it('is given up where it holds one object', async () => {
    server.answer = (_request, response) => writeWithoutEnd(response);
    await expect(api.list(MAPS, { pageSize: 2 })).rejects.toThrow(largeAnswer('16 MiB'));
    expect(server.requests.map(({ line }) => limitOf(line))).toEqual([2, 1]);
  });
});

describe('an answer that is nested too deeply', () => {
  const deep = (levels: number): string =>
    `{"metadata":{"resourceVersion":"7"},"data":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const tooDeep = largeAnswer('10010 levels');

  it('is an error that says so, for an object, a list, a line of a watch and discovery', async () => {
    server.answer = (_request, response) => json(response, deep(2_000_000));
    await expect(api.get(WEB)).rejects.toThrow(ApiUnavailableError);
    await expect(api.get(WEB)).rejects.toThrow(tooDeep);
    await expect(api.list(MAPS, {})).rejects.toThrow(tooDeep);
    await expect(api.discover()).rejects.toThrow(tooDeep);
    server.answer = (_request, response) =>
      json(response, `{"type":"ADDED","object":${deep(2_000_000)}}\n`);
    const watch = api.watch(MAPS, { resourceVersion: '1', onEvent: () => undefined });
    await expect(watch).rejects.toThrow(tooDeep);
  });

  it('is cut in an object where nothing of Starfold reads it, so that it can be written', async () => {
    server.answer = (_request, response) => json(response, deep(9_000));
    expect(stringifyJson((await api.get(WEB)) as JsonObject).length).toBeLessThan(2_000);
  });

  it('counts brackets outside of texts only', async () => {
    const text = '[{'.repeat(20_000);
    server.answer = (_request, response) => json(response, JSON.stringify({ data: { text } }));
    expect(await api.get(WEB)).toEqual({ data: { text } });
  });
});
