import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusals } from '#local/simulated-cluster/status-validation/status-validation.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { ruleOf } from '#shared/core/status/kinds/rules.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import { histories } from '#test/histories.ts';
import type { KindSet, KindSets, KnownWec } from './kind-sets.ts';
import { aggregate, misjudgements } from './kind-verdicts.ts';
import { ALL_KINDS } from './kinds/all.ts';
import { naiveGeneric } from './naive-generic.ts';
import { type RecordedEvent, type RecordedObject, recordedObjects } from './recordings.ts';

const CLUSTERS = ['wec1', 'wec2', 'wec3'];

/** What each cluster last said. */
type Moment = ReadonlyMap<string, RecordedEvent>;
type Check = (workload: WorkloadObject, moment: Moment) => void;

function isScaled(object: JsonObject): boolean {
  const fields = at(object, 'metadata', 'managedFields');
  return isArray(fields) && fields.some((entry) => member(entry, 'subresource') === 'scale');
}

/** Whether everything that was applied stands in what the cluster has, where false is left out. */
function stands(applied: JsonValue, found: JsonValue | undefined): boolean {
  if (isObject(applied))
    return Object.entries(applied).every(([key, value]) => stands(value, member(found, key)));
  if (isArray(applied))
    return isArray(found) && applied.every((value, index) => stands(value, found[index]));
  return applied === (found ?? false);
}

function specOf(object: JsonObject, isReplicasKept: boolean): JsonValue {
  const { spec = {} } = object;
  if (isReplicasKept || !isObject(spec)) return spec;
  const { replicas: _scaled, ...rest } = spec;
  return rest;
}

function isOfStep(object: JsonObject, workload: WorkloadObject): boolean {
  return stands(specOf(workload, !isScaled(object)), object['spec']);
}

function perWec(wec: string, { object }: RecordedEvent): PerWecRow {
  const { spec, status = null } = object;
  const row = {
    wec,
    uid: String(at(object, 'metadata', 'uid')),
    generation: countAt(object, 'metadata', 'generation'),
    ...(spec === undefined ? {} : { specHash: stringifyJson(spec) }),
    replicasFromScale: isScaled(object),
    deleting: at(object, 'metadata', 'deletionTimestamp') !== undefined,
    status,
  };
  return { wec, row };
}

function knownWec(
  wec: string,
  event: RecordedEvent | undefined,
  workload: WorkloadObject,
): KnownWec {
  if (event === undefined || event.type === 'DELETED') return { perWec: { wec }, current: false };
  const { object } = event;
  return { perWec: perWec(wec, event), object, current: isOfStep(object, workload) };
}

function setAt(workload: WorkloadObject, moment: Moment): KindSet {
  const wecs = CLUSTERS.map((wec) => knownWec(wec, moment.get(wec), workload));
  const specs = wecs.flatMap(({ object }): [string, JsonValue][] => {
    const spec = object?.['spec'];
    return spec === undefined ? [] : [[stringifyJson(spec), spec]];
  });
  return { workload, wecs, specsByHash: new Map(specs) };
}

/** How a kind is judged. The random sets of it say so. */
function kindOf({ apiVersion, kind }: WorkloadObject): KindSets | undefined {
  const found = ALL_KINDS.find(([, one]) => one.apiVersion === apiVersion && one.kind === kind);
  return found?.[1];
}

function expectWorst(workload: WorkloadObject, moment: Moment): void {
  const kind = kindOf(workload);
  if (kind === undefined) throw new Error(`no sets of ${workload.kind}`);
  expect(misjudgements(kind, setAt(workload, moment))).toEqual([]);
}

function expectGeneric(workload: WorkloadObject, moment: Moment): void {
  // Without a generation in the WDS those of the clusters stay as they are.
  const { generation: _none, ...metadata } = workload.metadata;
  const set = setAt({ ...workload, metadata }, moment);
  const rows = set.wecs.map((wec) => wec.perWec);
  expect(stringifyJson(aggregate(set))).toBe(stringifyJson(naiveGeneric(rows)));
}

