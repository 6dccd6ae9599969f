import { describe, expect, it } from 'vitest';
import { createCollectorChecks } from '#functions/aggregate-workload/collector-checks.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { checkCost } from '#shared/core/collector/check-share.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { MAX_OBJECT_CHECK_COST } from '#shared/core/limits.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { Pipeline, WDS, WEB, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';
import { control } from '#test/unit/write-results/pipeline-objects.ts';

const CONTROL = 'control.kubestellar.io/v1alpha1';
const BINDINGS = 4;
const CHECKING = 'not evaluated yet, because the StatusCollector is being checked';

/** Takes a thousand characters and a pattern. Each edit gives it other content. */
function hostileSpec(name: string, edit: number): JsonObject {
  const def = `"x".matches("a{9}${name}") ? 0 : ${String(edit).padStart(1_000)}`;
  return { select: [{ name: 'edit', def }] };
}

const SUM = {
  combinedFields: [{ name: 'n', type: 'SUM', subject: 'returned.status.readyReplicas' }],
};

/** An honest Binding with one collector, and four hostile ones with many, on one Deployment that a WEC reports. */
class Attack {
  readonly pipeline = new Pipeline();
  readonly #each: number;
  #edits = 0;

  /** @param each the number of collectors of a hostile Binding */
  constructor(each: number) {
    this.#each = each;
  }

  #names(binding: number): readonly string[] {
    return Array.from(
      { length: this.#each },
      (_c, i) => `a${binding}-${String(i).padStart(3, '0')}`,
    );
  }

  async #bind(name: string, statusCollectors: readonly string[]): Promise<void> {
    await this.pipeline.apply(control('bindings', name) as typeof WEB, {
      apiVersion: CONTROL,
      kind: 'Binding',
      metadata: { name },
      spec: {
        destinations: [{ clusterId: 'wec1' }],
        workload: { namespaceScope: [{ ...WEB, statusCollectors }] },
      },
    });
  }

  async #collector(name: string, spec: JsonObject): Promise<void> {
    const object = { apiVersion: CONTROL, kind: 'StatusCollector', metadata: { name }, spec };
    await this.pipeline.apply(control('statuscollectors', name) as typeof WEB, object);
  }

  async begin(): Promise<void> {
    await this.pipeline.listWds();
    await this.pipeline.apply(WEB, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 9 },
    });
    await this.#collector('honest', SUM);
    await this.edit();
    await this.#bind('honest', ['honest']);
    for (let binding = 0; binding < BINDINGS; binding += 1)
      await this.#bind(`hostile${binding}`, this.#names(binding));
    await this.pipeline.settle();
  }

  /** Each hostile collector is edited. */
  async edit(): Promise<void> {
    this.#edits += 1;
    for (let binding = 0; binding < BINDINGS; binding += 1)
      for (const name of this.#names(binding))
        await this.#collector(name, hostileSpec(name, this.#edits));
  }

  /** The WEC reports something, and a new process aggregates the Deployment before anything else. Returns what it compiles. */
  async report(ready: number): Promise<readonly JsonValue[]> {
    const { pipeline } = this;
    await pipeline.record(pipeline.said('wec1', ready));
    const compiled: JsonValue[] = [];
    const collectors = createCollectorChecks(pipeline.store, (spec) => {
      compiled.push(spec ?? null);
      return compileStatusCollector(spec);
    });
    await handleDirty({ ...pipeline.aggregateDeps(), collectors }, [
      { type: 'subject', subject: WEB_SUBJECT, wecs: ['wec1'] },
    ]);
    await pipeline.write({ subject: WEB_SUBJECT, objects: [] });
    return compiled;
  }

  /** Removes all checks: the state of a release that stored none. */
  async forget(): Promise<void> {
    const { store } = this.pipeline;
    const names = [0, 1, 2, 3].flatMap((binding) => this.#names(binding));
    for (const name of [...names, 'honest']) {
      const pk = subjectPartition({ type: 'collector', wds: WDS, name });
      for await (const items of pages(store, range(pk, RANGE.check)))
        await store.delete(items.map(({ sk }) => ({ key: { pk, sk } })));
    }
  }

  #results(): readonly JsonValue[] {
    return this.pipeline.wds
      .objects()
      .filter(({ ref }) => ref.resource === 'combinedstatuses')
      .flatMap(({ object }) => {
        const results = object['results'];
        return isArray(results) ? results : [];
      });
  }

  get honest(): JsonValue | undefined {
    const one = this.#results().find((result) => at(result, 'name') === 'honest');
    return at(one, 'rows');
  }

  /** The number of hostile results with each text: an error, or the edit that they are of. */
  get hostile(): Readonly<Record<string, number>> {
    const texts = this.#results()
      .filter((result) => at(result, 'name') !== 'honest')
      .map((result) => {
        const [error] = [at(result, 'aggregationErrors') ?? []].flat();
        const [row] = [at(result, 'rows') ?? []].flat();
        const [cell] = [at(row, 'columns') ?? []].flat();
        return String(at(error, 'error') ?? at(cell, 'float'));
      });
    return Object.fromEntries(
      [...Map.groupBy(texts, (text) => text)].map(([text, { length }]) => [text, length]),
    );
  }
}

