import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSelectorText } from '#shared/core/binding/label-selector-text.ts';
import { parseFieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import {
  selectableWecStatus,
  WEC_STATUS_FIELDS,
  WEC_STATUS_WORDS,
} from '#shared/core/status-api/selectable.ts';
import { EVERYTHING, type StatusSelector, selects } from '#shared/core/status-api/selector.ts';
import { type GroupResource, wecStatusName } from '#shared/core/status-api/status-name.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { Changed, Scope, StatusSource } from '#shared/ports/status-source.ts';
import { CountingStore } from '#test/bench/counting-store.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { histories } from '#test/histories.ts';
import { following } from './follower.ts';
import { histories as anyHistory, type Deed, OBJECTS, SourceWorld } from './source-world.ts';

const SCOPES: readonly Scope[] = [
  'cluster',
  'all-namespaces',
  { namespace: 'shop' },
  { namespace: 'sho' },
  { namespace: 'none' },
];
const scopes = fc.constantFrom(...SCOPES);
const RUNS = { numRuns: histories({ first: 8, all: 25 }) };

const readable = (): boolean => true;

/** All pages of a list, and how many there were. */
async function whole(
  source: StatusSource,
  request: {
    readonly scope: Scope;
    readonly selector?: StatusSelector;
    readonly limit?: number;
    readonly readable?: (resource: GroupResource) => boolean;
  },
): Promise<readonly WecStatus[]> {
  const found: WecStatus[] = [];
  let after: string | undefined;
  do {
    const page = await source.wecStatuses({
      selector: EVERYTHING,
      limit: 1000,
      readable,
      ...request,
      ...(after === undefined ? {} : { after }),
    });
    expect(page.items.length).toBeLessThanOrEqual(request.limit ?? 1000);
    found.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return found;
}

const WEC_STATUSES = { fields: WEC_STATUS_FIELDS, words: WEC_STATUS_WORDS };
const FIELD_VALUES: Readonly<Record<(typeof WEC_STATUS_FIELDS)[number], readonly string[]>> = {
  'metadata.name': ['deployments.apps:web:edge', 'deployments.apps:web-2:ed~ge', 'no name'],
  'metadata.namespace': ['shop', 'sho', ''],
  'workload.name': ['web', 'web-2', 'system:node'],
  'workload.resource': ['deployments', 'services', 'widgets'],
  'workload.group': ['apps', '', 'none'],
  'workload.kind': ['Deployment', 'Widget', ''],
  wec: ['edge', 'ed:ge', 'Z'],
  health: ['Healthy', 'Progressing', 'Missing', ''],
  state: ['Reported', 'Missing', 'NotReported', 'Silent'],
};
const fieldTerms = fc
  .constantFrom(...WEC_STATUS_FIELDS)
  .chain((field) =>
    fc
      .tuple(fc.constantFrom(...FIELD_VALUES[field]), fc.constantFrom('=', '==', '!='))
      .map(([value, sign]) => `${field}${sign}${value}`),
  );
const labelTerms = fc.constantFrom(
  'tier=gold',
  'tier!=gold',
  'tier',
  '!tier',
  'starfold.dev/workload=web',
  'starfold.dev/resource in (deployments.apps,services)',
  'starfold.dev/wec=edge',
  'starfold.dev/wec notin (edge,a)',
  'starfold.dev/binding=b2',
  'starfold.dev/binding!=b1',
);

const selectors: fc.Arbitrary<StatusSelector> = fc
  .tuple(fc.array(fieldTerms, { maxLength: 2 }), fc.array(labelTerms, { maxLength: 2 }))
  .map(([fields, labels]) => {
    const fieldReading = parseFieldSelectorText(fields.join(','), WEC_STATUSES);
    const labelReading = parseSelectorText(labels.join(','));
    if (!fieldReading.ok || !labelReading.ok) throw new Error('a selector of the test is wrong');
    return { fields: fieldReading.requirements, labels: labelReading.requirements };
  });

/** All objects exist. Of an object that the WDS does not have nothing is folded, so the rows decide. */
const APPLIED = OBJECTS.map(
  (_object, index): Deed => ({ type: 'apply', object: index, tier: 'gold' }),
);
/** Selectors by what only rows say. */
const BY_ROW: readonly StatusSelector[] = [
  'health=Progressing',
  'health=Missing',
  'health=Healthy',
  'health=',
  'health!=Healthy,state=Silent',
  'state=Silent',
  'state=Reported,health!=Healthy',
  'state=TooLarge',
].map((text) => {
  const reading = parseFieldSelectorText(text, WEC_STATUSES);
  if (!reading.ok) throw new Error(reading.fault);
  return { labels: [], fields: reading.requirements };
});

describe('the source of statuses over the table', () => {
  it('lists what Bindings and reports say, in order, whatever the size of the pages', async () => {
    let statuses = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.integer({ min: 1, max: 9 }), async (history, limit) => {
        const world = new SourceWorld(history.length % 2 === 0 ? 2 : 128);
        await world.play(history);
        for (const scope of SCOPES) {
          const expected = world.expected(scope);
          statuses += expected.length;
          expect(await whole(world.source, { scope })).toEqual(expected);
          expect(await whole(world.source, { scope, limit })).toEqual(expected);
        }
      }),
      RUNS,
    );
    expect(statuses).toBeGreaterThan(15 * RUNS.numRuns);
  });

  it('tells whoever reads what each change affects, at any moment, of everything that a list finds', async () => {
    let statuses = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const memory = createMemoryItemStore();
        const follower = following(memory);
        const world = new SourceWorld(2, follower.store);
        follower.begin(world.sourceOn(memory));
        await world.play(history);
        const expected = world.expected('all-namespaces').map(wecStatusName);
        statuses += expected.length;
        expect(await follower.held('all-namespaces')).toEqual(expected.toSorted());
      }),
      RUNS,
    );
    expect(statuses).toBeGreaterThan(8 * RUNS.numRuns);
  });

  it('selects what a filter of the whole list selects', async () => {
    let [selected, all] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.array(fc.tuple(scopes, selectors, fc.integer({ min: 1, max: 9 })), {
          minLength: 20,
          maxLength: 20,
        }),
        async (history, requests) => {
          const world = new SourceWorld(2);
          await world.play(history);
          for (const [scope, selector, limit] of requests) {
            const expected = world.expected(scope);
            const wanted = expected.filter((one) => selects(selector, selectableWecStatus(one)));
            all += expected.length;
            selected += wanted.length;
            expect(await whole(world.source, { scope, selector, limit })).toEqual(wanted);
          }
        },
      ),
      RUNS,
    );
    expect(selected).toBeGreaterThan(all / 50);
  });

  it('reads no more rows than it returns, unless a row decides what is selected', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.array(fc.tuple(scopes, selectors, fc.integer({ min: 1, max: 9 })), {
          minLength: 10,
          maxLength: 10,
        }),
        async (history, requests) => {
          const world = new SourceWorld();
          await world.play(history);
          const counting = new CountingStore(world.journaled.store);
          const source = world.sourceOn(counting);
          for (const [scope, selector, limit] of requests) {
            if (selector.fields.some(({ field }) => field === 'health' || field === 'state'))
              continue;
            counting.reset();
            const { items } = await source.wecStatuses({ scope, selector, limit, readable });
            // A row that was not reported is not stored.
            expect(counting.rows).toBeLessThanOrEqual(items.length);
          }
        },
      ),
      { numRuns: histories({ first: 4, all: 15 }) },
    );
  });

  it('reads no more rows than it returns when it looks for a health or a state', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const world = new SourceWorld();
        await world.play([...history, ...APPLIED]);
        const counting = new CountingStore(world.journaled.store);
        const source = world.sourceOn(counting);
        for (const scope of SCOPES)
          for (const selector of BY_ROW) {
            counting.reset();
            const items = await whole(source, { scope, selector });
            expect(counting.rows).toBeLessThanOrEqual(items.length);
            found += items.length;
          }
      }),
      { numRuns: histories({ first: 8, all: 15 }) },
    );
    expect(found).toBeGreaterThan(100);
  });

  it('reads nothing of a resource that the reader may not get', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const world = new SourceWorld();
        await world.play(history);
        const asked: string[] = [];
        const { store } = world.journaled;
        const noting: ItemStore = {
          ...store,
          get: (keys) => {
            asked.push(...keys.map(({ pk }) => pk));
            return store.get(keys);
          },
          query: (query) => {
            asked.push(query.pk);
            return store.query(query);
          },
        };
        const mayGet = ({ resource }: GroupResource): boolean => resource !== 'deployments';
        const scope = 'all-namespaces';
        const found = await whole(world.sourceOn(noting), { scope, readable: mayGet });
        expect(found).toEqual(world.expected(scope).filter(({ workload }) => mayGet(workload)));
        expect(asked.filter((pk) => pk.includes('/deployments/'))).toEqual([]);
      }),
      { numRuns: histories({ first: 8, all: 15 }) },
    );
  });

  it('gets each status of the list by its name, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const world = new SourceWorld();
        await world.play(history);
        const all = SCOPES.flatMap((scope) => world.expected(scope));
        for (const status of all) expect(await world.source.wecStatus(status)).toEqual(status);
        const [first] = all;
        if (first === undefined) return;
        expect(await world.source.wecStatus({ ...first, wec: 'nobody' })).toBeUndefined();
      }),
      { numRuns: histories({ first: 8, all: 15 }) },
    );
  });

  it('tells of every status that has changed since a revision', async () => {
    let changedStatuses = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, anyHistory, async (before, after) => {
        const world = new SourceWorld();
        await world.play(before);
        const known = new Map(SCOPES.flatMap((scope) => world.expected(scope).map(textOf)));
        const revision = await world.source.revision();
        await world.play(after);
        const changes = await world.source.changes(revision);
        const told = new Set(changes?.changed.map(namedBy));
        const now = new Map(SCOPES.flatMap((scope) => world.expected(scope).map(textOf)));
        for (const [name, text] of [...now, ...known]) {
          if (now.get(name) === text && known.get(name) === text) continue;
          changedStatuses += 1;
          const [workload = '', wec = ''] = name.split('\n');
          expect([name, workload, wec].some((one) => told.has(one.replace('\n', ' ')))).toBe(true);
        }
        const revisions = changes?.changed.map((one) => one.revision) ?? [];
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
        expect(changes?.revision).toBe(await world.source.revision());
      }),
      RUNS,
    );
    expect(changedStatuses).toBeGreaterThan(25 * RUNS.numRuns);
  });
});

/** What has changed, in the form of the names below. */
function namedBy(change: Changed): string {
  switch (change.type) {
    case 'wec-status':
      return `${JSON.stringify(change.ref.workload)} ${change.ref.wec}`;
    case 'workload':
      return JSON.stringify(change.workload);
    case 'wec':
      return change.wec;
    case 'result':
    case 'bundle-deployment':
    case 'fleet-cluster':
      return '';
  }
}

/** The name of a status as changes tell of it, and all that it says except when its WEC last sent a heartbeat. */
function textOf({ lastContact: _contact, ...status }: WecStatus): readonly [string, string] {
  const { group, resource, namespace, name } = status.workload;
  const workload = JSON.stringify({ group, resource, namespace, name });
  return [`${workload}\n${status.wec}`, JSON.stringify(status)];
}