/** Calls back after each event, for each step of the WDS. */
function replay({ events, workloads }: RecordedObject, check: Check): void {
  for (const workload of workloads) {
    const moment = new Map<string, RecordedEvent>();
    check(workload, moment);
    for (const event of events) {
      moment.set(event.cluster, event);
      check(workload, moment);
    }
  }
}

/** Calls back after each event, with the WDS's object of the newest step that any cluster has seen. */
function replayInStep({ events, workloads }: RecordedObject, check: Check): void {
  const moment = new Map<string, RecordedEvent>();
  let newest = 0;
  for (const event of events) {
    moment.set(event.cluster, event);
    const seen = workloads.findLastIndex((workload) => isOfStep(event.object, workload));
    newest = Math.max(newest, seen);
    const workload = workloads[newest];
    if (workload !== undefined) check(workload, moment);
  }
}

/** Any moment of any interleaving of the clusters. */
function moments({ events, workloads }: RecordedObject) {
  const histories = CLUSTERS.map((wec) => events.filter(({ cluster }) => cluster === wec));
  return fc
    .tuple(
      fc.constantFrom(...workloads),
      ...histories.map((history) => fc.nat({ max: history.length })),
    )
    .map(([workload, ...lengths]): [WorkloadObject, Moment] => {
      const latest = lengths.flatMap((length, index) => histories[index]?.[length - 1] ?? []);
      return [workload, new Map(latest.map((event) => [event.cluster, event]))];
    });
}

function hasRule({ workloads }: RecordedObject): boolean {
  return workloads.some((workload) => ruleOf(workload) !== undefined);
}

const APPLIED = recordedObjects().filter(({ workloads }) => workloads.length > 0);

describe.each(APPLIED.filter(hasRule))(
  '$title, aggregated for each step of its WDS',
  (recorded) => {
    it('is to Argo CD what the worst cluster is, after each event', () => {
      replay(recorded, expectWorst);
    });

    it('is so however the clusters are interleaved', () => {
      fc.assert(
        fc.property(moments(recorded), ([workload, moment]) => expectWorst(workload, moment)),
        { numRuns: histories({ first: 30, all: 300 }) },
      );
    });

    it('is taken by the API server each time, while the WDS goes from step to step', () => {
      let stored: JsonObject = {};
      replayInStep(recorded, (workload, moment) => {
        const wanted = aggregate(setAt(workload, moment)) ?? {};
        const { status } = writableStatus(workload, wanted, stored);
        expect(refusals({ ...workload, status: stored }, status)).toEqual([]);
        stored = status;
      });
    });

    it('has clusters that agree with the WDS at some time, so that its verdicts say something', () => {
      const { events, workloads } = recorded;
      const isOfAny = ({ object }: RecordedEvent): boolean =>
        workloads.some((workload) => isOfStep(object, workload));
      expect(events.every(isOfAny)).toBe(true);
    });
  },
);

describe.each(APPLIED.filter((recorded) => !hasRule(recorded)))(
  '$title, of a kind without a rule of its own',
  (recorded) => {
    it('is what looking at all clusters at once finds, after each event', () => {
      replay(recorded, expectGeneric);
    });

    it('is so however the clusters are interleaved', () => {
      fc.assert(
        fc.property(moments(recorded), ([workload, moment]) => expectGeneric(workload, moment)),
        { numRuns: histories({ first: 30, all: 300 }) },
      );
    });
  },
);

describe('the recordings', () => {
  it('are replayed, all objects of them that a WDS holds', () => {
    const left = recordedObjects().filter(({ workloads }) => workloads.length === 0);
    expect(left.map(({ title }) => title)).toEqual([]);
    expect(APPLIED.length).toBeGreaterThanOrEqual(20);
  });
});