function sumOf(ready: number): JsonValue {
  return [{ columns: [{ type: 'Number', float: String(ready) }] }];
}

describe('hundreds of StatusCollectors that are edited before each aggregation of an object', () => {
  it('leave the result of an honest Binding as it should be after its first aggregation', async () => {
    const attack = new Attack(60);
    await attack.begin();
    for (const ready of [1, 2, 3]) {
      await attack.edit();
      await attack.report(ready);
      expect(attack.honest).toEqual(sumOf(ready));
      expect(attack.hostile[CHECKING]).toBe(240 - 4 * 14);
    }
  });

  it('cause no more compilations if there are more of them', async () => {
    const counts: number[] = [];
    for (const each of [20, 60]) {
      const attack = new Attack(each);
      await attack.begin();
      await attack.edit();
      const compiled = await attack.report(7);
      const cost = compiled.reduce<number>((sum, spec) => sum + checkCost(spec), 0);
      expect(cost).toBeLessThan(MAX_OBJECT_CHECK_COST);
      counts.push(compiled.length);
    }
    // 14 of each hostile Binding, and the honest one.
    expect(counts).toEqual([4 * 14 + 1, 4 * 14 + 1]);
  });

  it('leave it so if no check is stored, as after an update', async () => {
    const attack = new Attack(30);
    await attack.begin();
    await attack.forget();
    await attack.report(5);
    expect(attack.honest).toEqual(sumOf(5));
    expect(attack.hostile).toEqual({ [CHECKING]: 4 * 16, '1': 4 * 14 });
  });

  it('are checked further after a message about silence, on which they may depend', async () => {
    const attack = new Attack(30);
    await attack.begin();
    await attack.forget();
    const { pipeline } = attack;
    await pipeline.aggregate({ type: 'subject', subject: WEB_SUBJECT, silence: true });
    expect(pipeline.takeDirty()).toContainEqual({ type: 'subject', subject: WEB_SUBJECT });
  });

  it('leave the conditions of their own Binding as they are while they are checked', async () => {
    const attack = new Attack(30);
    await attack.begin();
    await attack.forget();
    const subject = { type: 'binding', wds: WDS, name: 'hostile0' } as const;
    const deps = { ...attack.pipeline.aggregateDeps(), maxCheckCost: 0 };
    await handleDirty(deps, [{ type: 'subject', subject }]);
    expect(attack.pipeline.takeHints()).toEqual([]);
    const again = attack.pipeline.takeDirty().filter(({ type }) => type === 'subject');
    expect(again).toEqual([{ type: 'subject', subject }]);
  });

  it('are all evaluated in the end, also if only the object is aggregated', async () => {
    const attack = new Attack(30);
    await attack.begin();
    await attack.forget();
    await attack.report(5);
    await attack.pipeline.settle();
    expect(attack.hostile).toEqual({ '1': 120 });
    await attack.edit();
    await attack.report(6);
    await attack.pipeline.settle();
    expect(attack.hostile).toEqual({ '2': 120 });
    expect(attack.honest).toEqual(sumOf(6));
  });
});
