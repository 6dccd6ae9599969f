import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectsOf } from '#shared/api/affected.ts';
import { CLUSTER_EXPLANATIONS, EXPLANATIONS } from '#shared/api/explanations.ts';
import type { ItemName } from '#shared/api/served-resource.ts';
import {
  EXPLANATION_FIELDS,
  EXPLANATION_WORDS,
  type ExplainedBound,
  selectableExplanation,
} from '#shared/core/explanation/selectable-explanation.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { parseFieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { EVERYTHING, type StatusSelector, selects } from '#shared/core/status-api/selector.ts';
import { workloadText } from '#shared/core/status-api/status-name.ts';
import type { Scope, StatusSource } from '#shared/ports/status-source.ts';
import { histories } from '#test/histories.ts';
import { histories as anyHistory, SourceWorld } from './source-world.ts';

const SCOPES: readonly Scope[] = ['cluster', 'all-namespaces'];
const { signal } = new AbortController();

/** All pages of a list. */
async function whole(
  source: StatusSource,
  scope: Scope,
  more: { readonly selector?: StatusSelector; readonly limit?: number } = {},
): Promise<readonly ExplainedBound[]> {
  const found: ExplainedBound[] = [];
  const asked = { scope, selector: EVERYTHING, limit: 500, readable: () => true, ...more };
  let after: string | undefined;
  do {
    const request = after === undefined ? asked : { ...asked, after };
    const page = await EXPLANATIONS.page(source, request, signal);
    expect(page.items.length).toBeLessThanOrEqual(asked.limit);
    found.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** NUL is less than every character of names. */
function keyOf({ namespace, name }: ItemName): string {
  return `${namespace}\0${name}`;
}

function nameOf(item: ExplainedBound): string {
  return keyOf(EXPLANATIONS.nameOf(item));
}

async function everything({ source }: SourceWorld): Promise<ReadonlyMap<string, string>> {
  const all = await Promise.all(SCOPES.map((scope) => whole(source, scope)));
  return new Map(all.flat().map((one) => [nameOf(one), textOf(one)]));
}

/** The WECs that decide anything, with the objects of which they do. */
async function everyDecider({ source }: SourceWorld) {
  const all = await Promise.all(SCOPES.map((scope) => whole(source, scope)));
  return all
    .flat()
    .flatMap(({ bound, explanation }) =>
      explanation.deciders.map((decider) => [bound.workload, decider] as const),
    );
}

/** The names of the explanations that a watch reads again because of what has changed since a revision. */
async function affectedSince(
  { source }: SourceWorld,
  revision: number,
): Promise<ReadonlySet<string>> {
  const changes = await source.changes(revision);
  const affected = effectsOf(EXPLANATIONS, changes?.changed ?? []).map((one) => one.affected);
  const names = affected.flatMap((one) => (one.type === 'one' ? [keyOf(one.name)] : []));
  const wecs = affected.flatMap((one) => (one.type === 'sent' ? one.wecs : []));
  const lists = SCOPES.map((scope) =>
    source.workloads({ scope, limit: 500, readable: () => true, wecs }),
  );
  const sent = (await Promise.all(lists)).flatMap(({ items }) => items);
  const named = sent.map(({ workload }) =>
    keyOf({ namespace: workload.namespace, name: workloadText(workload) }),
  );
  return new Set([...names, ...named]);
}

function textOf({ bound, explanation }: ExplainedBound): string {
  return stringifyJson({ bound, explanation } as never);
}

const selectors = fc.constantFrom(
  ...[
    'action=Aggregate',
    'action!=Aggregate',
    'action=Leave,workload.kind=Deployment',
    'health=Progressing',
    'health!=Healthy,workload.name=web',
    'metadata.name=deployments.apps:web',
    'metadata.namespace=shop,workload.group!=apps',
  ].map((text): StatusSelector => {
    const reading = parseFieldSelectorText(text, {
      fields: EXPLANATION_FIELDS,
      words: EXPLANATION_WORDS,
    });
    if (!reading.ok) throw new Error(reading.fault);
    return { labels: [], fields: reading.requirements };
  }),
);

const RUNS = { numRuns: histories({ first: 10, all: 20 }) };

describe('the explanations over the table', () => {
  it('are one for each object that a Binding names, in order, whatever the size of the pages', async () => {
    let explanations = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.integer({ min: 1, max: 5 }), async (history, limit) => {
        const world = new SourceWorld(history.length % 2 === 0 ? 2 : 128);
        await world.play(history);
        for (const scope of SCOPES) {
          const all = await whole(world.source, scope);
          explanations += all.length;
          const statuses = world.expected(scope).map(({ workload }) => workload);
          const sent = new Set(statuses.map((workload) => stringifyJson({ ...workload })));
          const explained = all.map(({ bound }) => stringifyJson({ ...bound.workload }));
          expect(explained).toEqual(expect.arrayContaining([...sent]));
          expect(all.map(nameOf)).toEqual(all.map(nameOf).sort());
          expect((await whole(world.source, scope, { limit })).map(textOf)).toEqual(
            all.map(textOf),
          );
        }
      }),
      RUNS,
    );
    expect(explanations).toBeGreaterThan(3 * RUNS.numRuns);
  });

  it('are selected as a filter of the whole list selects them', async () => {
    let selected = 0;
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.array(fc.tuple(selectors, fc.integer({ min: 1, max: 5 })), {
          minLength: 5,
          maxLength: 5,
        }),
        async (history, requests) => {
          const world = new SourceWorld();
          await world.play(history);
          for (const scope of SCOPES) {
            const all = await whole(world.source, scope);
            for (const [selector, limit] of requests) {
              const wanted = all.filter((one) => selects(selector, selectableExplanation(one)));
              selected += wanted.length;
              expect((await whole(world.source, scope, { selector, limit })).map(textOf)).toEqual(
                wanted.map(textOf),
              );
            }
          }
        },
      ),
      RUNS,
    );
    expect(selected).toBeGreaterThan(50);
  });

  it('are read by their names as they are listed', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const world = new SourceWorld();
        await world.play(history);
        for (const [scope, served] of [
          ['cluster', CLUSTER_EXPLANATIONS],
          ['all-namespaces', EXPLANATIONS],
        ] as const)
          for (const one of await whole(world.source, scope)) {
            const read = await served.read(world.source, served.nameOf(one), signal);
            expect(read && textOf(read)).toBe(textOf(one));
          }
      }),
      { numRuns: histories({ first: 5, all: 15 }) },
    );
  });

  it('say of each WEC that decides what its own status says', async () => {
    const states = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const world = new SourceWorld();
        await world.play(history);
        for (const [workload, decider] of await everyDecider(world)) {
          const { wec } = decider;
          const { state, health } = (await world.source.wecStatus({ workload, wec })) ?? {};
          expect(decider).toEqual({ wec, state, ...(health === undefined ? {} : { health }) });
          states.add(decider.state);
        }
      }),
      { numRuns: histories({ first: 25, all: 40 }) },
    );
    expect(states).toEqual(new Set(['Reported', 'NotReported', 'Missing', 'Silent']));
  });

  it('are affected by the changes that the source tells whenever they say something else', async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, anyHistory, async (before, after) => {
        const world = new SourceWorld();
        await world.play(before);
        const known = await everything(world);
        const revision = await world.source.revision();
        await world.play(after);
        const affected = await affectedSince(world, revision);
        const present = await everything(world);
        const names = [...new Set([...known.keys(), ...present.keys()])];
        const other = names.filter((name) => known.get(name) !== present.get(name));
        changed += other.length;
        expect(other.filter((name) => !affected.has(name))).toEqual([]);
      }),
      { numRuns: histories({ first: 15, all: 40 }) },
    );
    expect(changed).toBeGreaterThan(100);
  });
});
