import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Discovery, Resource } from '#shared/ports/kubernetes-api.ts';
import { chooseServed } from '#shared/watch/served-versions.ts';

const MAX = 100;
const KINDS = ['deployments', 'things', 'others'];
const VERSIONS = ['v1', 'v2', 'v9'];

function named(resource: string, version: string): Resource {
  return { group: 'g', version, resource };
}

/** A cluster that serves resources in these versions, the preferred one first. */
function serving(
  versions: Readonly<Record<string, readonly string[]>>,
  unanswered: readonly string[] = [],
): Discovery {
  const resources = Object.entries(versions).flatMap(([resource, [version, ...otherVersions]]) =>
    version === undefined
      ? []
      : [
          {
            ...named(resource, version),
            kind: 'K',
            namespaced: true,
            statusSubresource: true,
            otherVersions,
          },
        ],
  );
  return { resources, unanswered };
}

const names = fc.array(
  fc.record({
    group: fc.constant('g'),
    version: fc.constantFrom(...VERSIONS),
    resource: fc.constantFrom(...KINDS),
  }),
  { maxLength: 12 },
);
const served = fc
  .array(fc.shuffledSubarray(VERSIONS), { minLength: KINDS.length, maxLength: KINDS.length })
  .map((all) => Object.fromEntries(KINDS.map((kind, index) => [kind, all[index] ?? []])));

type Versions = Readonly<Record<string, readonly string[]>>;

/** What is followed after a step, which must be all that is named and served, and as it was before. */
function stepped(
  versions: Versions,
  step: readonly Resource[],
  before: readonly Resource[],
): readonly Resource[] {
  const current = before.map((resource) => ({ resource, denied: false }));
  const { followed } = chooseServed(step, current, { discovery: serving(versions), max: MAX });
  const kinds = new Set(step.map(({ resource }) => resource));
  const expected = [...kinds].filter((kind) => (versions[kind] ?? []).length > 0);
  expect(followed.map(({ resource }) => resource)).toEqual(expected);
  for (const { resource, version } of followed) {
    expect(versions[resource]).toContain(version);
    const former = before.find((one) => one.resource === resource);
    expect(version).toBe(former?.version ?? version);
  }
  return followed;
}

describe('whatever is named, in whatever order', () => {
  it('what is followed is served, and stays as it is while it is', () => {
    fc.assert(
      fc.property(served, fc.array(names, { minLength: 1, maxLength: 6 }), (versions, steps) => {
        let followed: readonly Resource[] = [];
        for (const step of steps) followed = stepped(versions, step, followed);
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  it('which version is taken first does not depend on the order', () => {
    fc.assert(
      fc.property(served, names, (versions, step) => {
        const how = { discovery: serving(versions), max: MAX };
        const sorted = ({ followed }: ReturnType<typeof chooseServed>): readonly string[] =>
          followed.map(({ resource, version }) => `${resource}/${version}`).sort();
        expect(sorted(chooseServed([...step].reverse(), [], how))).toEqual(
          sorted(chooseServed(step, [], how)),
        );
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe('of a resource that is named', () => {
  const V1 = named('things', 'v1');
  const V2 = named('things', 'v2');
  const V9 = named('things', 'v9');
  const choose = (
    all: readonly Resource[],
    current: readonly Resource[],
    how: Discovery & { readonly denied?: boolean },
  ) =>
    chooseServed(
      all,
      current.map((resource) => ({ resource, denied: how.denied ?? false })),
      { discovery: how, max: MAX },
    );

  it.each([
    {
      which: 'a version that is named and served',
      all: [V9, V1],
      versions: ['v2', 'v1'],
      taken: V1,
    },
    { which: 'of two of them the preferred one', all: [V1, V2], versions: ['v2', 'v1'], taken: V2 },
    { which: 'else the preferred one', all: [V9], versions: ['v2', 'v1'], taken: V2 },
  ])('is followed $which', ({ all, versions, taken }) => {
    expect(choose(all, [], serving({ things: versions })).followed).toEqual([taken]);
  });

  it('another version is followed only when the one before is served no longer', () => {
    expect(choose([V2], [V1], serving({ things: ['v2', 'v1'] })).followed).toEqual([V1]);
    expect(choose([V1], [V1], serving({ things: ['v2'] })).followed).toEqual([V2]);
  });

  it('the versions that are not served are reported, and the resources in none of them', () => {
    const choice = choose(
      [V9, V1, V2, named('nothing', 'v1')],
      [],
      serving({ things: ['v1', 'v2'] }),
    );
    expect(choice).toMatchObject({
      misnamed: [V9],
      unserved: [named('nothing', 'v1')],
      unknown: [],
    });
  });

  it('nothing is known while the API server of its group does not answer', () => {
    expect(choose([V1], [], serving({}, ['g']))).toMatchObject({ unknown: [V1], unserved: [] });
    expect(choose([V1], [V1], serving({}, ['g'])).followed).toEqual([V1]);
  });

  it('what discovery leaves out stays until its own address denies it, too', () => {
    expect(choose([V1], [V1], serving({})).followed).toEqual([V1]);
    expect(choose([V1], [V1], { ...serving({}), denied: true })).toMatchObject({
      followed: [],
      unserved: [V1],
    });
  });

  it('what is named first is followed, up to a limit', () => {
    const discovery = serving({ a: ['v1'], b: ['v1'], c: ['v1'] });
    const all = ['c', 'none', 'a', 'b'].map((resource) => named(resource, 'v1'));
    const choice = chooseServed(all, [], { discovery, max: 2 });
    expect(choice.followed.map(({ resource }) => resource)).toEqual(['c', 'a']);
    expect(choice.beyond).toEqual([named('b', 'v1')]);
  });
});
