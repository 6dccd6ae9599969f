import { beforeEach, describe, expect, it } from 'vitest';
import type { ExplanationObject, WecObject, WecStatusObject } from '#console/model/api-objects.ts';
import {
  behind,
  sentence,
  silentWecs,
  workloadRow,
  worstWorkloadFirst,
} from '#console/model/overview.ts';
import { orderWecs } from '#console/model/spectrum.ts';
import { wecRow } from '#console/model/wec-row.ts';
import { decidersOf, fieldRows, valueGroups } from '#console/model/why.ts';
import { selectorOf } from '#console/model/workload.ts';
import { StatusApi } from '#shared/api/api.ts';
import { ANYBODY, OPEN_WDS } from '#shared/api/open-wds.ts';
import { parseJson } from '#shared/core/json.ts';
import { Fleet } from '#test/fakes/console/fleet.ts';
import { ROOT } from '#test/unit/api/ask.ts';

const NOW_MS = Date.parse('2026-11-22T17:41:20Z');
const WHY = `${ROOT}/namespaces/shop/explanations/deployments.apps:web`;

let api: StatusApi;

beforeEach(() => {
  const { source } = new Fleet({ nowMs: NOW_MS });
  const onError = (error: unknown): void => {
    throw error;
  };
  api = new StatusApi({ source, wds: OPEN_WDS, now: () => NOW_MS, watch: true, onError });
});

async function answer<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const { body } = await api.handle({
    method: 'GET',
    path,
    query: new URLSearchParams(query),
    accept: 'application/json',
    authenticate: async () => ANYBODY,
    signal: new AbortController().signal,
  });
  let text = '';
  for await (const piece of body) text += piece;
  return parseJson(text) as unknown as T;
}

async function list<T>(
  resource: string,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly T[]> {
  return (await answer<{ readonly items: readonly T[] }>(`${ROOT}/${resource}`, query)).items;
}

describe('what the API says of a fleet that is broken in several ways', () => {
  it('gives the overview', async () => {
    const rows = (await list<ExplanationObject>('explanations')).map(workloadRow);
    expect(sentence(rows).map(({ text }) => text)).toEqual([
      '2 workloads are broken',
      '1 is missing somewhere',
      '2 are on their way',
      '4 are as asked.',
    ]);
    const shown = rows
      .toSorted(worstWorkloadFirst)
      .map(({ verdict, place, decidedBy, ready }) => [
        verdict,
        place.name.slice(0, 8),
        decidedBy,
        ready,
      ]);
    expect(shown.slice(0, 4)).toEqual([
      ['Degraded', 'web', 'eu-west-003', [4, 10]],
      ['TooLarge', 'wildcard', 'ap-southeast-003', undefined],
      ['Missing', 'checkout', 'us-east-002', undefined],
      ['Progressing', 'orders', 'eu-west-008', [2, 3]],
    ]);
  });

  it('gives what stands beside it', async () => {
    const wecs = await list<WecObject>('wecs');
    const rows = (await list<WecStatusObject>('wecstatuses')).map(wecRow);
    const order = orderWecs(wecs.map(({ metadata: { name, labels = {} } }) => ({ name, labels })));
    expect(order.groups.map(({ name }) => name)).toEqual([
      'ap-south',
      'ap-southeast',
      'eu-north',
      'eu-west',
      'us-east',
      'us-west',
    ]);
    expect(silentWecs(wecs).map(({ name }) => name)).toEqual(['us-east-009', 'ap-south-004']);
    expect(behind(rows, order)).toEqual([{ name: 'us-west', count: 5, of: 45 }]);
  });

  it('gives the rows of one object by its selector', async () => {
    const place = { resource: 'deployments.apps', namespace: 'shop', name: 'web' };
    const statuses = await list<WecStatusObject>('namespaces/shop/wecstatuses', {
      fieldSelector: selectorOf(place),
    });
    expect(statuses).toHaveLength(40);
    const ready = {
      path: 'readyReplicas',
      decidedBy: [{ wec: 'eu-west-003', value: '4' }],
      isByAll: false,
    };
    const groups = valueGroups(statuses, ready);
    expect(groups.map(({ value, wecs, isDeciding }) => [value, wecs.length, isDeciding])).toEqual([
      ['4', 1, true],
      ['7', 5, false],
      ['8', 3, false],
      ['10', 31, false],
    ]);
  });

  it('says of the WEC that decides a field how it is', async () => {
    const explained = await answer<ExplanationObject>(WHY);
    const ready = fieldRows(explained).find(({ path }) => path === 'readyReplicas');
    expect(ready && decidersOf(explained, ready)).toMatchObject([
      { wec: 'eu-west-003', verdict: 'Degraded', message: expect.stringContaining('deadline') },
    ]);
  });

  it('says what the fields would be without the WEC that decides', async () => {
    const before = await answer<ExplanationObject>(WHY);
    const after = await answer<ExplanationObject>(WHY, { without: 'eu-west-003' });
    expect([before, after].map(({ verdict }) => verdict?.status)).toEqual([
      'Degraded',
      'Progressing',
    ]);
    const changed = fieldRows(after, before).filter((row) => row.before !== undefined);
    expect(changed.map(({ path, before: was, value }) => [path, was, value])).toEqual([
      ['availableReplicas', '4', '7'],
      ['conditions[Available]', 'False', 'True'],
      ['conditions[Progressing]', 'False', 'True'],
      ['readyReplicas', '4', '7'],
    ]);
  });
});
