import { beforeEach, describe, expect, it } from 'vitest';
import { askedWorkText, OWN_ASIDE, workloadAside } from '#functions/aggregate-workload/messages.ts';
import { checkSubjects } from '#local/cli/doctor/subjects.ts';
import { contentHash } from '#shared/content-hash.ts';
import { at, isArray, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { putHead, putResult, readHead } from '#shared/state/head.ts';
import { readSetAside } from '#shared/state/set-aside.ts';
import { control, MortalPipeline, partitionOf, thing, VISIBILITY_SECONDS } from './poison.ts';

const HONEST = ['a', 'b', 'c', 'd', 'e', 'f'];
const BAD = thing('bad');
const BAD_PK = partitionOf(BAD);
const ALL = control('bindings', 'all');

/** The beginning of the error of the object, or all of it if nothing was read. */
function aside(...expensive: readonly string[]): string {
  return `starfold: ${workloadAside('things.example.org shop/bad', { expensive, largest: [] })}`;
}

let pipeline: MortalPipeline;
beforeEach(() => {
  pipeline = new MortalPipeline();
});

async function phases(names: readonly string[]): Promise<readonly unknown[]> {
  return Promise.all(names.map((name) => pipeline.shown(thing(name), 'status', 'phase')));
}

function marksLeft(): Promise<readonly unknown[]> {
  return pipeline.store.get(
    [...HONEST, 'bad'].map((name) => ({ pk: partitionOf(thing(name)), sk: 'TRYING' })),
  );
}

describe('a workload object that ends every process that folds it', () => {
  it('ends two, and the other objects of its batch say what they say without it', async () => {
    pipeline.poisoned.add(BAD_PK);
    await pipeline.begin([...HONEST, 'bad']);
    await pipeline.settle();
    expect(pipeline.deaths).toEqual([BAD_PK, BAD_PK]);
    expect(await phases(HONEST)).toEqual(HONEST);
    expect(await phases(['bad'])).toEqual([undefined]);
    expect((await marksLeft()).filter((mark) => mark !== undefined)).toEqual([]);
    expect((await pipeline.deadLetters.counts()).visible).toBe(0);
  });

  it('keeps the status that it had, and the error of its Binding names it and says what to do', async () => {
    await pipeline.begin([...HONEST, 'bad']);
    await pipeline.settle();
    pipeline.poisoned.add(BAD_PK);
    await pipeline.say('wec1', 'bad', 'worse');
    await pipeline.settle();
    expect(await phases(['bad'])).toEqual(['bad']);
    const errors = await pipeline.errors(ALL);
    expect(errors).toEqual([expect.stringContaining(aside())]);
    expect(errors[0]).toMatch(/; it read as the largest: wec1 \(\d+ bytes\)$/);
  });

  it('names the Bindings whose StatusCollectors ask for most, and tells them', async () => {
    await pipeline.begin(['bad']);
    const expensive = ['l.all(a, l.all(b, b > a))', 'l.map(a, a.matches("x"))', 'l.size()', '(('];
    for (const [index, def] of expensive.entries())
      await pipeline.apply(control('statuscollectors', `expensive${index}`), {
        kind: 'StatusCollector',
        metadata: { name: `expensive${index}` },
        spec: { select: [{ name: 'c', def: `returned.status.${def}` }] },
      });
    const named: Readonly<Record<string, readonly string[]>> = {
      innocent: ['expensive2', 'expensive3'],
      hostile0: ['expensive0', 'expensive1'],
      hostile1: ['expensive0', 'gone'],
      ['h'.repeat(200)]: ['expensive0'],
    };
    for (const [name, statusCollectors] of Object.entries(named))
      await pipeline.apply(control('bindings', name), {
        kind: 'Binding',
        metadata: { name },
        spec: {
          destinations: [{ clusterId: 'wec1' }],
          workload: { namespaceScope: [{ ...BAD, statusCollectors }] },
        },
      });
    await pipeline.settle();
    pipeline.poisoned.add(BAD_PK);
    await pipeline.say('wec1', 'bad', 'worse');
    await pipeline.settle();
    const [error = ''] = await pipeline.errors(control('bindings', 'innocent'));
    const works = [
      ['hostile0', ['expensive0', 'expensive1'], 4, 81],
      ['h'.repeat(200), ['expensive0'], 2, 41],
      ['hostile1', ['expensive0'], 2, 41],
    ] as const;
    const expected = works.map(([binding, collectors, loops, characters]) =>
      askedWorkText({ binding, collectors, loops, characters }),
    );
    expect(error).toContain(aside(...expected));
    expect(error.length).toBeLessThan(1_000);
    for (const name of Object.keys(named))
      expect(await pipeline.errors(control('bindings', name))).toEqual([error]);
  });

  it('does not name an honest Binding before one with many cheap StatusCollectors', async () => {
    await pipeline.begin(['bad']);
    const many = Array.from({ length: 90 }, (_c, index) => `c${10 + index}`);
    const cheap = many.map((name): [string, string] => [name, `"${'x'.repeat(100)}"`]);
    for (const [name, def] of [...cheap, ['honest', 'returned.status.l.all(a, a > 0)'] as const])
      await pipeline.apply(control('statuscollectors', name), {
        kind: 'StatusCollector',
        metadata: { name },
        spec: { select: [{ name: 'c', def }] },
      });
    for (const [name, statusCollectors] of [
      ['hostile', many] as const,
      ['honest', ['honest']] as const,
    ])
      await pipeline.apply(control('bindings', name), {
        kind: 'Binding',
        metadata: { name },
        spec: {
          destinations: [{ clusterId: 'wec1' }],
          workload: { namespaceScope: [{ ...BAD, statusCollectors }] },
        },
      });
    await pipeline.settle();
    pipeline.poisoned.add(BAD_PK);
    await pipeline.say('wec1', 'bad', 'worse');
    await pipeline.settle();
    const [error] = await pipeline.errors(control('bindings', 'honest'));
    const works = [
      { binding: 'hostile', collectors: many, loops: 0, characters: 9_180 },
      { binding: 'honest', collectors: ['honest'], loops: 1, characters: 31 },
    ];
    expect(error).toContain(aside(...works.map(askedWorkText)));
  });

  it('names the WECs with the largest statuses', async () => {
    const wecs = ['wec1', 'wec2', 'wec3', 'wec4'];
    await pipeline.begin(['bad'], wecs);
    await pipeline.settle();
    await pipeline.say('wec2', 'bad', 'x'.repeat(3_000));
    await pipeline.say('wec4', 'bad', 'x'.repeat(30_000));
    await pipeline.settle();
    pipeline.poisoned.add(BAD_PK);
    await pipeline.say('wec3', 'bad', 'worse');
    await pipeline.settle();
    const [error] = await pipeline.errors(ALL);
    expect(error).toMatch(
      /; it read as the largest: wec4 \(30\d\d\d bytes\), wec2 \(3\d\d\d bytes\), wec\d \(\d+ bytes\)$/,
    );
  });

  it('is listed by doctor and counted by the sweep', async () => {
    pipeline.poisoned.add(BAD_PK);
    await pipeline.begin([...HONEST, 'bad']);
    await pipeline.settle();
    expect(await pipeline.sweep()).toBe(1);
    const findings = await checkSubjects(pipeline.store, pipeline.now);
    expect(findings).toEqual([
      {
        check: 'subjects',
        level: 'problem',
        message: expect.stringContaining(
          'things.example.org shop/bad in WDS wds1 has been set aside for',
        ),
        remedy: expect.stringContaining('simplify the expressions'),
      },
    ]);
  });

  it('that changes every second is tried after a minute, then after twice as long each time, up to an hour', async () => {
    pipeline.poisoned.add(BAD_PK);
    await pipeline.begin([...HONEST, 'bad']);
    await pipeline.settle();
    const start = pipeline.now;
    const died: number[] = [];
    for (let minute = 0; minute < 600; minute += 1) {
      const before = pipeline.deaths.length;
      await pipeline.say('wec1', 'bad', `phase ${minute}`);
      await pipeline.pass(1);
      if (pipeline.deaths.length > before) died.push(Math.round((pipeline.now - start) / 60_000));
    }
    const gaps = died.slice(1).map((minute, index) => minute - (died[index] ?? 0));
    // A pause, a minute in which the sweep comes, and one in which the messages of the dead process are invisible.
    for (const [index, gap] of gaps.entries()) {
      const pause = Math.min(2 ** (index + 1), 60);
      expect(gap).toBeGreaterThanOrEqual(pause);
      expect(gap).toBeLessThanOrEqual(pause + 3);
    }
    expect(gaps.length).toBeGreaterThan(8);
    expect(await phases(HONEST)).toEqual(HONEST);
  });

  it('says what it should once it can be folded: entry, error and mark go', async () => {
    pipeline.poisoned.add(BAD_PK);
    await pipeline.begin([...HONEST, 'bad']);
    await pipeline.settle();
    pipeline.poisoned.clear();
    await pipeline.say('wec1', 'bad', 'better');
    expect(await pipeline.pass(3)).toBe(0);
    expect(await phases(['bad'])).toEqual(['better']);
    expect(await pipeline.errors(ALL)).toEqual([]);
    expect(await readSetAside(pipeline.store)).toEqual([]);
    expect((await checkSubjects(pipeline.store, pipeline.now)).map(({ level }) => level)).toEqual([
      'ok',
    ]);
    expect((await marksLeft()).filter((mark) => mark !== undefined)).toEqual([]);
  });

  it('of many WECs loses nothing that they say while it is set aside', async () => {
    pipeline = new MortalPipeline(2);
    const wecs = Array.from({ length: 12 }, (_wec, index) => `wec${index}`);
    await pipeline.begin(['bad'], wecs);
    await pipeline.settle();
    expect(await phases(['bad'])).toEqual(['bad']);
    pipeline.poisoned.add(BAD_PK);
    await pipeline.say('wec0', 'bad', 'new');
    await pipeline.settle();
    for (const wec of wecs) await pipeline.say(wec, 'bad', 'new');
    await pipeline.settle();
    pipeline.poisoned.clear();
    expect(await pipeline.pass(3)).toBe(0);
    expect(await phases(['bad'])).toEqual(['new']);
  });

  it('is not found guilty where the store fails again and again', async () => {
    let failures = 0;
    pipeline.onCall = (call) => {
      if (call !== `put ${BAD_PK} HEAD` || failures === 5) return;
      failures += 1;
      throw new StoreUnavailableError('put');
    };
    await pipeline.begin(['bad']);
    await pipeline.settle();
    expect(failures).toBe(5);
    expect(pipeline.calls.filter((call) => call.startsWith('put ASIDE'))).toEqual([]);
    expect(await phases(['bad'])).toEqual(['bad']);
  });

  it('is tried well and set aside by two processes at once, and says what it should in the end', async () => {
    await pipeline.begin(['bad']);
    await pipeline.settle();
    await pipeline.say('wec1', 'bad', 'new');
    await pipeline.dirty.receive({ max: 10, waitSeconds: 0 });
    pipeline.now += VISIBILITY_SECONDS * 1_000;
    let overtaken = false;
    pipeline.onCall = async (call) => {
      if (overtaken || !call.startsWith(`query ${BAD_PK} R#`)) return;
      overtaken = true;
      // It is so slow that its message comes again: who receives it finds the mark.
      pipeline.now += VISIBILITY_SECONDS * 2_000;
      await pipeline.aggregateOnce();
    };
    await pipeline.settle();
    expect(pipeline.calls.some((call) => call === `put ASIDE ${BAD_PK}`)).toBe(true);
    expect(await pipeline.pass(3)).toBe(0);
    expect(await phases(['bad'])).toEqual(['new']);
    expect(await pipeline.errors(ALL)).toEqual([]);
  });

  it('is set aside and comes back whichever call of that a process dies before', async () => {
    const course = async (diesBefore?: number): Promise<number> => {
      pipeline = new MortalPipeline();
      await pipeline.begin(['a', 'bad']);
      await pipeline.settle();
      pipeline.poisoned.add(BAD_PK);
      await pipeline.say('wec1', 'bad', 'new');
      await pipeline.aggregateOnce();
      pipeline.now += VISIBILITY_SECONDS * 1_000;
      await pipeline.aggregateOnce();
      const from = pipeline.calls.length;
      pipeline.diesBefore = diesBefore === undefined ? undefined : from + diesBefore;
      await pipeline.settle();
      expect(await pipeline.errors(ALL)).toEqual([expect.stringContaining(aside())]);
      pipeline.poisoned.clear();
      await pipeline.pass(5);
      expect(await readSetAside(pipeline.store)).toEqual([]);
      expect(await pipeline.errors(ALL)).toEqual([]);
      expect(await phases(['a', 'bad'])).toEqual(['a', 'new']);
      return pipeline.calls.length - from;
    };
    const calls = await course();
    expect(calls).toBeGreaterThan(20);
    for (let call = 0; call < calls; call += 1) await course(call);
  });
});

describe('a StatusCollector that ends every process that compiles it', () => {
  const DEADLY = control('statuscollectors', 'deadly');

  function spec(def: string): JsonObject {
    return {
      kind: 'StatusCollector',
      metadata: { name: 'deadly', generation: 1 },
      spec: { limit: 1, select: [{ name: 'phase', def }] },
    };
  }

  /** A Binding names the collector for `a`, whose aggregation finds it before its own aggregation has begun. */
  async function begin(): Promise<void> {
    await pipeline.begin(['a', 'b']);
    await pipeline.settle();
    const named = control('bindings', 'named');
    await pipeline.apply(named, {
      kind: 'Binding',
      metadata: { name: 'named' },
      spec: {
        destinations: [{ clusterId: 'wec1' }],
        workload: { namespaceScope: [{ ...thing('a'), statusCollectors: ['deadly'] }] },
      },
    });
    await pipeline.settle();
    pipeline.deadlySpecs.add('deadly');
    await pipeline.apply(DEADLY, spec('"deadly"'));
    await pipeline.dirty.receive({ max: 10, waitSeconds: 0 });
    await pipeline.say('wec1', 'a', 'new');
  }

  function setAside(): readonly string[] {
    return pipeline.calls.filter((call) => call.startsWith('put ASIDE'));
  }

  it('ends the aggregation of an object once, and is set aside alone', async () => {
    await begin();
    await pipeline.settle();
    expect(pipeline.deaths.length).toBeLessThanOrEqual(4);
    expect(new Set(setAside())).toEqual(new Set(['put ASIDE C#wds1/deadly']));
    expect(await phases(['a', 'b'])).toEqual(['new', 'b']);
    expect(await pipeline.errors(DEADLY)).toEqual([OWN_ASIDE]);
  });

  it('sets no object aside if it is edited between the two attempts of the object', async () => {
    await begin();
    await pipeline.aggregateOnce();
    pipeline.deadlySpecs.clear();
    pipeline.deadlySpecs.add('other');
    await pipeline.apply(DEADLY, spec('"other"'));
    await pipeline.settle();
    expect(new Set(setAside())).toEqual(new Set(['put ASIDE C#wds1/deadly']));
    expect(await phases(['a'])).toEqual(['new']);
  });

  it('ends no object that is aggregated more than a minute later, whatever it is edited to', async () => {
    await begin();
    await pipeline.settle();
    pipeline.now += 60_000;
    const before = pipeline.deaths.length;
    for (const edit of ['1', '2', '3']) {
      await pipeline.apply(DEADLY, spec(`"deadly" + "${edit}"`));
      await pipeline.dirty.receive({ max: 10, waitSeconds: 0 });
      await pipeline.say('wec1', 'a', edit);
      while ((await pipeline.aggregateOnce()) !== 'idle');
    }
    expect(pipeline.deaths.length).toBe(before);
    await pipeline.settle();
    expect(await phases(['a'])).toEqual(['3']);
  });

  it('is evaluated when its own aggregation has checked it', async () => {
    await begin();
    await pipeline.settle();
    pipeline.deadlySpecs.clear();
    expect(await pipeline.pass(3)).toBe(0);
    expect(await pipeline.errors(DEADLY)).toEqual([]);
    const results = pipeline.wds
      .objects()
      .filter(({ ref }) => ref.resource === 'combinedstatuses')
      .flatMap(({ object }) => (isArray(object['results']) ? object['results'] : []));
    expect(results.map((result) => stringifyJson(at(result, 'rows') ?? null))).toEqual([
      expect.stringContaining('"string":"deadly"'),
    ]);
  });
});

describe('other work that ends every process', () => {
  it('a StatusCollector says in its own status that it is set aside; the next one is checked as ever', async () => {
    const spec = { limit: 1, select: [{ name: 'n', def: 'inventory.name' }] };
    pipeline.poisoned.add('C#wds1/bad');
    for (const name of ['bad', 'good'])
      await pipeline.apply(control('statuscollectors', name), {
        kind: 'StatusCollector',
        metadata: { name, generation: 1 },
        spec,
      });
    await pipeline.settle();
    expect(pipeline.deaths).toEqual(['C#wds1/bad', 'C#wds1/bad']);
    expect(await pipeline.errors(control('statuscollectors', 'bad'))).toEqual([OWN_ASIDE]);
    expect(
      await pipeline.shown(control('statuscollectors', 'good'), 'status', 'errors'),
    ).toBeUndefined();
    pipeline.poisoned.clear();
    expect(await pipeline.pass(3)).toBe(0);
    expect(await pipeline.errors(control('statuscollectors', 'bad'))).toEqual([]);
  });

  it('replaces the error of an earlier release, which worded it otherwise', async () => {
    const collector = control('statuscollectors', 'bad');
    const pk = 'C#wds1/bad';
    const spec = { limit: 1, select: [{ name: 'n', def: 'inventory.name' }] };
    const object = { kind: 'StatusCollector', metadata: { name: 'bad', generation: 1 }, spec };
    await pipeline.apply(collector, object);
    await pipeline.settle();
    const head = await readHead(pipeline.store, pk);
    const errors = ['set aside: evaluating it ended the process', 'spec.filter: wrong'];
    const text = stringifyJson({ observedGeneration: 1, errors });
    const [revision, hash] = [head.revision + 1, contentHash(text)];
    const resultChunks = await putResult(pipeline.store, pk, { revision, hash, text });
    const next = { ...head, revision, hash, resultRevision: revision, resultChunks };
    expect(await putHead(pipeline.store, pk, next)).toBe(true);
    pipeline.poisoned.add(pk);
    await pipeline.apply(collector, { ...object, spec: { ...spec, limit: 2 } });
    await pipeline.settle();
    expect(await pipeline.errors(collector)).toEqual([OWN_ASIDE, 'spec.filter: wrong']);
  });

  it('a Binding says so in its status, and the objects that it has named keep theirs', async () => {
    await pipeline.begin(HONEST);
    await pipeline.settle();
    pipeline.poisoned.add('B#wds1/all');
    await pipeline.begin(HONEST, ['wec1', 'wec2']);
    await pipeline.settle();
    expect(await pipeline.errors(ALL)).toEqual([expect.stringContaining(OWN_ASIDE)]);
    expect(await phases(HONEST)).toEqual(HONEST);
    pipeline.poisoned.clear();
    expect(await pipeline.pass(3)).toBe(0);
    expect(await pipeline.errors(ALL)).toEqual([]);
  });

  it('a page of a sweep is refused without being tried, and becomes a dead letter; the others go on', async () => {
    await pipeline.begin(HONEST);
    await pipeline.settle();
    pipeline.poisoned.add('E#wec/wec1');
    const since = { epoch: 1, sequence: 1 };
    await pipeline.ask({ type: 'sweep', source: { type: 'wec', name: 'wec1' }, since }, 'sweep');
    for (const name of HONEST) await pipeline.say('wec1', name, `new ${name}`);
    await pipeline.settle();
    expect(await phases(HONEST)).toEqual(HONEST.map((name) => `new ${name}`));
    expect(pipeline.deaths.length).toBeLessThanOrEqual(4);
    expect((await pipeline.deadLetters.counts()).visible).toBe(1);
  });
});

describe('work that harms nobody', () => {
  it('received for the first time, pays for one look every five seconds and nothing else', async () => {
    await pipeline.begin(HONEST);
    await pipeline.settle();
    const isExtra = (call: string): boolean => /ASIDE|TRYING/.test(call);
    expect(pipeline.calls.filter(isExtra)).toEqual(['query ASIDE ']);
    expect(pipeline.calls.length).toBeGreaterThan(50);
  });

  it('received again, is tried after the others, and leaves no mark', async () => {
    await pipeline.begin(HONEST);
    await pipeline.dirty.receive({ max: 3, waitSeconds: 0 });
    pipeline.now += VISIBILITY_SECONDS * 1_000;
    await pipeline.settle();
    expect(pipeline.calls.some((call) => call.startsWith('put') && call.endsWith('TRYING'))).toBe(
      true,
    );
    expect((await marksLeft()).filter((mark) => mark !== undefined)).toEqual([]);
    expect(await phases(HONEST)).toEqual(HONEST);
  });
});
